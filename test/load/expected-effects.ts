import type { DayPlan, Deed } from './day-plan.ts';

/** Tables of the scripts in which one row is one effect. */
export const EFFECT_TABLES = [
  'plant_reading',
  'plant_alarm',
  'plant_order',
  'plant_shipment',
  'plant_erp',
  'plant_label',
] as const;
export type EffectTable = (typeof EFFECT_TABLES)[number];

/** What one tenant must have when everything is done. */
export interface TenantEffects {
  /** EventIds of the rows of each table. */
  readonly rows: Readonly<Record<EffectTable, readonly string[]>>;
  /** EventIds of dead letters. */
  readonly dead: readonly string[];
  /** Pieces that all orders took. */
  readonly taken: number;
}

/** What the world looks like after a load. */
export interface FoundEffects extends TenantEffects {
  /** Orders that the ERP booked, with the number of keys under which they came. */
  readonly bookings: ReadonlyMap<string, number>;
}

export interface EffectFaults {
  /** Effects that are not there. */
  readonly lost: readonly string[];
  /** Effects that are there more often than once. */
  readonly doubled: readonly string[];
  /** What nobody has sent, or what is dead and should not be. */
  readonly foreign: readonly string[];
}

/** One list per tenant of the plan. */
export function expectedEffects({ deeds }: DayPlan, tenants: number): TenantEffects[] {
  return Array.from({ length: tenants }, (_, tenant) => {
    const own = deeds.filter((deed) => deed.tenant === tenant);
    const ids = (kind: Deed['kind']): string[] => own.filter((deed) => deed.kind === kind).map(({ id }) => id);
    const orders = own.filter((deed) => deed.kind === 'order');
    return {
      rows: {
        plant_reading: ids('telemetry'),
        plant_alarm: ids('alarm'),
        plant_order: ids('order'),
        plant_shipment: ids('order'),
        plant_erp: orders.filter(({ toErp }) => toErp).map(({ id }) => id),
        plant_label: ids('label'),
      },
      dead: ids('poison'),
      taken: orders.reduce((sum, { qty }) => sum + qty, 0),
    };
  });
}

/** True when as many rows and dead letters are there as there must be: then nothing more is waited for. */
export function isComplete(
  expected: TenantEffects,
  counts: Readonly<Record<EffectTable, number>>,
  dead: number,
): boolean {
  return EFFECT_TABLES.every((table) => counts[table] >= expected.rows[table].length) && dead >= expected.dead.length;
}

/** Compares one tenant's world with what must be there. Each fault names tenant, place and EventId. */
export function compareEffects(tenant: string, expected: TenantEffects, found: FoundEffects): EffectFaults {
  const lists = EFFECT_TABLES.map((table) => [table, expected.rows[table], found.rows[table]] as const);
  const parts = [...lists, ['dead letter', expected.dead, found.dead] as const].map(([place, wanted, there]) =>
    compareLists(`${tenant} ${place}`, wanted, there),
  );
  const booked = [...found.bookings];
  const outside = compareLists(
    `${tenant} ERP`,
    expected.rows.plant_erp,
    booked.map(([order]) => order),
  );
  const keys = booked.filter(([, count]) => count > 1).map(([order, count]) => `${tenant} ERP ${order}: ${count} keys`);
  const all = [...parts, outside];
  const stock = stockFault(tenant, expected.taken, found.taken);
  return {
    lost: [...all.flatMap(({ lost }) => lost), ...stock.lost],
    doubled: [...all.flatMap(({ doubled }) => doubled), ...keys, ...stock.doubled],
    foreign: all.flatMap(({ foreign }) => foreign),
  };
}

function compareLists(place: string, wanted: readonly string[], there: readonly string[]): EffectFaults {
  const counts = new Map<string, number>();
  for (const id of there) counts.set(id, (counts.get(id) ?? 0) + 1);
  const known = new Set(wanted);
  const named = (ids: readonly string[]): string[] => ids.map((id) => `${place} ${id}`);
  return {
    lost: named(wanted.filter((id) => !counts.has(id))),
    doubled: named([...counts].filter(([, count]) => count > 1).map(([id]) => id)),
    foreign: named([...counts.keys()].filter((id) => !known.has(id))),
  };
}

function stockFault(tenant: string, expected: number, taken: number): Pick<EffectFaults, 'lost' | 'doubled'> {
  const fault = [`${tenant} stock fell by ${taken}, the orders took ${expected}`];
  return { lost: taken < expected ? fault : [], doubled: taken > expected ? fault : [] };
}
