import type { Clock } from '../../ports/clock.ts';
import type { EventStory } from '../../ports/journal.ts';
import { toAttemptRecord, toReceiveLogRecord, toSysLogRecord } from './journal-rows.ts';
import { selectParked } from './parked-rows.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { PlatformRow } from './system-tables.ts';

/** Rows of one kind in a story; an event that failed for weeks must not fill the memory. */
const MAX_ROWS = 500;

export interface StoryParts {
  readonly tenantLower: string;
  readonly database: SqlDatabase;
  readonly schema: SchemaCache;
  readonly clock: Clock;
}

/** Everything known about one EventId, over all queues of the tenant (architecture.md 2, G7). */
export async function readStory(parts: StoryParts, eventId: string): Promise<EventStory> {
  const [inbox, attempts, parked, outbox] = await Promise.all([
    readInbox(parts, eventId),
    readAttempts(parts, eventId),
    readParked(parts, eventId),
    readOutbox(parts, eventId),
  ]);
  const receiveLog = await readPlatformLog(parts, 'diy_queue_receive_log', 'MessageId', eventId);
  const sysLog = await readPlatformLog(parts, 'sys_log', 'EventId', eventId);
  return {
    eventId,
    inbox,
    attempts,
    parked,
    outbox,
    receiveLog: receiveLog.map(toReceiveLogRecord),
    sysLog: sysLog.map(toSysLogRecord),
  };
}

async function readInbox({ database, tenantLower, clock }: StoryParts, eventId: string): Promise<EventStory['inbox']> {
  const rows = await database.reader
    .selectFrom('mq_inbox')
    .select(['QueueName', 'Status', 'EngineKey', 'Attempt', database.dialect.millis('DoneAt').as('doneAt')])
    .where('TenantLower', '=', tenantLower)
    .where('EventId', '=', eventId)
    .limit(MAX_ROWS)
    .execute();
  return rows.map((row) => ({
    queue: row.QueueName,
    status: row.Status,
    engineKey: row.EngineKey,
    attempt: row.Attempt,
    doneAt: row.doneAt === null ? null : clock.localText(row.doneAt),
  }));
}

async function readAttempts({ database }: StoryParts, eventId: string): Promise<EventStory['attempts']> {
  const select = database.reader.selectFrom('mq_attempt').selectAll().where('EventId', '=', eventId);
  const rows = await select.orderBy('StartedAt').orderBy('RunId').limit(MAX_ROWS).execute();
  return rows.map(toAttemptRecord);
}

async function readParked({ database }: StoryParts, eventId: string): Promise<EventStory['parked']> {
  const select = selectParked(database.reader, database.dialect).where('EventId', '=', eventId);
  const rows = await select.orderBy('QueueName').orderBy('Cycle').orderBy('Attempt').limit(MAX_ROWS).execute();
  return rows.map((row) => ({
    queue: row.QueueName,
    cycle: row.Cycle,
    attempt: row.Attempt,
    state: row.State,
    reason: row.Reason,
    error: row.Error,
    dueAt: row.dueAt,
  }));
}

async function readOutbox({ database }: StoryParts, eventId: string): Promise<EventStory['outbox']> {
  const rows = await database.reader
    .selectFrom('mq_outbox')
    .select(['QueueName as queue', 'State as state', 'Attempts as attempts', 'LastError as lastError'])
    .where('EventId', '=', eventId)
    .orderBy('Seq')
    .limit(MAX_ROWS)
    .execute();
  return rows;
}

/** The platform's columns compare without case; two EventIds that differ in case are two events (delivery.md F8). */
async function readPlatformLog(
  { database, schema }: StoryParts,
  table: 'diy_queue_receive_log' | 'sys_log',
  column: 'MessageId' | 'EventId',
  eventId: string,
): Promise<readonly PlatformRow[]> {
  if (!(await schema.columnNames(table)).has(column)) return [];
  const select = database.reader.selectFrom(table).selectAll().where(column, '=', eventId);
  const rows = await select.orderBy('CreateTime').orderBy('Id').limit(MAX_ROWS).execute();
  return rows.filter((row) => row[column] === eventId);
}
