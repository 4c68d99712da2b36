import type { EngineSource } from '../core/engine.ts';
import { AppError, coerceError, type ErrorCode, type ErrorRecord, type Lang } from '../core/errors.ts';
import { relocateOutcome } from '../core/global-code.ts';
import type { JsonObject } from '../core/json.ts';
import type { DeadReason } from '../core/parked.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import { moduleOf } from '../core/trusted-module.ts';
import { judgeDelivery } from '../core/verdict.ts';
import type { EngineRunner, RunSlot, SlotRun } from '../ports/engine-runner.ts';
import type { Doom, FinishedClaim, InboxClaim, OutboxRow } from '../ports/tenant-store.ts';
import type { TrustedModules } from '../ports/trusted-modules.ts';
import { commitTraced } from './commit-traced.ts';
import type { CrashCount } from './crash-count.ts';
import { runStartOf } from './engine-start.ts';
import { createHostCallSink } from './host-call-sink.ts';
import { loadEngine } from './load-engine.ts';
import { noteEnd } from './note-end.ts';
import { isRepeated, type ReceivedMessage } from './received-message.ts';
import { type EngineLocks, RunLocks } from './run-locks.ts';
import { endRunSpan } from './run-spans.ts';
import { type RunServices, RunTree } from './run-tree.ts';
import { type RunTransaction, TransactionScope } from './transaction-scope.ts';

/**
 * How one try at a message ended.
 *
 * - `done`: effects, inbox and outbox are committed.
 * - `failed`: rolled back; the binding's budget decides.
 * - `duplicate`, `torn`: the inbox decides.
 * - `too-dangerous`: the host died of it too often to run it again.
 * - `transient`: rolled back through no fault of the message; worth another try in place.
 * - `later`: the store or the sandbox cannot serve now, or the commit's outcome is unknown.
 */
export type MessageOutcome =
  | { readonly kind: 'done'; readonly tree: RunTree; readonly version: string; readonly outbox: readonly OutboxRow[] }
  | FailedRun
  | { readonly kind: 'duplicate' | 'torn' | 'too-dangerous' }
  | { readonly kind: 'transient' | 'later'; readonly error: AppError };

/** A try that counts as an attempt. */
export interface FailedRun {
  readonly kind: 'failed';
  /** Absent when there was no engine to run. */
  readonly tree: RunTree | undefined;
  readonly version: string | null;
  readonly error: ErrorRecord;
  readonly deadReason: DeadReason | undefined;
}

export interface RunMessageServices extends RunServices {
  readonly runner: EngineRunner;
  readonly lang: Lang;
  /** Aborted when the host drains: what has not begun is given back. */
  readonly draining: AbortSignal;
}

/**
 * Runs a message once (delivery.md 3.1 steps 4 to 7). Rejects with ENGINE_PAUSED, ENGINE_LOCK_TIMEOUT and
 * CACHE_UNAVAILABLE (the engine's lock was not to be had), and with store errors of the look-ups before the claim.
 */
export async function runMessage(
  services: RunMessageServices,
  message: ReceivedMessage,
  crashes: CrashCount,
): Promise<MessageOutcome> {
  const engine = await findEngine(services, message);
  if ('kind' in engine) return engine;
  const runId = services.ids.ulid();
  const { tenant } = message.store;
  const locks = new RunLocks(services, tenant);
  const transaction = new TransactionScope(message.store, runId, services.outboxLimit, locks);
  const tree = messageTree(services, { message, engine, runId, transaction, locks });
  const run: MessageRun = { services, message, engine, tree, transaction, crashes };
  services.pauses.admit(tenant, engine.key);
  try {
    // Before the claim: copies of the event on other hosts and other events of the scope wait holding nothing.
    const wait = { waitMs: services.limits.policy.queueWaitMs, signal: services.draining };
    await locks.enter(engine, messageParam(message), wait);
    // With one writer the lane comes first: whoever holds the writer can then always go on (docs/decisions.md).
    return await (message.store.singleWriter ? laneFirst(run) : claimFirst(run));
  } finally {
    await locks.releaseAll();
    services.pauses.forgo(tenant, engine.key);
  }
}

interface MessageRun {
  readonly services: RunMessageServices;
  readonly message: ReceivedMessage;
  readonly engine: EngineSource;
  readonly tree: RunTree;
  readonly transaction: TransactionScope;
  readonly crashes: CrashCount;
}

/** The binding's engine, or the failure that there is none to run. */
export async function findEngine(
  services: Pick<RunServices, 'engines' | 'settings' | 'modules'>,
  message: ReceivedMessage,
): Promise<EngineSource | FailedRun> {
  const key = message.binding.engineKey;
  const name = moduleOf(key);
  if (name !== undefined) return findModule(services.modules, key, name);
  const engine = await loadEngine(services, message.store, key);
  if (engine?.enabled === true) return engine;
  const code = engine === undefined ? 'ENGINE_MISSING' : 'ENGINE_DISABLED';
  const error = { code, params: { engine: key } } as const;
  return { kind: 'failed', tree: undefined, version: null, error, deadReason: 'engine-missing' };
}

/** Checked by the reconcile loop; a file that changed since is refused when it is loaded, or runs as it was pinned. */
function findModule(modules: TrustedModules, key: string, name: string): EngineSource | FailedRun {
  const version = modules.versionOf(name);
  if (version !== undefined)
    return { key, name, source: '', version, enabled: true, stopHttp: true, limits: { faults: [] } };
  const error = { code: 'ENGINE_MISSING', params: { engine: key } } as const;
  return { kind: 'failed', tree: undefined, version: null, error, deadReason: 'engine-missing' };
}

export interface MessageTreeParts {
  readonly message: ReceivedMessage;
  readonly engine: EngineSource;
  readonly runId: string;
  readonly transaction: RunTransaction;
  readonly locks: EngineLocks;
}

/** The run tree of a message over a transaction. */
export function messageTree(
  services: RunMessageServices,
  { message, engine, runId, transaction, locks }: MessageTreeParts,
): RunTree {
  return new RunTree(services, {
    runId,
    transaction,
    locks,
    store: message.store,
    limits: services.limits.of(message.store, engine, message.binding.timeoutSeconds),
    lang: services.lang,
    user: undefined,
    event: message.key,
    trace: { engineKey: engine.key, version: engine.version, parent: message.span },
    alwaysJoin: message.binding.inbox,
  });
}

async function laneFirst(run: MessageRun): Promise<MessageOutcome> {
  const slot = await acquireLane(run);
  try {
    // Counted outside the transaction, so before it: a rollback must not take the count away.
    if (!(await run.crashes.start())) return { kind: 'too-dangerous' };
    return (await claimInbox(run)) ?? (await runAndDecide(run, slot));
  } finally {
    slot.release();
  }
}

/** Copies of the event on other hosts wait at the insert, so a lane is taken only by the one that won. */
async function claimFirst(run: MessageRun): Promise<MessageOutcome> {
  const refused = await claimInbox(run);
  if (refused !== undefined) return refused;
  let slot: RunSlot | undefined;
  try {
    slot = await acquireLane(run);
    if (await run.crashes.start()) return await runAndDecide(run, slot);
    await run.transaction.rollback();
    return { kind: 'too-dangerous' };
  } catch (e) {
    await run.transaction.rollback();
    throw e;
  } finally {
    slot?.release();
  }
}

function acquireLane({ services, message, engine }: MessageRun): Promise<RunSlot> {
  return services.runner.acquire(message.store.tenant, {
    engine,
    ...services.limits.runsOf(message.store.tenant),
    signal: services.draining,
  });
}

/** Step 4. @returns undefined when the row is ours, or when the binding has no inbox. */
async function claimInbox({ message, engine, tree, transaction }: MessageRun): Promise<MessageOutcome | undefined> {
  if (!message.binding.inbox) return undefined;
  try {
    if ((await transaction.claim(claimOf(message, engine, tree.runId))) === 'claimed') return undefined;
    await transaction.rollback();
    return { kind: 'duplicate' };
  } catch (e) {
    await transaction.rollback();
    const error = coerceError(e);
    return { kind: error.code === 'DB_TX_LOST' ? 'transient' : 'later', error };
  }
}

/** The inbox row of a run. */
export function claimOf(message: ReceivedMessage, engine: EngineSource, runId: string): InboxClaim {
  const { key, messageHash, attempt } = message;
  return { ...key, messageHash, attempt, engineKey: engine.key, version: engine.version, runId };
}

/** How a script ended, and whether its transaction was lost while it ran. */
export interface EndedRun {
  readonly outcome: RunOutcome;
  readonly doom: Doom | undefined;
}

/** Ends under which a host call of the script may still be under way. */
const KILLED: ReadonlySet<RunOutcome['kind']> = new Set(['limit', 'crashed']);

/** True when the script did not end by itself. */
export function isKilled(outcome: RunOutcome): boolean {
  return KILLED.has(outcome.kind);
}

function messageParam({ store, envelope, key }: ReceivedMessage): JsonObject {
  return { OsClient: store.tenant, Message: envelope.param, EventId: key.eventId };
}

/** What a lane gets to run the script of a message. */
export function scriptOf(message: ReceivedMessage, engine: EngineSource, tree: RunTree): SlotRun {
  const start = runStartOf(tree, { engine, param: messageParam(message), invokeType: 'Server' });
  return { start, calls: createHostCallSink(tree, [engine.key]) };
}

/**
 * Ends a run whose script has ended; its host call under way has ended, too, when this resolves.
 * @param failureCounts false where the message runs again whatever it failed of, and is blamed for that run alone.
 */
export async function endRun(
  tree: RunTree,
  engine: EngineSource,
  result: RunOutcome,
  failureCounts = true,
): Promise<EndedRun> {
  const outcome = relocateOutcome(result, engine);
  if (failureCounts || outcome.kind === 'returned' || outcome.kind === 'nothing') noteEnd(tree, engine.key, outcome);
  endRunSpan(tree.span, outcome);
  // Read first: cutting the connection of a killed run dooms the transaction, which is no fault of the database.
  const { doom } = tree.transaction;
  if (isKilled(outcome)) await tree.transaction.abort();
  await tree.end();
  return { outcome, doom: doom ?? (isKilled(outcome) ? undefined : tree.transaction.doom) };
}

/** Step 6: one verdict decides commit, acknowledgement and outbox. */
async function runAndDecide(run: MessageRun, slot: RunSlot): Promise<MessageOutcome> {
  const { message, engine, tree, transaction } = run;
  tree.begin();
  const { start, calls } = scriptOf(message, engine, tree);
  const result = await slot.run(start, calls);
  const { outcome, doom } = await endRun(tree, engine, result);
  if (doom !== undefined) {
    await transaction.rollback();
    return doom === 'DB_TORN' ? { kind: 'torn' } : { kind: 'transient', error: new AppError(doom, { reason: doom }) };
  }
  const verdict = judgeDelivery(outcome, { engineKey: engine.key, legacyAck: message.binding.legacyAck });
  if (verdict.kind === 'success') return commit(run);
  await transaction.rollback();
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
  ENGINE_LOCK_LOST: 'transient',
};

async function commit({ message, engine, tree, transaction }: MessageRun): Promise<MessageOutcome> {
  try {
    const outbox = await commitTraced(tree, transaction, message.binding.inbox ? [finishedClaim(message)] : []);
    return { kind: 'done', tree, version: engine.version, outbox };
  } catch (e) {
    const error = coerceError(e);
    const kind = COMMIT_FAILURE[error.code] ?? 'later';
    return kind === 'torn' ? { kind } : { kind, error };
  }
}

/** The claim of a run that succeeded, with whether parked rows end with it. */
export function finishedClaim(message: ReceivedMessage): FinishedClaim {
  return { ...message.key, messageHash: message.messageHash, resolveParked: isRepeated(message) };
}
