import { type Bar, percentile } from '../bench/bars.ts';
import type { LoadNotes, Timing } from './load-notes.ts';
import type { LoadResult } from './run-load.ts';

/** How long one kind of deed took. Milliseconds. */
export interface KindSummary {
  readonly kind: Timing['kind'];
  readonly stage: Timing['stage'];
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Values over the time of the load, one per part of it. */
export interface Series {
  readonly name: string;
  /** `undefined` where there was nothing to measure. */
  readonly values: readonly (number | undefined)[];
}

/** Parts into which the time of a load is cut for the pictures. */
export const PARTS = 96;

/** Ten minutes of a factory on a small machine that has nothing else to do. Milliseconds. */
const TARGETS = { acceptedP95: 250, orderDoneP95: 1_000, neighbourDoneP95: 1_000 } as const;

/** One row per kind and stage that happened. */
export function summariseKinds({ timings }: LoadNotes): KindSummary[] {
  const groups = Map.groupBy(timings, ({ kind, stage }) => `${kind} ${stage}`);
  return [...groups.values()]
    .map((group) => {
      const { kind, stage } = group[0] as Timing;
      const took = group.map(({ tookMs }) => tookMs);
      const at = (percent: number): number => percentile(took, percent);
      return { kind, stage, count: group.length, p50: at(50), p95: at(95), p99: at(99), max: at(100) };
    })
    .sort((a, b) => `${a.stage}${a.kind}`.localeCompare(`${b.stage}${b.kind}`));
}

/** What was begun in a second, kind by kind. */
export function ratesOverTime({ plan, notes }: LoadResult): Series[] {
  const accepted = notes.timings.filter(({ stage }) => stage === 'accepted');
  const perSecond = 1000 / (plan.lengthMs / PARTS);
  return [...Map.groupBy(accepted, ({ kind }) => kind)].map(([name, group]) => ({
    name,
    values: inParts(group, plan.lengthMs).map((part) => part.length * perSecond),
  }));
}

/** The 95th percentile of what people and machines wait for. Milliseconds. */
export function waitsOverTime({ plan, notes }: LoadResult): Series[] {
  const shown = [
    ['order done', 'order', 'done'],
    ['telemetry done', 'telemetry', 'done'],
    ['alarm accepted', 'alarm', 'accepted'],
    ['call', 'call', 'accepted'],
  ] as const;
  return shown.map(([name, kind, stage]) => {
    const own = notes.timings.filter((timing) => timing.kind === kind && timing.stage === stage);
    const p95 = (part: readonly Timing[]): number | undefined =>
      part.length === 0
        ? undefined
        : percentile(
            part.map(({ tookMs }) => tookMs),
            95,
          );
    return { name, values: inParts(own, plan.lengthMs).map(p95) };
  });
}

/** Readings of the host's processes, the mean of each part. */
export function useOverTime({ plan, notes }: LoadResult, what: 'memory' | 'cpu'): Series[] {
  const shown =
    what === 'memory'
      ? ([
          ['host', 'hostMib'],
          ['lanes', 'lanesMib'],
        ] as const)
      : ([
          ['host', 'hostCpu'],
          ['lanes', 'lanesCpu'],
        ] as const);
  const parts = inParts(notes.samples, plan.lengthMs);
  const mean = (values: readonly number[]): number | undefined =>
    values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
  return shown.map(([name, key]) => ({ name, values: parts.map((part) => mean(part.map((sample) => sample[key]))) }));
}

/** The bars of a load: the promise first, then the waits. */
export function loadBars(result: LoadResult): Bar[] {
  const { faults, notes, settled } = result;
  const p95 = (kind: Timing['kind'], stage: Timing['stage'], own: (timing: Timing) => boolean = () => true): number =>
    percentile(
      notes.timings.filter((each) => each.kind === kind && each.stage === stage && own(each)).map((t) => t.tookMs),
      95,
    );
  const none = (name: string, value: number): Bar => ({ name, value, target: 0, atMost: true });
  const within = (name: string, value: number, target: number): Bar => ({ name, value, target, atMost: true });
  return [
    none('load-lost', faults.lost.length),
    none('load-doubled', faults.doubled.length),
    none('load-foreign', faults.foreign.length),
    none('load-refused', notes.refused.length),
    none('load-unsettled', settled ? 0 : 1),
    within('load-call-p95-ms', p95('call', 'accepted'), TARGETS.acceptedP95),
    within('load-telemetry-acknowledged-p95-ms', p95('telemetry', 'accepted'), TARGETS.acceptedP95),
    within('load-order-accepted-p95-ms', p95('order', 'accepted'), TARGETS.acceptedP95),
    within('load-order-done-p95-ms', p95('order', 'done'), TARGETS.orderDoneP95),
    within(
      'load-neighbour-of-slow-erp-done-p95-ms',
      p95('order', 'done', (timing) => timing.tenant > 0 && isErpIll(result, timing.atMs)),
      TARGETS.neighbourDoneP95,
    ),
  ];
}

/** True while the ERP of the first tenant was slow or away. */
function isErpIll({ notes }: LoadResult, atMs: number): boolean {
  const moods = notes.events.filter(({ what, atMs: since }) => what.startsWith('erp-') && since <= atMs);
  return moods.length > 0 && moods.at(-1)?.what !== 'erp-well';
}

function inParts<T extends { readonly atMs: number }>(items: readonly T[], lengthMs: number): T[][] {
  const parts: T[][] = Array.from({ length: PARTS }, () => []);
  for (const item of items) parts[Math.floor((item.atMs / lengthMs) * PARTS)]?.push(item);
  return parts;
}
