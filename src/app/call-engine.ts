import type { EngineSource } from '../core/engine.ts';
import { parseEngineKey } from '../core/engine.ts';
import { AppError, coerceError, type Lang, orThrow } from '../core/errors.ts';
import { relocateOutcome } from '../core/global-code.ts';
import type { JsonValue } from '../core/json.ts';
import { isLimitCode } from '../core/limit-report.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import { judgeCall, type Verdict } from '../core/verdict.ts';
import type { EngineRunner } from '../ports/engine-runner.ts';
import type { RunUser } from '../ports/run-context.ts';
import type { OutboxRow, TenantStore } from '../ports/tenant-store.ts';
import { commitTraced } from './commit-traced.ts';
import { type EntryInput, runStartOf } from './engine-start.ts';
import { createHostCallSink } from './host-call-sink.ts';
import { journalRun } from './journal-run.ts';
import { loadEngine } from './load-engine.ts';
import { noteEnd } from './note-end.ts';
import type { OutboxRelay } from './relay-outbox.ts';
import { RunLocks } from './run-locks.ts';
import { isKilled } from './run-message.ts';
import { endRunSpan } from './run-spans.ts';
import { type RunServices, RunTree } from './run-tree.ts';
import { TransactionScope } from './transaction-scope.ts';

export interface CallServices extends RunServices {
  readonly runner: EngineRunner;
  readonly relay: Pick<OutboxRelay, 'dispatch'>;
  readonly draining: AbortSignal;
}

/** What an engine is called with. */
export interface CallInput {
  readonly param: JsonValue;
  readonly user: RunUser | undefined;
  readonly lang: Lang;
  /** The HTTP request that calls it, where one does. */
  readonly request?: EntryInput;
  /** Of whoever calls. */
  readonly trace?: TraceContext | undefined;
}

/** A call of an engine by its key, from the admin API or the command line. */
export interface EngineCall extends CallInput {
  readonly engineKey: string;
}

/**
 * Runs an engine for a caller who waits for its result. Its platform transaction, when the script opened one,
 * commits or rolls back by the result (v8-surface.md 5.4).
 * @returns the script's own result, whatever its Code; null when it returned nothing.
 * @throws AppError ENGINE_MISSING, ENGINE_DISABLED, ENGINE_KEY_INVALID, ENGINE_PAUSED, V8_EXECUTION_QUEUE_TIMEOUT,
 * ENGINE_LOCK_TIMEOUT, ENGINE_LOCK_LOST, DRAINING; how the run ended without a result (SCRIPT_*, V8_*, with the script's own stack); DB_* when its transaction did not commit.
 */
export async function callEngine(services: CallServices, store: TenantStore, call: EngineCall): Promise<JsonValue> {
  return callLoaded(services, store, call, await findEngine(services, store, call.engineKey));
}

/** The same for an engine that was found and may run. @throws AppError as `callEngine`. */
export async function callLoaded(
  services: CallServices,
  store: TenantStore,
  call: CallInput,
  engine: EngineSource,
): Promise<JsonValue> {
  services.pauses.admit(store.tenant, engine.key);
  const locks = new RunLocks(services, store.tenant);
  try {
    // Before the lane and the transaction: whoever waits for a lock holds nothing.
    await locks.enter(engine, call.param, { waitMs: services.limits.policy.queueWaitMs, signal: services.draining });
    return await runEngine(services, store, call, { engine, locks });
  } finally {
    await locks.releaseAll();
    services.pauses.forgo(store.tenant, engine.key);
  }
}

async function runEngine(
  services: CallServices,
  store: TenantStore,
  call: CallInput,
  { engine, locks }: { readonly engine: EngineSource; readonly locks: RunLocks },
): Promise<JsonValue> {
  const slot = await services.runner.acquire(store.tenant, {
    engine,
    ...services.limits.runsOf(store.tenant),
    mayFollow: locks.none,
    waitMs: services.limits.policy.queueWaitMs,
    signal: services.draining,
  });
  const runId = services.ids.ulid();
  const transaction = new TransactionScope(store, runId, services.outboxLimit, locks);
  const tree = new RunTree(services, {
    runId,
    transaction,
    locks,
    store,
    limits: services.limits.of(store, engine),
    lang: call.lang,
    user: call.user,
    event: undefined,
    trace: { engineKey: engine.key, version: engine.version, parent: call.trace },
    alwaysJoin: false,
  });
  let outcome: RunOutcome;
  try {
    const { param, request } = call;
    const invocation = { engine, param, invokeType: 'Client', ...(request === undefined ? {} : { request }) } as const;
    const start = runStartOf(tree, invocation);
    tree.begin();
    outcome = relocateOutcome(await slot.run(start, createHostCallSink(tree, [engine.key])), engine);
    noteEnd(tree, engine.key, outcome);
    endRunSpan(tree.span, outcome);
    if (isKilled(outcome)) await transaction.abort();
    await tree.end();
  } finally {
    slot.release();
  }
  return finishCall(services, { tree, transaction, engine }, outcome);
}

async function findEngine(services: CallServices, store: TenantStore, rawKey: string): Promise<EngineSource> {
  const key = orThrow(parseEngineKey(rawKey));
  const engine = await loadEngine(services, store, key);
  if (engine === undefined) throw new AppError('ENGINE_MISSING', { engine: key });
  if (!engine.enabled) throw new AppError('ENGINE_DISABLED', { engine: engine.key });
  return engine;
}

/** A call whose script has ended. */
interface EndedCall {
  readonly tree: RunTree;
  readonly transaction: TransactionScope;
  readonly engine: EngineSource;
}

async function finishCall(services: CallServices, call: EndedCall, outcome: RunOutcome): Promise<JsonValue> {
  const { tree, engine } = call;
  const verdict = judgeCall(outcome, engine.key);
  const failure = await endTransaction(services, call, verdict);
  const error = failure?.toRecord() ?? (verdict.kind === 'success' ? undefined : verdict.error);
  journalRun(tree, engine, error);
  if (failure !== undefined) throw failure;
  if (outcome.kind === 'returned') return JSON.parse(outcome.json) as JsonValue;
  if (verdict.kind === 'success') return null;
  const { code, params } = verdict.error;
  throw new AppError(code, isLimitCode(code) ? { ...params, engine: engine.key, runId: tree.runId } : params);
}

/** Commits or rolls back, and sends what was committed. @returns why a successful run could not commit. */
async function endTransaction(
  services: CallServices,
  { tree, transaction }: EndedCall,
  verdict: Verdict,
): Promise<AppError | undefined> {
  const doom = transaction.doom;
  if (verdict.kind !== 'success' || doom !== undefined) {
    await transaction.rollback();
    return doom === undefined || verdict.kind !== 'success' ? undefined : new AppError(doom, { reason: doom });
  }
  let rows: readonly OutboxRow[];
  try {
    rows = await commitTraced(tree, transaction, []);
  } catch (e) {
    return coerceError(e);
  }
  if (rows.length > 0) await services.relay.dispatch(tree.options.store, rows);
  return undefined;
}
