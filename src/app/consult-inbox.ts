import type { DeadReason } from '../core/parked.ts';
import type { ReceivedMessage } from './received-message.ts';

/** What the committed state says about a message before it runs (delivery.md 3.1 step 3). */
export type InboxAnswer =
  | { readonly kind: 'run' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'dead'; readonly reason: DeadReason };

/** Reads the inbox outside any transaction: no claim, no lock. */
export async function consultInbox(message: ReceivedMessage): Promise<InboxAnswer> {
  const entry = await message.store.findInbox(message.key);
  if (entry === undefined) return { kind: 'run' };
  // A row that was committed without its guard means that something committed half of a run (F2).
  if (entry.status !== 'done') return { kind: 'dead', reason: 'torn-transaction' };
  if (entry.messageHash !== message.messageHash) return { kind: 'dead', reason: 'event-id-reused' };
  return { kind: 'duplicate' };
}
