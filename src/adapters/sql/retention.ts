import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../ports/clock.ts';
import type { Retention } from '../../ports/tenant-store.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SystemDb, SystemTables } from './system-tables.ts';

/** Rows of one statement: a purge must not hold the writer while runs wait (delivery.md F12). */
const BATCH_ROWS = 500;
/** After a batch the writer is for runs, several times as long as the batch took. */
const PAUSE_TIMES = 3;
/** A batch that waited long does not mean a long pause. Milliseconds. */
const MAX_PAUSE_MS = 1_000;
/** The inbox outlives the dead letters by so much at least, or a replay could run an event twice (F12). */
const REPLAY_MARGIN_MS = 7 * 24 * 3_600_000;

/** Versions of an engine that are never too old. */
const VERSIONS_KEPT = 20;

/** Removes one batch. @returns removed rows. */
type Purge = (db: SystemDb) => Promise<number>;

/** When to go on, and when to stop. */
export interface PurgePace {
  readonly clock: Clock;
  /** Ends the purge after the batch that runs; what is left goes the next time. */
  readonly signal?: AbortSignal | undefined;
}

/** Removes what is older than its retention. @returns removed rows. */
export async function purgeExpired(database: SqlDatabase, retention: Retention, pace: PurgePace): Promise<number> {
  const { clock } = pace;
  const purges = [
    purgeParked(database, retention.deadLettersMs),
    purgeInbox(database, Math.max(retention.inboxMs, retention.deadLettersMs + REPLAY_MARGIN_MS)),
    purgeCrashes(database, retention.inboxMs),
    purgeAttempts(database, clock.now() - retention.attemptsMs),
    purgeLog(database, 'sys_log', clock.localText(clock.now() - retention.logsMs)),
    purgeLog(database, 'diy_queue_receive_log', clock.localText(clock.now() - retention.logsMs)),
    purgeLog(database, 'mci_mqtt_log', clock.localText(clock.now() - retention.logsMs)),
    purgeAudit(database, clock.now() - retention.auditMs),
    purgeSessions(database, clock.now()),
    ...(await versionPurges(database, clock.now() - retention.versionsMs)),
  ];
  let removed = 0;
  for (const purge of purges) removed += await purgeAll(database, purge, pace);
  return removed;
}

async function purgeAll(database: SqlDatabase, purge: Purge, { clock, signal }: PurgePace): Promise<number> {
  let removed = 0;
  while (signal?.aborted !== true) {
    const begun = clock.now();
    const batch = await database.write(purge);
    removed += batch;
    if (batch < BATCH_ROWS) break;
    const took = clock.now() - begun;
    if (took > 0) await clock.sleep(Math.min(took * PAUSE_TIMES, MAX_PAUSE_MS), signal);
  }
  return removed;
}

/** A waiting message is never too old. */
function purgeParked({ dialect }: SqlDatabase, ageMs: number): Purge {
  return purge(dialect, 'mq_parked', sql`State not in ('waiting', 'behind') and LastAt < ${dialect.fromNow(-ageMs)}`);
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

function purgeAudit({ dialect }: SqlDatabase, before: number): Purge {
  return purge(dialect, 'v8host_audit', sql`At < ${before}`);
}

/** A login that expired is refused whether its row is there or not. */
function purgeSessions({ dialect }: SqlDatabase, now: number): Purge {
  return purge(dialect, 'v8host_session', sql`ExpiresAt < ${now}`);
}

/** One purge for each engine that has old versions; its newest ones stay. */
async function versionPurges({ dialect, reader }: SqlDatabase, before: number): Promise<readonly Purge[]> {
  const engines = await reader
    .selectFrom('v8host_engine_version')
    .select((eb) => ['EngineLower', eb.fn.max('Ordinal').as('latest')])
    .groupBy('EngineLower')
    .having((eb) => eb.fn.min('SavedAt'), '<', before)
    .execute();
  return engines.map(({ EngineLower, latest }) => {
    const isOld = sql`EngineLower = ${EngineLower} and SavedAt < ${before}`;
    return purge(dialect, 'v8host_engine_version', sql`${isOld} and Ordinal <= ${Number(latest) - VERSIONS_KEPT}`);
  });
}

/** Deletes by an index and a limit: a list of keys would have the server look at every row of the table. */
function purge(dialect: SqlDialect, table: keyof SystemTables, expired: RawBuilder<unknown>): Purge {
  const head = sql`delete from ${sql.table(table)}`;
  return async (db) => {
    const statement = dialect.limitedWrite(head, table, sql`where ${expired} limit ${BATCH_ROWS}`);
    return Number((await statement.execute(db)).numAffectedRows ?? 0);
  };
}
