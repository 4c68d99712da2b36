import { sql } from 'kysely';
import type { Clock } from '../../ports/clock.ts';
import type { Retention } from '../../ports/tenant-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SystemDb } from './system-tables.ts';

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
    purgeAttempts(clock.now() - retention.attemptsMs),
    purgeLog('sys_log', clock.localText(clock.now() - retention.logsMs)),
    purgeLog('diy_queue_receive_log', clock.localText(clock.now() - retention.logsMs)),
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
  return async (db) => {
    const result = await sql`
      delete from mq_parked where (QueueName, EventId, Cycle, Attempt) in (
        select * from (
          select QueueName, EventId, Cycle, Attempt from mq_parked
          where State <> 'waiting' and LastAt < ${dialect.fromNow(-ageMs)} limit ${BATCH_ROWS}
        ) as expired
      )`.execute(db);
    return Number(result.numAffectedRows ?? 0);
  };
}

/** A key with a parked row stays: that row may be replayed. A torn row (`run`) stays for people. */
function purgeInbox({ dialect }: SqlDatabase, ageMs: number): Purge {
  return async (db) => {
    const result = await sql`
      delete from mq_inbox where (TenantLower, QueueName, EventId) in (
        select * from (
          select i.TenantLower, i.QueueName, i.EventId from mq_inbox as i
          where i.Status = 'done' and i.DoneAt < ${dialect.fromNow(-ageMs)}
            and not exists (select 1 from mq_parked as p where p.QueueName = i.QueueName and p.EventId = i.EventId)
          limit ${BATCH_ROWS}
        ) as expired
      )`.execute(db);
    return Number(result.numAffectedRows ?? 0);
  };
}

function purgeCrashes({ dialect }: SqlDatabase, ageMs: number): Purge {
  return async (db) => {
    const result = await db.deleteFrom('mq_crash').where('LastAt', '<', dialect.fromNow(-ageMs)).executeTakeFirst();
    return Number(result.numDeletedRows);
  };
}

function purgeAttempts(before: number): Purge {
  return async (db) => {
    const expired = db.selectFrom('mq_attempt').select('RunId').where('StartedAt', '<', before).limit(BATCH_ROWS);
    const batch = db.selectFrom(expired.as('expired')).select('RunId');
    const result = await db.deleteFrom('mq_attempt').where('RunId', 'in', batch).executeTakeFirst();
    return Number(result.numDeletedRows);
  };
}

function purgeLog(table: 'sys_log' | 'diy_queue_receive_log', before: string): Purge {
  return async (db) => {
    const expired = db.selectFrom(table).select('Id').where('CreateTime', '<', before).limit(BATCH_ROWS);
    const batch = db.selectFrom(expired.as('expired')).select('Id');
    const result = await db.deleteFrom(table).where('Id', 'in', batch).executeTakeFirst();
    return Number(result.numDeletedRows);
  };
}
