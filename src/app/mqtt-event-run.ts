import type { EngineSource } from '../core/engine.ts';
import { ERROR_TABLE } from '../core/error-table.ts';
import { AppError, coerceError, type ErrorRecord, type Lang } from '../core/errors.ts';
import { relocateOutcome } from '../core/global-code.ts';
import type { JsonObject } from '../core/json.ts';
import type { MqttEventName } from '../core/mqtt-event.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import { judgeCall } from '../core/verdict.ts';
import type { RunSlot } from '../ports/engine-runner.ts';
import type { InboxClaim, OutboxRow, TenantStore } from '../ports/tenant-store.ts';
import type { CallServices } from './call-engine.ts';
import { commitTraced } from './commit-traced.ts';
import { runStartOf } from './engine-start.ts';
import { createHostCallSink } from './host-call-sink.ts';
import { journalRun } from './journal-run.ts';
import type { LaneShares, SharedRun } from './lane-shares.ts';
import { loadEngine } from './load-engine.ts';
import { noteEnd } from './note-end.ts';
import { RunLocks } from './run-locks.ts';
import { isKilled } from './run-message.ts';
import { endRunSpan } from './run-spans.ts';
import { RunTree } from './run-tree.ts';
import { TransactionScope } from './transaction-scope.ts';

export interface MqttRunServices extends CallServices {
  readonly lang: Lang;
}

/** An event for a script. */
export interface MqttEvent {
  readonly engineKey: string;
  readonly name: MqttEventName;
  /** `V8.MQTT`. */
  readonly mqtt: JsonObject;
  /** Longest wait for a lane and the engine's lock. Milliseconds. */
  readonly waitMs: number;
  /** Of the message that it is about. */
  readonly trace?: TraceContext | undefined;
  /** Set for a message with an EventId of its own: it takes effect once. */
  readonly claim?: Pick<InboxClaim, 'queue' | 'eventId' | 'messageHash'>;
}

/** A script that has ended, its transaction still to be decided; or why it did not run. */
export type EventRun =
  | { readonly kind: 'ended'; readonly run: EndedEventRun }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'not-run'; readonly error: AppError };

export interface EndedEventRun {
  readonly tree: RunTree;
  readonly transaction: TransactionScope;
  readonly engine: EngineSource;
  readonly outcome: RunOutcome;
  readonly claim: MqttEvent['claim'];
}

/**
 * Runs the script of an event; everything it does joins one transaction. Never rejects.
 * @param shares where it may share a lane with others of its kind; it has one of its own without them.
 */
export async function runMqttEvent(
  services: MqttRunServices,
  store: TenantStore,
  event: MqttEvent,
  shares?: LaneShares,
): Promise<EventRun> {
  try {
    const engine = await loadEngine(services, store, event.engineKey);
    if (engine === undefined) throw new AppError('ENGINE_MISSING', { engine: event.engineKey });
    if (!engine.enabled) throw new AppError('ENGINE_DISABLED', { engine: engine.key });
    services.pauses.admit(store.tenant, engine.key);
    const locks = new RunLocks(services, store.tenant);
    let ended = false;
    try {
      const run = await runInLane(services, store, event, { engine, locks, shares });
      ended = run.kind === 'ended';
      return run;
    } finally {
      // The locks of a script that ran are freed with its transaction, which is still to be decided.
      if (!ended) await locks.releaseAll();
      services.pauses.forgo(store.tenant, engine.key);
    }
  } catch (e) {
    return { kind: 'not-run', error: coerceError(e) };
  }
}

interface LockedEngine {
  readonly engine: EngineSource;
  readonly locks: RunLocks;
}

async function runInLane(
  services: MqttRunServices,
  store: TenantStore,
  event: MqttEvent,
  { engine, locks, shares }: LockedEngine & { readonly shares: LaneShares | undefined },
): Promise<EventRun> {
  const until = services.clock.now() + event.waitMs;
  await locks.enter(engine, paramOf(store, event), { waitMs: event.waitMs, signal: services.draining });
  const waitMs = Math.max(1, until - services.clock.now());
  const request = { engine, waitMs, ...services.limits.runsOf(store.tenant) };
  // Whoever holds a lock, or the transaction of a claim, before its script begins waits for no other run.
  if (shares !== undefined && event.claim === undefined && engine.lock === undefined) {
    const run = openRun(services, store, event, { engine, locks });
    return endRun(run, await shares.run(store.tenant, request, run));
  }
  const slot = await services.runner.acquire(store.tenant, request);
  try {
    return await runInSlot(openRun(services, store, event, { engine, locks }), slot);
  } finally {
    slot.release();
  }
}

/** A run with all that its script needs. */
interface OpenRun extends SharedRun {
  readonly transaction: TransactionScope;
  readonly engine: EngineSource;
  readonly claim: MqttEvent['claim'];
}

function openRun(
  services: MqttRunServices,
  store: TenantStore,
  event: MqttEvent,
  { engine, locks }: LockedEngine,
): OpenRun {
  const runId = services.ids.ulid();
  const transaction = new TransactionScope(store, runId, services.outboxLimit, locks);
  const { claim } = event;
  const tree = new RunTree(services, {
    runId,
    transaction,
    locks,
    store,
    limits: services.limits.of(store, engine),
    lang: services.lang,
    user: undefined,
    event: claim,
    trace: { engineKey: engine.key, version: engine.version, parent: event.trace },
    alwaysJoin: true,
  });
  const start = runStartOf(tree, { engine, param: paramOf(store, event), invokeType: 'Server' });
  return { tree, transaction, engine, claim, start, calls: createHostCallSink(tree, [engine.key]) };
}

async function runInSlot(run: OpenRun, slot: RunSlot): Promise<EventRun> {
  const { claim, engine, tree, transaction } = run;
  if (claim !== undefined) {
    const row = { ...claim, attempt: 1, engineKey: engine.key, version: engine.version, runId: tree.runId };
    if (!(await claimOrRollBack(transaction, row))) return { kind: 'duplicate' };
  }
  tree.begin();
  return endRun(run, await slot.run(run.start, run.calls));
}

async function endRun({ tree, transaction, engine, claim }: OpenRun, result: RunOutcome): Promise<EventRun> {
  const outcome = relocateOutcome(result, engine);
  noteEnd(tree, engine.key, outcome);
  endRunSpan(tree.span, outcome);
  if (isKilled(outcome)) await transaction.abort();
  await tree.end();
  return { kind: 'ended', run: { tree, transaction, engine, outcome, claim } };
}

function paramOf(store: TenantStore, { name, mqtt }: MqttEvent): JsonObject {
  return { OsClient: store.tenant, EventName: name, MQTT: mqtt };
}

/** @returns false for an EventId that took effect already; nothing is left open then, nor when it throws. */
async function claimOrRollBack(transaction: TransactionScope, row: InboxClaim): Promise<boolean> {
  try {
    if ((await transaction.claim(row)) === 'claimed') return true;
  } catch (e) {
    await transaction.rollback();
    throw e;
  }
  await transaction.rollback();
  return false;
}

/** Commits, and sends what was committed. @throws AppError DB_*, after which nothing is committed or nobody knows. */
export async function commitEventRun(services: MqttRunServices, run: EndedEventRun): Promise<void> {
  const { transaction, tree, claim } = run;
  const claims = claim === undefined ? [] : [{ ...claim, resolveParked: false }];
  const rows: readonly OutboxRow[] = await commitTraced(tree, transaction, claims);
  if (rows.length > 0) await services.relay.dispatch(tree.options.store, rows);
}

/** Decides an event whose result forwards nothing: as a call, by the script's own Code (v8-surface.md 5.4). */
export async function settleEventRun(services: MqttRunServices, run: EndedEventRun): Promise<ErrorRecord | undefined> {
  const { transaction, outcome, engine } = run;
  const verdict = judgeCall(outcome, engine.key);
  let error = verdict.kind === 'success' ? databaseFault(run)?.toRecord() : verdict.error;
  if (error === undefined) {
    error = await commitEventRun(services, run).then(
      () => undefined,
      (e: unknown) => coerceError(e).toRecord(),
    );
  } else await transaction.rollback();
  journalEventRun(run, error);
  return error;
}

/** Why nothing of this run can commit: its database was away or took the transaction from it. */
export function databaseFault({ transaction, outcome }: EndedEventRun): AppError | undefined {
  if (isKilled(outcome)) return undefined;
  const { doom, openFailure } = transaction;
  return doom === undefined ? openFailure : new AppError(doom, { reason: doom });
}

/** The row that tells of a run: of one that failed, and of one with an EventId. */
export function journalEventRun({ tree, engine, claim }: EndedEventRun, error: ErrorRecord | undefined): void {
  if (error !== undefined || claim !== undefined) journalRun(tree, engine, error, claim);
}

/** True for what is not the script's fault: the host, its database or its queue. */
export function isHostFault(error: AppError): boolean {
  return ERROR_TABLE[error.code].retry === 'always' && error.code !== 'ENGINE_PAUSED';
}
