import type { LoadOptions } from './day-plan.ts';

/** Options of the command line as they were written. */
export interface LoadArguments {
  readonly minutes: string;
  readonly seed: string;
  readonly tenants: string;
  readonly devices: string;
  readonly rate: string;
  readonly shape: string;
}

/** @throws Error that names the option and its range. */
export function readLoadOptions(given: LoadArguments): LoadOptions {
  const { shape } = given;
  if (shape !== 'day' && shape !== 'steady') throw new Error(`--shape: day or steady, not ${shape}`);
  return {
    shape,
    minutes: numberIn(given.minutes, 'minutes', 0.05, 1_440),
    seed: whole(given.seed, 'seed', 1, 2 ** 31),
    tenants: whole(given.tenants, 'tenants', 1, 50),
    devicesPerTenant: whole(given.devices, 'devices', 1, 2_000),
    rate: numberIn(given.rate, 'rate', 0.01, 100),
  };
}

function numberIn(text: string, name: string, from: number, to: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= from && value <= to)) {
    throw new Error(`--${name}: a number from ${from} to ${to}, not ${text}`);
  }
  return value;
}

function whole(text: string, name: string, from: number, to: number): number {
  const value = numberIn(text, name, from, to);
  if (!Number.isInteger(value)) throw new Error(`--${name}: a whole number, not ${text}`);
  return value;
}
