import type { EngineSource } from '../core/engine.ts';
import { AppError, coerceError, type ErrorCode, type ErrorRecord, type Lang } from '../core/errors.ts';
import type { DeadReason } from '../core/parked.ts';
import type { RunLimits } from '../core/run-limits.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import { judgeDelivery } from '../core/verdict.ts';
import type { EngineRunner, RunSlot } from '../ports/engine-runner.ts';
import type { OutboxRow } from '../ports/tenant-store.ts';
import { createHostCallSink, runStartOf } from './host-call-sink.ts';
import type { ReceivedMessage } from './received-message.ts';
import { type RunServices, RunTree } from './run-tree.ts';

/**
 * How one try at a message ended.
 *
 * - `done`: effects, inbox and outbox are committed.
 * - `failed`: rolled back; the binding's budget decides.
 * - `duplicate`, `torn`: the inbox decides.
 * - `transient`: rolled back through no fault of the message; worth another try in place.
 * - `later`: the store or the sandbox cannot serve now, or the commit's outcome is unknown.
 */
export type MessageOutcome =
  | { readonly kind: 'done'; readonly tree: RunTree; readonly version: string; readonly outbox: readonly OutboxRow[] }
  | {
      readonly kind: 'failed';
      readonly tree: RunTree | undefined;
      readonly version: string | null;
      readonly error: ErrorRecord;
      readonly deadReason: DeadReason | undefined;
    }
  | { readonly kind: 'duplicate' | 'torn' }
  | { readonly kind: 'transient' | 'later'; readonly error: AppError };

export interface RunMessageServices extends RunServices {
  readonly runner: EngineRunner;
  readonly limits: RunLimits;
  readonly lang: Lang;
  /** Aborted when the host drains: what has not begun is given back. */
  readonly draining: AbortSignal;
}

/** Runs a message once (delivery.md 3.1 steps 4 to 7). Rejects with store errors of the look-ups before the claim. */
export async function runMessage(services: RunMessageServices, message: ReceivedMessage): Promise<MessageOutcome> {
  const engine = await message.store.engines.find(message.binding.engineKey);
  const missing = missingEngine(message.binding.engineKey, engine);
  if (engine === undefined || missing !== undefined) {
    const error = missing ?? { code: 'ENGINE_MISSING', params: { engine: message.binding.engineKey } };
    return { kind: 'failed', tree: undefined, version: null, error, deadReason: 'engine-missing' };
  }
  // The lane comes before the database: whoever holds a writer can always go on (docs/decisions.md).
  const slot = await services.runner.acquire(message.store.tenant, { signal: services.draining });
  try {
    return await claimAndRun(services, message, engine, slot);
  } finally {
    slot.release();
  }
}

function missingEngine(engineKey: string, engine: EngineSource | undefined): ErrorRecord | undefined {
  if (engine === undefined) return { code: 'ENGINE_MISSING', params: { engine: engineKey } };
  return engine.enabled ? undefined : { code: 'ENGINE_DISABLED', params: { engine: engine.key } };
}

async function claimAndRun(
  services: RunMessageServices,
  message: ReceivedMessage,
  engine: EngineSource,
  slot: RunSlot,
): Promise<MessageOutcome> {
  const tree = new RunTree(services, {
    store: message.store,
    limits: limitsOf(services.limits, message),
    lang: services.lang,
    user: undefined,
    event: { ...message.key, traceParent: message.envelope.traceParent, traceState: message.envelope.traceState },
    alwaysJoin: message.binding.inbox,
  });
  if (message.binding.inbox) {
    const refused = await claimInbox(tree, message, engine);
    if (refused !== undefined) return refused;
  }
  const param = {
    OsClient: message.store.tenant,
    Message: message.envelope.param,
    EventId: message.key.eventId,
  };
  const start = runStartOf(tree, { engine, param, invokeType: 'Server' });
  const outcome = await slot.run(start, createHostCallSink(tree, engine.key, 1));
  await tree.end();
  return decide(tree, message, engine, outcome);
}

function limitsOf(limits: RunLimits, message: ReceivedMessage): RunLimits {
  const seconds = message.binding.timeoutSeconds;
  return seconds === undefined ? limits : { ...limits, wallMs: seconds * 1000 };
}

/** Step 4. @returns undefined when the row is ours. */
async function claimInbox(
  tree: RunTree,
  message: ReceivedMessage,
  engine: EngineSource,
): Promise<MessageOutcome | undefined> {
  try {
    const answer = await tree.transaction.claim({
      ...message.key,
      messageHash: message.messageHash,
      attempt: message.attempt,
      engineKey: engine.key,
      version: engine.version,
      runId: tree.runId,
    });
    if (answer === 'claimed') return undefined;
    await tree.transaction.rollback();
    return { kind: 'duplicate' };
  } catch (e) {
    await tree.transaction.rollback();
    const error = coerceError(e);
    return { kind: error.code === 'DB_TX_LOST' ? 'transient' : 'later', error };
  }
}

/** Step 6: one verdict decides commit, acknowledgement and outbox. */
async function decide(
  tree: RunTree,
  message: ReceivedMessage,
  engine: EngineSource,
  outcome: RunOutcome,
): Promise<MessageOutcome> {
  const doom = tree.transaction.doom;
  if (doom !== undefined) {
    await tree.transaction.rollback();
    return doom === 'DB_TORN' ? { kind: 'torn' } : { kind: 'transient', error: new AppError(doom, { reason: doom }) };
  }
  const verdict = judgeDelivery(outcome, { engineKey: engine.key, legacyAck: message.binding.legacyAck });
  if (verdict.kind === 'success') return commit(tree, message, engine);
  await tree.transaction.rollback();
  if (verdict.kind === 'unstarted') {
    return { kind: 'transient', error: new AppError(verdict.error.code, verdict.error.params) };
  }
  return { kind: 'failed', tree, version: engine.version, error: verdict.error, deadReason: verdict.deadReason };
}

/** Step 7: a lost answer to the commit is never counted, parked or acknowledged; the redelivery asks the inbox. */
const COMMIT_FAILURE: Readonly<Partial<Record<ErrorCode, 'torn' | 'transient' | 'later'>>> = {
  DB_TORN: 'torn',
  DB_TX_LOST: 'transient',
  DB_BUSY: 'transient',
};

async function commit(tree: RunTree, message: ReceivedMessage, engine: EngineSource): Promise<MessageOutcome> {
  const { attempt, cycle, delivery, key, binding } = message;
  try {
    const outbox = await tree.transaction.commit({
      claims: binding.inbox ? [{ ...key, resolveParked: attempt > 1 || cycle > 1 || delivery.redelivered }] : [],
    });
    return { kind: 'done', tree, version: engine.version, outbox };
  } catch (e) {
    const error = coerceError(e);
    const kind = COMMIT_FAILURE[error.code] ?? 'later';
    return kind === 'torn' ? { kind } : { kind, error };
  }
}
