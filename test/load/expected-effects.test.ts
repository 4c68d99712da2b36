import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Deed } from './day-plan.ts';
import { compareEffects, EFFECT_TABLES, type EffectTable, expectedEffects, isComplete } from './expected-effects.ts';

const ORDER = { kind: 'order', atMs: 1, copies: 2, sku: 'P-1' } as const;
const DEEDS: readonly Deed[] = [
  { ...ORDER, id: 'order-0', tenant: 0, qty: 3, toErp: true },
  { ...ORDER, id: 'order-1', tenant: 0, qty: 2, toErp: false },
  { ...ORDER, id: 'order-2', tenant: 1, qty: 9, toErp: true },
  { kind: 'telemetry', atMs: 2, tenant: 0, id: 'telemetry-0', device: 0 },
  { kind: 'poison', atMs: 3, tenant: 0, id: 'poison-throw-0', how: 'throw' },
  { kind: 'call', atMs: 4, tenant: 0, id: 'call-0', what: 'rows' },
];
const [FIRST, SECOND] = expectedEffects({ deeds: DEEDS, troubles: [], lengthMs: 10 }, 2);
assert.ok(FIRST && SECOND);
const RIGHT = { ...FIRST, bookings: new Map([['order-0', 1]]) };

describe('the effects of a load', () => {
  it('are what the tenant itself has sent: a row each, poison a dead letter, stock by the pieces', () => {
    assert.deepEqual([FIRST.rows.plant_order, FIRST.rows.plant_erp], [['order-0', 'order-1'], ['order-0']]);
    assert.deepEqual([FIRST.dead, FIRST.taken, SECOND.taken], [['poison-throw-0'], 5, 9]);
    assert.deepEqual(compareEffects('a', FIRST, RIGHT), { lost: [], doubled: [], foreign: [] });
  });

  it('are at fault by one that is missing, twice there, or of nobody, in every table', () => {
    for (const table of EFFECT_TABLES) {
      const change = (ids: readonly string[]) => ({ ...RIGHT, rows: { ...RIGHT.rows, [table]: ids } });
      const wanted: readonly string[] = FIRST.rows[table];
      if (wanted.length > 0) {
        const place = `a ${table} ${wanted[0]}`;
        assert.deepEqual(compareEffects('a', FIRST, change(wanted.slice(1))).lost, [place]);
        assert.deepEqual(compareEffects('a', FIRST, change([...wanted, wanted[0] as string])).doubled, [place]);
      }
      assert.deepEqual(compareEffects('a', FIRST, change([...wanted, 'x'])).foreign, [`a ${table} x`]);
    }
  });

  it('are at fault by a dead letter of an innocent, by an ERP that has two keys or no booking, by stock', () => {
    const dead = compareEffects('a', FIRST, { ...RIGHT, dead: ['poison-throw-0', 'order-1'] });
    assert.deepEqual(dead.foreign, ['a dead letter order-1']);
    const keys = compareEffects('a', FIRST, { ...RIGHT, bookings: new Map([['order-0', 2]]) });
    assert.deepEqual(keys.doubled, ['a ERP order-0: 2 keys']);
    assert.deepEqual(compareEffects('a', FIRST, { ...RIGHT, bookings: new Map() }).lost, ['a ERP order-0']);
    assert.equal(compareEffects('a', FIRST, { ...RIGHT, taken: 4 }).lost.length, 1);
    assert.equal(compareEffects('a', FIRST, { ...RIGHT, taken: 6 }).doubled.length, 1);
  });

  it('are complete when every table and the dead letters have their number, not before', () => {
    const counts = Object.fromEntries(EFFECT_TABLES.map((table) => [table, FIRST.rows[table].length]));
    const complete = counts as Record<EffectTable, number>;
    assert.ok(isComplete(FIRST, complete, 1));
    assert.ok(!isComplete(FIRST, complete, 0));
    assert.ok(!isComplete(FIRST, { ...complete, plant_shipment: 1 }, 1));
  });
});
