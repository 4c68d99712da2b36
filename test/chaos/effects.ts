import assert from 'node:assert/strict';
import { expectedStock, type Order } from './plan.ts';

/** Reads the tenant's database from outside the host. */
export interface EffectReader {
  count(sql: string): Promise<number>;
  /** The column `EventId` of every row, sorted. */
  ids(sql: string): Promise<string[]>;
}

/** How far a run has come. */
export interface Progress {
  readonly done: number;
  readonly dead: number;
  /** Messages that wait for their next attempt, and rows not sent yet. */
  readonly pending: number;
}

export async function readProgress(reader: EffectReader): Promise<Progress> {
  return {
    done: await reader.count("select count(*) as n from mq_inbox where Status = 'done'"),
    dead: await reader.count("select count(*) as n from mq_parked where State = 'dead'"),
    pending:
      (await reader.count("select count(*) as n from mq_parked where State = 'waiting'")) +
      (await reader.count('select count(*) as n from mq_outbox')),
  };
}

/** True when every order and its onward message is done, every poison dead, and nothing waits. */
export function isSettled(progress: Progress, orders: readonly Order[], poison: readonly Order[]): boolean {
  return progress.done >= orders.length * 2 && progress.dead >= poison.length && progress.pending === 0;
}

/** The promise: one effect and one onward message per event, none of poison, which is dead exactly once. */
export async function checkEffects(
  reader: EffectReader,
  orders: readonly Order[],
  poison: readonly Order[],
): Promise<void> {
  const expected = orders.map((order) => order.eventId).sort();
  assert.deepEqual(await reader.ids('select EventId from chaos_effect'), expected, 'one effect per event');
  const onward = expected.map((eventId) => `on-${eventId}`).sort();
  assert.deepEqual(await reader.ids('select EventId from chaos_onward'), onward, 'one onward message per event');
  const dead = poison.map((order) => order.eventId).sort();
  assert.deepEqual(await reader.ids("select EventId from mq_parked where State = 'dead'"), dead, 'poison dead once');
  const other = "select count(*) as n from mq_parked where State <> 'dead' and State <> 'resolved'";
  assert.equal(await reader.count(other), 0, 'nothing waits');
  assert.equal(await reader.count('select count(*) as n from mq_outbox'), 0, 'nothing is left unsent');
  if (orders.some(({ queue }) => queue === 'chaos.ordered')) {
    assert.deepEqual(await reader.ids('select EventId from chaos_disorder'), [], 'each chain in its order');
  }
  const torn = "select count(*) as n from mq_inbox where Status <> 'done'";
  assert.equal(await reader.count(torn), 0, 'no torn transaction');
  const stock = await reader.count('select sum(Stock) as n from chaos_stock');
  assert.equal(200_000 - stock, expectedStock(orders), 'stock fell once per order');
}
