import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../ports/clock.ts';
import type { Retention } from '../../ports/tenant-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SystemDb, SystemTables } from './system-tables.ts';

/** Rows of one statement: a purge must not hold the writer while runs wait (delivery.md F12). */
const BATCH_ROWS = 1_000;
/** The inbox outlives the dead letters by so much at least, or a replay could run an event twice (F12). */
const REPLAY_MARGIN_MS = 7 * 24 * 3_600_000;

/** Removes one batch. @returns removed rows. */
type Purge = (db: SystemDb) => Promise<number>;

/** Removes what is older than its retention. @returns removed rows. */
export async function purgeExpired(database: SqlDatabase, retention: Retention, clock: Clock): Promise<number> {
  const purges = [
    purgeParked(database, retention.deadLettersMs),
    purgeInbox(database, Math.max(retention.inboxMs, retention.deadLettersMs + REPLAY_MARGIN_MS)),
    purgeCrashes(database, retention.inboxMs),
    purgeAttempts(database, clock.now() - retention.attemptsMs),
    purgeLog(database, 'sys_log', clock.localText(clock.now() - retention.logsMs)),
    purgeLog(database, 'diy_queue_receive_log', clock.localText(clock.now() - retention.logsMs)),
    purgeLog(database, 'mci_mqtt_log', clock.localText(clock.now() - retention.logsMs)),
  ];
  let removed = 0;
  for (const purge of purges) removed += await purgeAll(database, purge);
  return removed;
}

async function purgeAll(database: SqlDatabase, purge: Purge): Promise<number> {
  let removed = 0;
  for (;;) {
    const batch = await database.write(purge);
    removed += batch;
    if (batch < BATCH_ROWS) return removed;
  }
}

/** A waiting message is never too old. */
function purgeParked({ dialect }: SqlDatabase, ageMs: number): Purge {
  return purge(dialect, 'mq_parked', sql`State <> 'waiting' and LastAt < ${dialect.fromNow(-ageMs)}`);
}

/** A key with a parked row stays: that row may be replayed. A torn row (`run`) stays for people. */
function purgeInbox({ dialect }: SqlDatabase, ageMs: number): Purge {
  const parked = sql`
    select 1 from mq_parked where mq_parked.QueueName = mq_inbox.QueueName and mq_parked.EventId = mq_inbox.EventId`;
  const expired = sql`Status = 'done' and DoneAt < ${dialect.fromNow(-ageMs)} and not exists (${parked})`;
  return purge(dialect, 'mq_inbox', expired);
}

function purgeCrashes({ dialect }: SqlDatabase, ageMs: number): Purge {
  return purge(dialect, 'mq_crash', sql`LastAt < ${dialect.fromNow(-ageMs)}`);
}

function purgeAttempts({ dialect }: SqlDatabase, before: number): Purge {
  return purge(dialect, 'mq_attempt', sql`StartedAt < ${before}`);
}

function purgeLog(
  { dialect }: SqlDatabase,
  table: 'sys_log' | 'diy_queue_receive_log' | 'mci_mqtt_log',
  before: string,
): Purge {
  return purge(dialect, table, sql`CreateTime < ${before}`);
}

/** Deletes by an index and a limit: a list of keys would have the server look at every row of the table. */
function purge(dialect: SqlDialect, table: keyof SystemTables, expired: RawBuilder<unknown>): Purge {
  const head = sql`delete from ${sql.table(table)}`;
  return async (db) => {
    const statement = dialect.limitedWrite(head, table, sql`where ${expired} limit ${BATCH_ROWS}`);
    return Number((await statement.execute(db)).numAffectedRows ?? 0);
  };
}
