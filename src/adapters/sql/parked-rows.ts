import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { errorGroup } from '../../core/error-group.ts';
import type { ParkedState, ParkingState } from '../../core/parked.ts';
import type { ParkedKey } from '../../ports/dead-letters.ts';
import type { EventContent, EventKey, ParkedRow, ParkRequest } from '../../ports/tenant-store.ts';
import { decodeProps, encodeProps } from './message-props.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { ParkedTable, SystemDb, SystemTables } from './system-tables.ts';

/** A row of `mq_parked` with its instants in milliseconds. */
export interface ParkedRecord
  extends Omit<ParkedTable, 'DueAt' | 'FirstAt' | 'LastAt' | 'ClaimUntil' | 'ClaimedBy' | 'ErrorGroup' | 'OrderSeq'> {
  dueAt: number;
  firstAt: number;
  lastAt: number;
}

/** Parked rows as `toParkedRow` reads them. */
export function selectParked(db: SystemDb, dialect: SqlDialect) {
  return db
    .selectFrom('mq_parked')
    .select(['QueueName', 'EventId', 'Cycle', 'Attempt', 'State', 'Body', 'Props', 'Reason', 'Error'])
    .select(['EngineKey', 'Version', 'MessageHash', 'OrderKey'])
    .select([
      dialect.millis('DueAt').as('dueAt'),
      dialect.millis('FirstAt').as('firstAt'),
      dialect.millis('LastAt').as('lastAt'),
    ]);
}

export function toParkedRow(row: ParkedRecord): ParkedRow {
  return {
    queue: row.QueueName,
    eventId: row.EventId,
    messageHash: row.MessageHash ?? '',
    cycle: row.Cycle,
    attempt: row.Attempt,
    state: PARKED_AS[row.State],
    parkedState: row.State as ParkedState,
    delayMs: 0,
    body: row.Body,
    props: decodeProps(row.Props),
    reason: row.Reason as ParkedRow['reason'],
    error: row.Error,
    engineKey: row.EngineKey,
    version: row.Version,
    ...(row.OrderKey === null ? {} : { orderKey: row.OrderKey }),
    dueAt: row.dueAt,
    firstAt: row.firstAt,
    lastAt: row.lastAt,
  };
}

const PARKED_AS: Readonly<Record<ParkedState, ParkingState>> = {
  waiting: 'waiting',
  behind: 'behind',
  dead: 'dead',
  replayed: 'dead',
  resolved: 'dead',
};

/** The part of a row that a later failure of the same attempt replaces. */
export function failureColumns(request: ParkRequest, dialect: SqlDialect) {
  return {
    State: sql<ParkedState>`${request.state}`,
    DueAt: dialect.fromNow(request.delayMs),
    Reason: sql<string>`${request.reason}`,
    Error: sql<string>`${request.error}`,
    ErrorGroup: sql<string | null>`${errorGroup(request.reason, request.error)}`,
    EngineKey: sql<string | null>`${request.engineKey}`,
    Version: sql<string | null>`${request.version}`,
    LastAt: dialect.fromNow(0),
    ClaimUntil: sql<null>`null`,
  };
}

/** A whole new row, as expressions for INSERT … SELECT. @param orderSeq its place in its key, if it has one. */
export function insertColumns(request: ParkRequest, orderSeq: number | null, dialect: SqlDialect) {
  return {
    QueueName: sql<string>`${request.queue}`,
    EventId: sql<string>`${request.eventId}`,
    Cycle: sql<number>`${request.cycle}`,
    Attempt: sql<number>`${request.attempt}`,
    MessageHash: sql<string | null>`${request.messageHash}`,
    Body: sql<Uint8Array>`${request.body}`,
    Props: sql<string>`${encodeProps(request.props)}`,
    FirstAt: dialect.fromNow(0),
    OrderKey: sql<string | null>`${request.orderKey ?? null}`,
    OrderSeq: sql<number | null>`${orderSeq}`,
    ...failureColumns(request, dialect),
  };
}

/** A condition on `mq_parked` in the making. */
export type ParkedExpression = ExpressionBuilder<SystemTables, 'mq_parked'>;

/** The row of a key. */
export function hasKey(eb: ParkedExpression, key: ParkedKey): Expression<SqlBool> {
  return eb.and([isOfEvent(eb, key), eb('Cycle', '=', key.cycle), eb('Attempt', '=', key.attempt)]);
}

/** The rows of one content of an event. */
export function isOfContent(eb: ParkedExpression, content: EventContent): Expression<SqlBool> {
  return eb.and([isOfEvent(eb, content), eb('MessageHash', '=', content.messageHash)]);
}

/** All rows of an event. */
export function isOfEvent(eb: ParkedExpression, key: EventKey): Expression<SqlBool> {
  return eb.and([eb('QueueName', '=', key.queue), eb('EventId', '=', key.eventId)]);
}
