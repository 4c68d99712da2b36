import { bigint, createTable, instant, int, key, longText, type TableShape, text } from '../table-definition.ts';
import type { Migration } from './migration.ts';

const EVENT_KEY = [key('QueueName', 255), key('EventId', 128)];

/** No Id column: a second unique key would let one event's claim block another's (delivery.md F8). */
const inbox: TableShape = {
  name: 'mq_inbox',
  columns: [
    key('TenantLower', 50),
    ...EVENT_KEY,
    key('Status', 4),
    key('MessageHash', 64),
    int('Attempt'),
    text('EngineKey', 50),
    text('Version', 12),
    text('RunId', 26),
    instant('DoneAt'),
  ],
  primaryKey: ['TenantLower', 'QueueName', 'EventId'],
  indexes: [{ columns: ['DoneAt'] }],
};

const outbox: TableShape = {
  name: 'mq_outbox',
  columns: [
    { name: 'Seq', type: { kind: 'serial' } },
    text('RunId', 26),
    int('Ordinal'),
    ...EVENT_KEY,
    { name: 'Body', type: { kind: 'blob' }, required: true },
    longText('Props'),
    instant('ClaimUntil'),
    int('Attempts', 0),
    text('State', 10),
    text('LastError', 500),
  ],
  indexes: [{ columns: ['ClaimUntil', 'Seq'] }],
};

const parked: TableShape = {
  name: 'mq_parked',
  columns: [
    ...EVENT_KEY,
    { ...int('Cycle'), required: true },
    { ...int('Attempt'), required: true },
    key('State', 10),
    instant('DueAt'),
    { name: 'Body', type: { kind: 'blob' }, required: true },
    longText('Props'),
    text('Reason', 40),
    longText('Error'),
    text('EngineKey', 50),
    text('Version', 12),
    instant('FirstAt'),
    instant('LastAt'),
    instant('ClaimUntil'),
  ],
  primaryKey: ['QueueName', 'EventId', 'Cycle', 'Attempt'],
  indexes: [{ columns: ['State', 'DueAt'] }],
};

const crash: TableShape = {
  name: 'mq_crash',
  columns: [...EVENT_KEY, int('Count', 0), instant('LastAt')],
  primaryKey: ['QueueName', 'EventId'],
};

const attempt: TableShape = {
  name: 'mq_attempt',
  columns: [
    { ...text('RunId', 26), required: true },
    ...EVENT_KEY,
    int('Attempt'),
    text('EngineKey', 50),
    text('Version', 12),
    bigint('StartedAt'),
    bigint('EndedAt'),
    text('Verdict', 20),
    text('Reason', 40),
    text('Msg', 1000),
    longText('HostCalls'),
  ],
  primaryKey: ['RunId'],
  indexes: [{ columns: ['EventId'] }, { columns: ['StartedAt'] }],
};

/** The host's own tables. */
export const deliveryTables: Migration = {
  version: 1,
  name: 'delivery-tables',
  async apply(db, dialect) {
    for (const shape of [inbox, outbox, parked, crash, attempt]) await createTable(db, dialect, shape);
  },
};
