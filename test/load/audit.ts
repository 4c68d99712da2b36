import { setTimeout as sleep } from 'node:timers/promises';
import {
  compareEffects,
  EFFECT_TABLES,
  type EffectFaults,
  type EffectTable,
  type FoundEffects,
  isComplete,
  type TenantEffects,
} from './expected-effects.ts';
import { accepted, type Factory, type Plant } from './factory.ts';
import { deedKey, type LoadNotes, type Timing } from './load-notes.ts';

const PAGE = 4_000;
const STOCK_AT_FIRST = 4 * 1_000_000;

/** Row of a table in which one row is one effect; `At` is when the script wrote it, in wall time. */
interface EffectRow {
  readonly EventId: string;
  readonly At: string;
}

/** How effects are called in the timings, by their table. */
const KIND_OF: Readonly<Record<EffectTable, Timing['kind']>> = {
  plant_reading: 'telemetry',
  plant_alarm: 'alarm',
  plant_order: 'order',
  plant_shipment: 'shipment',
  plant_erp: 'erp',
  plant_label: 'label',
};

/** Waits until every tenant has as many effects and dead letters as it must, or the time is over. @returns whether. */
export async function untilSettled(
  factory: Factory,
  expected: readonly TenantEffects[],
  longestMs: number,
): Promise<boolean> {
  const deadline = Date.now() + longestMs;
  for (const [n, plant] of factory.plants.entries()) {
    const wanted = expected[n] as TenantEffects;
    for (; ; await sleep(500)) {
      const counts = await run(factory, plant, { Tables: EFFECT_TABLES });
      const total = await deadLetters(factory, plant);
      if (isComplete(wanted, counts as Record<EffectTable, number>, total.length)) break;
      if (Date.now() > deadline) return false;
    }
  }
  return true;
}

/** Reads what every tenant has, compares it, and notes how long each effect took. */
export async function auditEffects(
  factory: Factory,
  expected: readonly TenantEffects[],
  notes: LoadNotes,
): Promise<EffectFaults> {
  const faults: EffectFaults[] = [];
  for (const [n, plant] of factory.plants.entries()) {
    const found = await foundEffects(factory, plant, (table, row) => noteEffect(notes, n, table, row));
    faults.push(compareEffects(plant.tenant, expected[n] as TenantEffects, found));
  }
  return {
    lost: faults.flatMap(({ lost }) => lost),
    doubled: faults.flatMap(({ doubled }) => doubled),
    foreign: faults.flatMap(({ foreign }) => foreign),
  };
}

async function foundEffects(
  factory: Factory,
  plant: Plant,
  seen: (table: EffectTable, row: EffectRow) => void,
): Promise<FoundEffects> {
  const rows: Partial<Record<EffectTable, string[]>> = {};
  for (const table of EFFECT_TABLES) {
    const all = (await allRows(factory, plant, table, ['EventId', 'At'])) as EffectRow[];
    for (const row of all) seen(table, row);
    rows[table] = all.map(({ EventId }) => EventId);
  }
  const stock = (await allRows(factory, plant, 'plant_stock', ['Sku', 'Stock'])) as { Stock: number }[];
  return {
    rows: rows as Record<EffectTable, string[]>,
    dead: await deadLetters(factory, plant),
    taken: STOCK_AT_FIRST - stock.reduce((sum, { Stock }) => sum + Number(Stock), 0),
    bookings: plant.erp.bookings(),
  };
}

async function allRows(factory: Factory, plant: Plant, table: string, fields: readonly string[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let page = 1; ; page++) {
    const portion = { Table: table, Page: page, Size: PAGE, Fields: fields };
    const rows = (await run(factory, plant, portion)) as unknown[];
    found.push(...rows);
    if (rows.length < PAGE) return found;
  }
}

/** EventIds of everything that is kept as a row and not done: dead, or waiting where nothing should wait any more. */
async function deadLetters({ host }: Factory, { tenant }: Plant): Promise<string[]> {
  const path = `tenants/${tenant}/dead-letters?state=dead&limit=1000`;
  const rows = (await accepted(host, 'GET', path)) as { readonly eventId: string }[];
  return rows.map(({ eventId }) => eventId);
}

function run({ host }: Factory, { tenant }: Plant, param: unknown): Promise<unknown> {
  return accepted(host, 'POST', `tenants/${tenant}/engines/load-audit/run`, param);
}

function noteEffect(notes: LoadNotes, tenant: number, table: EffectTable, { EventId, At }: EffectRow): void {
  const begun = notes.begunAt.get(deedKey(tenant, EventId));
  if (begun === undefined) return;
  const tookMs = Math.max(0, Number(At) - begun);
  notes.timings.push({ kind: KIND_OF[table], stage: 'done', tenant, atMs: begun - notes.startedAt, tookMs });
}
