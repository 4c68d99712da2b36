import { setImmediate } from 'node:timers/promises';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { ParkedState } from '../../core/parked.ts';
import type {
  DeadEdit,
  DeadFilter,
  DeadGroup,
  DeadLetterStore,
  OnCommitted,
  ParkedFilter,
  ParkedKey,
  ParkedPage,
  ParkedPlace,
  ReplayRefusal,
  ReplayReport,
} from '../../ports/dead-letters.ts';
import type { ParkedRow } from '../../ports/tenant-store.ts';
import { replaceDead, replayDead } from './dead-replay.ts';
import type { Inbox } from './inbox.ts';
import { hasKey, type ParkedExpression, selectParked, toParkedRow } from './parked-rows.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';

/** Groups of one listing; somebody with more repairs the largest first. */
const MAX_GROUPS = 200;
/** Rows of one event that are looked at. */
const MAX_EVENT_ROWS = 100;
/** Rows changed in one transaction: on a database with one writer the runs wait meanwhile. */
const BATCH_ROWS = 100;

/** The dead letters of one tenant (delivery.md 3.2 and F12). */
export class SqlDeadLetterStore implements DeadLetterStore {
  readonly #database: SqlDatabase;
  readonly #inbox: Inbox;

  constructor(database: SqlDatabase, inbox: Inbox) {
    this.#database = database;
    this.#inbox = inbox;
  }

  async list(filter: Parameters<DeadLetterStore['list']>[0]): Promise<ParkedPage> {
    const { dialect, reader } = this.#database;
    const { state, limit, after } = filter;
    const matches = (eb: ParkedExpression) => matchesFilter(eb, dialect, filter, state);
    const { total } = await reader
      .selectFrom('mq_parked')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where(matches)
      .executeTakeFirstOrThrow();
    let select = selectParked(reader, dialect).where(matches);
    if (after !== undefined) select = select.where((eb) => comesAfter(eb, dialect, after));
    const found = await select
      .orderBy('LastAt', 'desc')
      .orderBy('QueueName')
      .orderBy('EventId')
      .orderBy('Cycle')
      .orderBy('Attempt')
      .limit(limit + 1)
      .execute();
    const rows = found.slice(0, limit).map(toParkedRow);
    return { rows, total: Number(total), next: found.length > limit ? rows.at(-1) : undefined };
  }

  async groups(filter: ParkedFilter): Promise<readonly DeadGroup[]> {
    const { dialect, reader } = this.#database;
    const rows = await reader
      .selectFrom('mq_parked')
      .select(['ErrorGroup', 'Reason'])
      .select((eb) => [
        eb.fn.countAll<number>().as('rows'),
        eb.fn.count<number>('QueueName').distinct().as('queues'),
        sql<number>`min(${dialect.millis('FirstAt')})`.as('firstAt'),
        sql<number>`max(${dialect.millis('LastAt')})`.as('lastAt'),
        sql<string>`min(Error)`.as('error'),
      ])
      .where((eb) => matchesFilter(eb, dialect, filter, 'dead'))
      .groupBy(['ErrorGroup', 'Reason'])
      .orderBy(sql`count(*)`, 'desc')
      .orderBy('ErrorGroup')
      .limit(MAX_GROUPS)
      .execute();
    return rows.map((row) => ({
      group: row.ErrorGroup ?? '',
      reason: row.Reason,
      rows: Number(row.rows),
      queues: Number(row.queues),
      firstAt: Number(row.firstAt),
      lastAt: Number(row.lastAt),
      error: String(row.error),
    }));
  }

  async find({ eventId, queue }: Parameters<DeadLetterStore['find']>[0]): Promise<readonly ParkedRow[]> {
    let select = selectParked(this.#database.reader, this.#database.dialect).where('EventId', '=', eventId);
    if (queue !== undefined) select = select.where('QueueName', '=', queue);
    const rows = await select.orderBy('LastAt', 'desc').orderBy('Cycle', 'desc').limit(MAX_EVENT_ROWS).execute();
    const isDead = (row: ParkedRow) => Number(row.parkedState === 'dead');
    return rows.map(toParkedRow).sort((a, b) => isDead(b) - isDead(a));
  }

  async replay(filter: DeadFilter, onCommitted: OnCommitted<ReplayReport> = async () => {}): Promise<ReplayReport> {
    const report = { replayed: [] as ParkedKey[], refused: [] as ReplayReport['refused'][number][] };
    await this.#inBatches(await this.#keysOf(filter), async (batch, share) => {
      const part = await this.#database.write((db) => replayDead(db, this.#database.dialect, this.#inbox, batch));
      report.replayed.push(...part.replayed);
      report.refused.push(...part.refused);
      await onCommitted(part, share);
    });
    return report;
  }

  replace(key: ParkedKey, edit: DeadEdit): Promise<ReplayRefusal | undefined> {
    return this.#database.write((db) => replaceDead(db, this.#database.dialect, this.#inbox, { key, edit }));
  }

  async purge(
    filter: DeadFilter,
    onCommitted: OnCommitted<readonly ParkedKey[]> = async () => {},
  ): Promise<readonly ParkedKey[]> {
    const removed: ParkedKey[] = [];
    await this.#inBatches(await this.#keysOf(filter), async (batch, share) => {
      const part = await this.#database.write((db) => removeDead(db, batch));
      removed.push(...part);
      await onCommitted(part, share);
    });
    return removed;
  }

  /** Between batches the host does its other work: a file is written by this very thread. */
  async #inBatches(keys: readonly ParkedKey[], change: OnCommitted<readonly ParkedKey[]>): Promise<void> {
    const total = keys.length;
    for (let i = 0; i < total; i += BATCH_ROWS) {
      await change(keys.slice(i, i + BATCH_ROWS), { done: Math.min(i + BATCH_ROWS, total), total });
      await setImmediate();
    }
  }

  /** Dead rows that the filter names, oldest first. An empty filter names none. */
  async #keysOf({ all, ...filter }: DeadFilter): Promise<readonly ParkedKey[]> {
    if (!all && Object.values(filter).every((value) => value === undefined)) return [];
    const { dialect, reader } = this.#database;
    return reader
      .selectFrom('mq_parked')
      .select(['QueueName as queue', 'EventId as eventId', 'Cycle as cycle', 'Attempt as attempt'])
      .where((eb) => matchesFilter(eb, dialect, filter, 'dead'))
      .orderBy('FirstAt')
      .execute();
  }
}

async function removeDead(db: SystemDb, keys: readonly ParkedKey[]): Promise<readonly ParkedKey[]> {
  const removed: ParkedKey[] = [];
  for (const key of keys) {
    const result = await db
      .deleteFrom('mq_parked')
      .where((eb) => eb.and([hasKey(eb, key), eb('State', '=', 'dead')]))
      .executeTakeFirst();
    if (result.numDeletedRows > 0n) removed.push(key);
  }
  return removed;
}

function matchesFilter(
  eb: ParkedExpression,
  dialect: SqlDialect,
  filter: ParkedFilter,
  state: ParkedState,
): Expression<SqlBool> {
  const { queue, eventId, reason, group, engineKey, before } = filter;
  const parts: Expression<SqlBool>[] = [eb('State', '=', state)];
  if (queue !== undefined) parts.push(eb('QueueName', '=', queue));
  if (eventId !== undefined) parts.push(eb('EventId', '=', eventId));
  if (reason !== undefined) parts.push(eb('Reason', '=', reason));
  if (group !== undefined) parts.push(eb('ErrorGroup', '=', group));
  if (engineKey !== undefined) parts.push(dialect.sameText('EngineKey', engineKey));
  if (before !== undefined) parts.push(eb('LastAt', '<', dialect.instant(before)));
  return eb.and(parts);
}

/** Rows behind a place in the order of `list`. */
function comesAfter(eb: ParkedExpression, dialect: SqlDialect, place: ParkedPlace): Expression<SqlBool> {
  const at = dialect.instant(place.lastAt);
  const ascending = [
    ['QueueName', place.queue],
    ['EventId', place.eventId],
    ['Cycle', place.cycle],
    ['Attempt', place.attempt],
  ] as const;
  const later = ascending.map(([column, value], index) =>
    eb.and([
      eb('LastAt', '=', at),
      ...ascending.slice(0, index).map(([before, same]) => eb(before, '=', same)),
      eb(column, '>', value),
    ]),
  );
  return eb.or([eb('LastAt', '<', at), ...later]);
}
