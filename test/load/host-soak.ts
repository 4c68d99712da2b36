import { type Bar, median } from '../bench/bars.ts';
import type { UseSample } from './load-notes.ts';
import { slopePerHour } from './memory-slope.ts';
import type { LoadResult } from './run-load.ts';

/** This part of the time fills caches, pools and the heap of V8; it is not judged. */
const WARM_UP = 1 / 3;

/** Growth that is taken for flat. MiB per hour: a leak of 1 KiB in each of the 56,000 deeds of an hour is 55 MiB. */
const FLAT_MIB_PER_HOUR = 20;

/** The bars of a steady load: memory of the host and of its lanes is flat after the warm-up, and every effect is right. */
export function soakBars({ plan, notes, faults, settled }: LoadResult): Bar[] {
  const judged = notes.samples.filter(({ atMs }) => atMs >= plan.lengthMs * WARM_UP && atMs <= plan.lengthMs);
  const slope = (read: (sample: UseSample) => number): number =>
    slopePerHour(judged.map((sample) => ({ atMs: sample.atMs, mib: read(sample) })));
  const perLane = (sample: UseSample): number => sample.lanesMib / Math.max(1, sample.lanes);
  const none = (name: string, value: number): Bar => ({ name, value, target: 0, atMost: true });
  return [
    {
      name: 'soak-host-growth-mib-per-hour',
      value: slope(({ hostMib }) => hostMib),
      target: FLAT_MIB_PER_HOUR,
      atMost: true,
    },
    { name: 'soak-lane-growth-mib-per-hour', value: slope(perLane), target: FLAT_MIB_PER_HOUR, atMost: true },
    none('soak-lost', faults.lost.length),
    none('soak-doubled', faults.doubled.length),
    none('soak-foreign', faults.foreign.length),
    none('soak-refused', notes.refused.length),
    none('soak-unsettled', settled ? 0 : 1),
  ];
}

/** What was judged, in words. */
export function describeSoak({ plan, notes }: LoadResult): string {
  const judged = notes.samples.filter(({ atMs }) => atMs >= plan.lengthMs * WARM_UP && atMs <= plan.lengthMs);
  const hosts = judged.map(({ hostMib }) => hostMib);
  const quarter = Math.ceil(hosts.length / 4);
  const mib = (values: readonly number[]): string => median(values).toFixed(0);
  return [
    `${plan.deeds.length} deeds in ${(plan.lengthMs / 60_000).toFixed(1)} minutes, the first third to warm up`,
    `host ${mib(hosts.slice(0, quarter))} MiB then, ${mib(hosts.slice(-quarter))} MiB at the end`,
  ].join('; ');
}
