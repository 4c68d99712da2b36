import { SeededRandom } from '../support/random.ts';

/** How a load is to be played. */
export interface LoadOptions {
  readonly seed: number;
  /** How long the day, or the steady load, lasts. Real minutes; parts of one are allowed. */
  readonly minutes: number;
  readonly tenants: number;
  readonly devicesPerTenant: number;
  /** Multiplies every rate of `RATES`. */
  readonly rate: number;
  /** `day` follows the shifts of a factory over 24 hours, `steady` keeps one pace: for the memory of a long run. */
  readonly shape: 'day' | 'steady';
}

/** What a device, a person or another system does at a moment. `id` is the EventId its effect is counted by. */
export type Deed = { readonly atMs: number; readonly tenant: number; readonly id: string } & (
  | { readonly kind: 'telemetry' | 'alarm'; readonly device: number }
  | {
      readonly kind: 'order';
      readonly copies: number;
      readonly sku: string;
      readonly qty: number;
      readonly toErp: boolean;
    }
  | { readonly kind: 'label' }
  | { readonly kind: 'poison'; readonly how: 'throw' | 'loop' }
  | { readonly kind: 'call'; readonly what: 'engine' | 'rows' }
);

export type DeedKind = Deed['kind'];

/** What befalls everybody at a moment. The slow ERP is that of the first tenant. */
export interface Trouble {
  readonly atMs: number;
  readonly what: 'lane-killed' | 'reconnect-storm' | 'erp-slow' | 'erp-away' | 'erp-well';
}

export interface DayPlan {
  readonly deeds: readonly Deed[];
  readonly troubles: readonly Trouble[];
  readonly lengthMs: number;
}

/** Deeds of the whole group in a real second at the height of the day. */
export const RATES = { telemetry: 24, alarm: 0.8, order: 5, label: 1, call: 6 } as const;

/** The pace of each hour, as a part of the height: nights, three shifts, breaks. */
const HOURS = [
  0.25, 0.2, 0.2, 0.2, 0.3, 0.6, 1, 1, 0.9, 1, 1, 0.8, 0.7, 0.9, 1, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.35, 0.3,
];
const STEADY = 0.7;

export const SKUS = ['P-1', 'P-2', 'P-3', 'P-4'] as const;
const ERP_PART = 0.25;
const THROWS_PER_MINUTE = 2;
const LOOPS_PER_MINUTE = 0.4;

/** Pace at a part of the day, 0 to 1; between two hours it changes evenly. */
export function paceAt(part: number, shape: LoadOptions['shape']): number {
  if (shape === 'steady') return STEADY;
  const hour = part * HOURS.length;
  const from = HOURS[Math.floor(hour) % HOURS.length] ?? 0;
  const to = HOURS[(Math.floor(hour) + 1) % HOURS.length] ?? 0;
  return from + (to - from) * (hour % 1);
}

/** Everything that happens, in the order of time. The same options give the same plan. */
export function planDay(options: LoadOptions): DayPlan {
  const random = new SeededRandom(options.seed);
  const lengthMs = options.minutes * 60_000;
  const rated = (Object.keys(RATES) as (keyof typeof RATES)[]).flatMap((kind) =>
    moments(kind, options, lengthMs, random).map((atMs, n) => deed(kind, n, atMs, options, random)),
  );
  const deeds = [...rated, ...poison(options, lengthMs, random)];
  return { deeds: deeds.sort((a, b) => a.atMs - b.atMs), troubles: troublesOf(options, lengthMs), lengthMs };
}

/** Moments of a Poisson process whose rate follows the day: candidates at the full rate, thinned by the pace. */
function moments(kind: keyof typeof RATES, options: LoadOptions, lengthMs: number, random: SeededRandom): number[] {
  const found: number[] = [];
  const perMs = (RATES[kind] * options.rate) / 1000;
  for (let at = gap(perMs, random); at < lengthMs; at += gap(perMs, random)) {
    if (random.next() < paceAt(at / lengthMs, options.shape)) found.push(at);
  }
  return found;
}

function gap(perMs: number, random: SeededRandom): number {
  return -Math.log(1 - random.next()) / perMs;
}

function deed(
  kind: keyof typeof RATES,
  n: number,
  atMs: number,
  { tenants, devicesPerTenant }: LoadOptions,
  random: SeededRandom,
): Deed {
  const base = { atMs, tenant: random.between(0, tenants - 1), id: `${kind}-${n}` };
  if (kind === 'telemetry' || kind === 'alarm') {
    return { ...base, kind, device: random.between(0, devicesPerTenant - 1) };
  }
  if (kind === 'label') return { ...base, kind };
  if (kind === 'call') return { ...base, kind, what: random.next() < 0.6 ? 'engine' : 'rows' };
  // A fifth of the orders is sent two or three times, as by a shop that did not hear the answer.
  const copies = random.next() < 0.2 ? random.between(2, 3) : 1;
  const order = { copies, sku: random.pick(SKUS), qty: random.between(1, 5), toErp: random.next() < ERP_PART };
  return { ...base, kind, ...order };
}

/** Messages that never succeed. Loops cost a lane each time, so there are few, among many labels that are well. */
function poison({ minutes, tenants }: LoadOptions, lengthMs: number, random: SeededRandom): Deed[] {
  const of = (how: 'throw' | 'loop', count: number): Deed[] =>
    Array.from({ length: count }, (_, n) => ({
      kind: 'poison',
      how,
      id: `poison-${how}-${n}`,
      atMs: random.next() * lengthMs * 0.9,
      tenant: random.between(0, tenants - 1),
    }));
  const loops = Math.floor(minutes * LOOPS_PER_MINUTE);
  return [...of('throw', Math.max(2, Math.round(minutes * THROWS_PER_MINUTE))), ...of('loop', loops)];
}

/** The day's troubles by its hours; a steady load has them again every ten minutes. */
function troublesOf({ shape }: LoadOptions, lengthMs: number): Trouble[] {
  const day: readonly (readonly [part: number, what: Trouble['what']])[] = [
    [7.5 / 24, 'lane-killed'],
    [9 / 24, 'erp-slow'],
    [11 / 24, 'erp-away'],
    [12 / 24, 'erp-well'],
    [14 / 24, 'reconnect-storm'],
    [16.5 / 24, 'lane-killed'],
    [20 / 24, 'reconnect-storm'],
  ];
  const rounds = shape === 'day' ? 1 : Math.max(1, Math.round(lengthMs / 600_000));
  return Array.from({ length: rounds }, (_, round) =>
    day.map(([part, what]) => ({ what, atMs: ((round + part) / rounds) * lengthMs })),
  ).flat();
}
