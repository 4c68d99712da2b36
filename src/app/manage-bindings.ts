import { auditEntry, shownCell } from '../core/audit-entry.ts';
import { bilingual } from '../core/bilingual.ts';
import { type Binding, type BindingRow, isBindingEnabled, parseBinding } from '../core/binding.ts';
import { type BindingDraft, draftColumns, NEW_BINDING } from '../core/binding-draft.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import { AppError, orThrow } from '../core/errors.ts';
import { deadlineFindings, preflight } from '../core/preflight.ts';
import type { Queue } from '../ports/queue.ts';
import type { StoredBinding, TenantStore } from '../ports/tenant-store.ts';

export interface BindingChangeServices {
  readonly queue: Pick<Queue, 'inspect'>;
  /** How long the queue server lets a delivery stay unsettled; infinite where there is none. Milliseconds. */
  readonly consumerTimeoutMs: number;
  /** Called after a change, so that it holds at once. */
  readonly reconcile: () => Promise<void>;
}

/** In which store, and by whom. */
export interface BindingPlace {
  readonly store: TenantStore;
  readonly origin: ChangeOrigin;
}

/**
 * Binds a queue; what the draft leaves out has its default.
 * @throws AppError BINDING_INVALID, BINDING_EXISTS, ENGINE_MISSING, QUEUE_UNFIT; then nothing is stored.
 */
export async function addBinding(
  services: BindingChangeServices,
  { store, origin }: BindingPlace,
  draft: BindingDraft,
): Promise<StoredBinding> {
  const columns = draftColumns({ ...NEW_BINDING, ...draft });
  await checkBinding(services, store, columns, { id: '', isNewEngine: true });
  const target = String(columns.QueueName);
  const id = await store.bindings.add(columns, auditEntry(origin, 'binding.added', target, { after: columns }));
  await services.reconcile();
  return findBinding(store, id);
}

/**
 * Changes the settings that the draft names. Switching off is always possible, also of a row that cannot be bound.
 * @throws AppError NOT_FOUND, BINDING_PUSHED, and as `addBinding`; then nothing is stored.
 */
export async function changeBinding(
  services: BindingChangeServices,
  { store, origin }: BindingPlace,
  id: string,
  draft: BindingDraft,
): Promise<StoredBinding> {
  const stored = await findBinding(store, id);
  const columns = draftColumns(draft);
  const isSwitch = Object.keys(columns).every((column) => column === 'IsEnable');
  if (stored.isPushed && !isSwitch) throw new AppError('BINDING_PUSHED', { queue: nameOf(stored) });
  const row = { ...stored.row, ...columns };
  if (!isSwitch || isBindingEnabled(row)) {
    await checkBinding(services, store, row, { id, isNewEngine: draft.engineKey !== undefined });
  }
  const before = Object.fromEntries(Object.keys(columns).map((column) => [column, shownCell(stored.row[column])]));
  const audit = auditEntry(origin, 'binding.changed', nameOf(stored), { before, after: columns });
  await store.bindings.change(id, columns, audit);
  await services.reconcile();
  return findBinding(store, id);
}

/** Ends a binding; messages stay in its queue. @throws AppError NOT_FOUND. */
export async function removeBinding(
  { reconcile }: Pick<BindingChangeServices, 'reconcile'>,
  { store, origin }: BindingPlace,
  id: string,
): Promise<void> {
  const stored = await findBinding(store, id);
  const columns = Object.keys(draftColumns({ ...NEW_BINDING, queue: '', engineKey: '' }));
  const before = Object.fromEntries(columns.map((column) => [column, shownCell(stored.row[column])]));
  await store.bindings.remove(id, auditEntry(origin, 'binding.removed', nameOf(stored), { before }));
  await reconcile();
}

/** @throws AppError NOT_FOUND. */
async function findBinding(store: TenantStore, id: string): Promise<StoredBinding> {
  const found = (await store.bindings.list()).find((stored) => stored.id === id);
  if (found === undefined) throw new AppError('NOT_FOUND', { what: id });
  return found;
}

/** What the reconcile loop would refuse later is refused before it is stored. */
async function checkBinding(
  services: BindingChangeServices,
  store: TenantStore,
  row: BindingRow,
  { id, isNewEngine }: { id: string; isNewEngine: boolean },
): Promise<void> {
  const binding = orThrow(parseBinding(store.tenant, row));
  await refuseTaken(store, binding, id);
  if (isNewEngine && (await store.engines.find(binding.engineKey)) === undefined) {
    const rule = bilingual(`没有接口引擎 ${binding.engineKey}`, `there is no engine ${binding.engineKey}`);
    throw new AppError('BINDING_INVALID', { queue: binding.logicalQueue, field: 'ApiEngineKey', rule });
  }
  if (isBindingEnabled(row)) await refuseUnfit(services, store.tenant, binding);
}

/** Of two rows of one queue only one would be served. */
async function refuseTaken(store: TenantStore, { physicalQueue, logicalQueue }: Binding, id: string): Promise<void> {
  const others = (await store.bindings.list()).filter((stored) => stored.id !== id);
  const isTaken = others.some(({ binding }) => binding.ok && binding.value.physicalQueue === physicalQueue);
  if (isTaken) throw new AppError('BINDING_EXISTS', { queue: logicalQueue });
}

async function refuseUnfit(services: BindingChangeServices, tenant: string, binding: Binding): Promise<void> {
  // A server that is away is no fault of the binding: the reconcile loop asks again.
  const inspection = await services.queue.inspect(tenant, binding.physicalQueue).catch(() => undefined);
  const findings = [
    ...(inspection === undefined ? [] : preflight(binding, inspection)),
    ...deadlineFindings(binding, (binding.timeoutSeconds ?? 0) * 1000, services.consumerTimeoutMs),
  ];
  const refused = findings.find(({ kind }) => kind === 'refusal');
  if (refused !== undefined) throw new AppError(refused.error.code, refused.error.params);
}

function nameOf({ row }: StoredBinding): string {
  return String(row.QueueName ?? '');
}
