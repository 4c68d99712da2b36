import { planOf, type ScaleChoices, type ScaleFigures, type ScaleLoad, type ScalePlan } from './scale-plan.ts';

/** The loads that docs/scale.md works through, by name. */
export const SCALE_LOADS: Readonly<Record<string, ScaleLoad>> = {
  '1,000 tenants at rest': {
    tenants: 1_000,
    bindingsPerTenant: 5,
    devices: 0,
    messagesPerSecond: 0,
    publishesPerSecond: 0,
  },
  '100,000 devices, a reading a minute': {
    tenants: 100,
    bindingsPerTenant: 5,
    devices: 100_000,
    messagesPerSecond: 0,
    publishesPerSecond: 100_000 / 60,
  },
  '10,000 messages/s over 1,000 tenants': {
    tenants: 1_000,
    bindingsPerTenant: 5,
    devices: 0,
    messagesPerSecond: 10_000,
    publishesPerSecond: 0,
  },
};

/** Eight cores of which seven tenths work; the defaults of `pool.perTenant` and `retention.inboxDays`. */
export const SCALE_CHOICES: ScaleChoices = {
  coresPerHost: 8,
  utilisation: 0.7,
  lanesPerHost: 9,
  poolPerTenant: 10,
  inboxDays: 37,
};

const FIGURE_ROWS: readonly (readonly [name: string, unit: string, key: keyof ScaleFigures])[] = [
  ['the host at rest, one tenant', 'MiB', 'hostMib'],
  ['a lane at rest', 'MiB', 'laneMib'],
  ['an idle tenant', 'KiB', 'tenantKib'],
  ['an idle binding', 'KiB', 'bindingKib'],
  ['a connected device', 'KiB', 'deviceKib'],
  ['a message through a queue', 'ms of CPU', 'messageCpuMs'],
  ['an MQTT message, QoS 1, no script', 'ms of CPU', 'publishCpuMs'],
  ['what a message leaves', 'bytes', 'messageBytes'],
];

const PLAN_ROWS: readonly (readonly [name: string, unit: string, key: keyof ScalePlan])[] = [
  ['cores for messages', '', 'cores'],
  ['hosts', '', 'hosts'],
  ['memory of a host', 'MiB', 'hostMib'],
  ['memory of the broker besides', 'MiB', 'brokerMib'],
  ['cores of the broker', '', 'brokerCores'],
  ['database connections at most', '', 'connections'],
  ['inbox rows kept', '', 'inboxRows'],
  ['of one tenant', '', 'inboxRowsPerTenant'],
  ['disk for what messages leave, at most', 'GiB', 'storageGib'],
];

/** The page of figures as Markdown. @param machine what they were measured on, in a line. */
export function scaleTables(figures: ScaleFigures, machine: string): string {
  const plans = Object.values(SCALE_LOADS).map((load) => planOf(figures, load, SCALE_CHOICES));
  const lines = [
    '# Figures of one machine',
    '',
    'Written by `npm run scale -- --write`; what they mean is in [scale.md](scale.md).',
    `Measured on ${machine}. SQLite, the embedded queue, one host.`,
    '',
    '| what | costs |',
    '| --- | --- |',
    ...FIGURE_ROWS.map(([name, unit, key]) => `| ${name} | ${shown(figures[key])} ${unit} |`),
    '',
    `| with these figures | ${Object.keys(SCALE_LOADS).join(' | ')} |`,
    `| --- | ${plans.map(() => '---').join(' | ')} |`,
    ...PLAN_ROWS.map(([name, unit, key]) => {
      const label = unit === '' ? name : `${name}, ${unit}`;
      return `| ${label} | ${plans.map((plan) => shown(plan[key])).join(' | ')} |`;
    }),
  ];
  return `${lines.join('\n')}\n`;
}

/** Three digits are what a measurement is worth. */
function shown(value: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const rounded = Math.abs(value) >= 1000 ? Number(value.toPrecision(3)) : value;
  return rounded.toLocaleString('en-US', { maximumFractionDigits: Math.min(3, digits) });
}
