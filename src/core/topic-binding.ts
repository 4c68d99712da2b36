import { bilingual } from './bilingual.ts';
import { isEnabled } from './engine.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { type TopicScope, toTopicFilter } from './mqtt-topic.ts';
import { toLogicalQueue, toPhysicalQueue } from './queue-name.ts';

/** A binding of a topic in force: messages to these topics go into this queue. */
export interface TopicBinding {
  /** Canonical. */
  readonly filter: string;
  readonly queueName: string;
  /** Members on the way to the EventId in the payload, such as `head.id`; empty for none. */
  readonly eventIdPath: string;
}

/** A row of `mci_mqtt_binding` as the database gave it. */
export type TopicBindingRow = Readonly<Record<string, unknown>>;

/** What people set of a binding of a topic. A field left out (undefined) keeps its value. */
export interface TopicBindingDraft {
  /** In any form of the tenant's topics. */
  readonly filter?: string | undefined;
  /** Logical or physical name. */
  readonly queue?: string | undefined;
  /** Empty: the payload has no EventId. */
  readonly eventIdPath?: string | undefined;
  readonly enabled?: boolean | undefined;
}

/** Columns of `mci_mqtt_binding` with the values to write. */
export type TopicBindingColumns = Readonly<Record<string, string | number>>;

/** Bindings of a tenant that the broker looks at; each is compared with each message. */
export const MAX_TOPIC_BINDINGS = 500;

/** Every setting but filter and queue as a new binding has it. */
export const NEW_TOPIC_BINDING = Object.freeze({ eventIdPath: '', enabled: true } as const satisfies TopicBindingDraft);

/** The columns that a draft sets; `checkTopicBinding` checks their values. */
export function topicBindingColumns({ filter, queue, eventIdPath, enabled }: TopicBindingDraft): TopicBindingColumns {
  const columns: Record<string, string | number | undefined> = {
    TopicFilter: filter,
    QueueName: queue,
    EventIdPath: eventIdPath,
    IsEnable: enabled === undefined ? undefined : Number(enabled),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as TopicBindingColumns;
}

/** False for a row that somebody switched off. */
export function isTopicBindingEnabled(row: TopicBindingRow): boolean {
  return isEnabled(row.IsEnable);
}

/** The row as the broker takes it; undefined for one that is off, or has no filter of this tenant or no queue. */
export function topicBindingInForce(row: TopicBindingRow, scope: TopicScope): TopicBinding | undefined {
  const filter = toTopicFilter(cell(row, 'TopicFilter'), scope);
  const queueName = cell(row, 'QueueName');
  if (!filter.ok || queueName === '' || !isTopicBindingEnabled(row)) return undefined;
  return { filter: filter.value, queueName, eventIdPath: cell(row, 'EventIdPath') };
}

/**
 * Checks what a row says, whether it is on or off. The queue of the result has its logical name.
 * Refusals: TOPIC_* of the filter, QUEUE_* of the queue, PARAM_INVALID of the way to the EventId.
 */
export function checkTopicBinding(row: TopicBindingRow, scope: TopicScope): Parsed<TopicBinding> {
  const filter = toTopicFilter(cell(row, 'TopicFilter'), scope);
  if (!filter.ok) return filter;
  const queue = toPhysicalQueue(scope.tenant, cell(row, 'QueueName'));
  if (!queue.ok) return queue;
  const eventIdPath = cell(row, 'EventIdPath');
  if (!isMemberPath(eventIdPath)) return refuse('PARAM_INVALID', { field: 'eventIdPath', rule: MEMBER_PATH });
  return accept({ filter: filter.value, queueName: toLogicalQueue(queue.value), eventIdPath });
}

const MEMBER_PATH = bilingual(
  '字段名用 . 连接，例如 head.id；不以 $ 开头，不含 [ ] 和空的字段名',
  'names of members joined by dots, such as head.id, without a leading $, without [ ] and without an empty name',
);

const MEMBER = /^(?!\s)[^[\]\p{Cc}]+(?<!\s)$/u;

function isMemberPath(path: string): boolean {
  if (path === '') return true;
  const names = path.split('.');
  return names[0] !== '$' && names.every((name) => MEMBER.test(name));
}

function cell(row: TopicBindingRow, column: string): string {
  return String(row[column] ?? '').trim();
}
