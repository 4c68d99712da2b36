import { auditEntry, shownCell } from '../core/audit-entry.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import { AppError, type ErrorRecord, orThrow } from '../core/errors.ts';
import type { TopicScope } from '../core/mqtt-topic.ts';
import {
  checkTopicBinding,
  isTopicBindingEnabled,
  MAX_TOPIC_BINDINGS,
  NEW_TOPIC_BINDING,
  type TopicBinding,
  type TopicBindingDraft,
  type TopicBindingRow,
  topicBindingColumns,
} from '../core/topic-binding.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { StoredTopicBinding } from '../ports/topic-bindings.ts';

/** In which store, whose topics, and by whom. */
export interface TopicBindingPlace {
  readonly store: TenantStore;
  readonly scope: TopicScope;
  readonly origin: ChangeOrigin;
  /** Called after a change, so that it holds at once where the broker is this host's. */
  readonly changed: () => void;
}

/** A row of `mci_mqtt_binding` and who handles what it hands over. */
export interface TopicBindingView {
  readonly id: string;
  /** Canonical; of a row with a refusal as it was written. */
  readonly filter: string;
  /** Logical name. */
  readonly queue: string;
  /** The engine to which the queue is bound; null while nobody handles it. */
  readonly engineKey: string | null;
  readonly eventIdPath: string;
  readonly enabled: boolean;
  /** Undefined for a row that is right. */
  readonly refusal: ErrorRecord | undefined;
}

/** Every row, the oldest first. */
export async function listTopicBindings({
  store,
  scope,
}: Pick<TopicBindingPlace, 'store' | 'scope'>): Promise<readonly TopicBindingView[]> {
  const handlers = await engineOfQueues(store);
  return (await store.topicBindings.list()).map((stored) => viewOf(stored, scope, handlers));
}

/**
 * Binds a topic to a queue; what the draft leaves out has its default.
 * @throws AppError TOPIC_*, QUEUE_*, PARAM_INVALID, COLUMN_MISSING; then nothing is stored.
 */
export async function addTopicBinding(place: TopicBindingPlace, draft: TopicBindingDraft): Promise<TopicBindingView> {
  const { store, scope, origin } = place;
  const columns = topicBindingColumns({ ...NEW_TOPIC_BINDING, ...draft });
  const binding = orThrow(checkTopicBinding(columns, scope));
  const others = await store.topicBindings.list();
  if (others.length >= MAX_TOPIC_BINDINGS) throw new AppError('TOPIC_BINDINGS_FULL', { limit: MAX_TOPIC_BINDINGS });
  refuseBound(others, binding, scope);
  const audit = auditEntry(origin, 'topic-binding.added', binding.filter, { after: columns });
  const id = await store.topicBindings.add(columns, audit);
  place.changed();
  return findView(place, id);
}

/**
 * Changes the settings that the draft names. Switching off is always possible, also of a row that is wrong.
 * @throws AppError NOT_FOUND, and as `addTopicBinding`; then nothing is stored.
 */
export async function changeTopicBinding(
  place: TopicBindingPlace,
  id: string,
  draft: TopicBindingDraft,
): Promise<TopicBindingView> {
  const { store, scope, origin } = place;
  const all = await store.topicBindings.list();
  const { row } = find(all, id);
  const columns = topicBindingColumns(draft);
  const changed = { ...row, ...columns };
  const isSwitchedOff = Object.keys(columns).every((name) => name === 'IsEnable') && !isTopicBindingEnabled(changed);
  if (!isSwitchedOff) {
    const others = all.filter((stored) => stored.id !== id);
    refuseBound(others, orThrow(checkTopicBinding(changed, scope)), scope);
  }
  const change = { before: cellsOf(row, Object.keys(columns)), after: columns };
  await store.topicBindings.change(
    id,
    columns,
    auditEntry(origin, 'topic-binding.changed', targetOf(row, scope), change),
  );
  place.changed();
  return findView(place, id);
}

/** Ends a binding: its messages go to the engine of the devices again. @throws AppError NOT_FOUND. */
export async function removeTopicBinding(place: TopicBindingPlace, id: string): Promise<void> {
  const { store, scope, origin } = place;
  const { row } = find(await store.topicBindings.list(), id);
  const before = cellsOf(row, ['TopicFilter', 'QueueName', 'EventIdPath', 'IsEnable']);
  const audit = auditEntry(origin, 'topic-binding.removed', targetOf(row, scope), { before });
  await store.topicBindings.remove(id, audit);
  place.changed();
}

function viewOf(
  { id, row }: StoredTopicBinding,
  scope: TopicScope,
  handlers: ReadonlyMap<string, string>,
): TopicBindingView {
  const checked = checkTopicBinding(row, scope);
  const written = { filter: text(row.TopicFilter), queueName: text(row.QueueName), eventIdPath: text(row.EventIdPath) };
  const { filter, queueName, eventIdPath } = checked.ok ? checked.value : written;
  return {
    id,
    filter,
    queue: queueName,
    engineKey: handlers.get(queueName) ?? null,
    eventIdPath,
    enabled: isTopicBindingEnabled(row),
    refusal: checked.ok ? undefined : checked.error,
  };
}

/** Engines by the logical names of the queues that are bound to them. */
async function engineOfQueues({ bindings }: TenantStore): Promise<ReadonlyMap<string, string>> {
  const inForce = (await bindings.readAll()).bindings;
  return new Map(inForce.map(({ logicalQueue, engineKey }) => [logicalQueue, engineKey]));
}

/** Of two rows with one filter the later one would never get a message. */
function refuseBound(others: readonly StoredTopicBinding[], { filter }: TopicBinding, scope: TopicScope): void {
  for (const { row } of others) {
    const other = checkTopicBinding(row, scope);
    if (other.ok && other.value.filter === filter) {
      throw new AppError('TOPIC_BOUND', { filter, queue: other.value.queueName });
    }
  }
}

async function findView(place: TopicBindingPlace, id: string): Promise<TopicBindingView> {
  const found = (await listTopicBindings(place)).find((view) => view.id === id);
  if (found === undefined) throw new AppError('NOT_FOUND', { what: id });
  return found;
}

/** @throws AppError NOT_FOUND. */
function find(all: readonly StoredTopicBinding[], id: string): StoredTopicBinding {
  const found = all.find((stored) => stored.id === id);
  if (found === undefined) throw new AppError('NOT_FOUND', { what: id });
  return found;
}

function targetOf(row: TopicBindingRow, scope: TopicScope): string {
  const checked = checkTopicBinding(row, scope);
  return checked.ok ? checked.value.filter : text(row.TopicFilter);
}

function cellsOf(row: TopicBindingRow, columns: readonly string[]): Record<string, string | number | null> {
  return Object.fromEntries(columns.map((column) => [column, shownCell(row[column])]));
}

function text(value: unknown): string {
  return String(value ?? '');
}
