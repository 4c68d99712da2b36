import { auditEntry } from '../core/audit-entry.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import { AppError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { OutboxChoice, OutboxRowWhole } from '../ports/outbox-inspection.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { OutboxRelay } from './relay-outbox.ts';

/** Whose outbox, and who acts on it. */
export interface OutboxPlace {
  readonly store: TenantStore;
  readonly origin: ChangeOrigin;
}

/** @throws AppError NOT_FOUND: there is no such row, or it was sent meanwhile. */
export async function findOutboxRow({ outbox }: Pick<TenantStore, 'outbox'>, seq: number): Promise<OutboxRowWhole> {
  const row = await outbox.find(seq);
  if (row === undefined) throw new AppError('NOT_FOUND', { what: String(seq) });
  return row;
}

/** Sends failed rows again, at once. @returns how many. @throws AppError NOT_FOUND, OUTBOX_NOT_FAILED. */
export async function retryOutbox(
  { relay }: { readonly relay: Pick<OutboxRelay, 'sweep'> },
  place: OutboxPlace,
  choice: OutboxChoice,
): Promise<number> {
  const before = await aimAt(place, choice);
  const rows = await place.store.outbox.retry(choice);
  await note(place, 'outbox.retried', { before, rows });
  await relay.sweep(place.store, false);
  return rows;
}

/** Gives failed rows up: their messages are never sent. @returns how many. @throws AppError as `retryOutbox`. */
export async function discardOutbox(place: OutboxPlace, choice: OutboxChoice): Promise<number> {
  const before = await aimAt(place, choice);
  const rows = await place.store.outbox.discard(choice);
  await note(place, 'outbox.discarded', { before, rows });
  return rows;
}

/** What is chosen, for the log of changes: its message is not in it. */
async function aimAt({ store }: OutboxPlace, choice: OutboxChoice): Promise<JsonObject | undefined> {
  if (choice === 'all') return undefined;
  const { queue, eventId, state, attempts, lastError } = await findOutboxRow(store, choice.seq);
  if (state !== 'failed') throw new AppError('OUTBOX_NOT_FAILED', { seq: choice.seq });
  return { seq: choice.seq, queue, eventId, attempts, lastError };
}

function note(
  { store, origin }: OutboxPlace,
  action: string,
  { before, rows }: { readonly before: JsonObject | undefined; readonly rows: number },
): Promise<void> {
  const target = before === undefined ? '*' : String(before.eventId);
  const change = { ...(before === undefined ? {} : { before }), after: { rows } };
  return store.identity.audit.write(auditEntry(origin, action, target, change));
}
