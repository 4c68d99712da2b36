import { bilingual } from '../core/bilingual.ts';
import { DEFAULT_ENGINE_CIRCUIT } from '../core/circuit-policies.ts';
import type { EngineSource } from '../core/engine.ts';
import { parseEngineKey } from '../core/engine.ts';
import { parseEngineHeader } from '../core/engine-header.ts';
import { NO_ENGINE_LIMITS } from '../core/engine-limits.ts';
import { AppError, describeError, type Lang, orThrow } from '../core/errors.ts';
import { relocateOutcome } from '../core/global-code.ts';
import type { JsonValue } from '../core/json.ts';
import { decideRetry } from '../core/retry.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import { moduleOf } from '../core/trusted-module.ts';
import { judgeDelivery, type Verdict } from '../core/verdict.ts';
import type { EngineRunner } from '../ports/engine-runner.ts';
import type { HostCallTrace } from '../ports/journal.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { CapturedEffects } from './captured-effects.ts';
import { CircuitBook } from './circuit-book.ts';
import { EnginePauses } from './engine-pauses.ts';
import { runStartOf } from './engine-start.ts';
import { createHostCallSink } from './host-call-sink.ts';
import { loadEngine, withTenantSettings } from './load-engine.ts';
import type { TableDiff } from './row-watch.ts';
import { NO_LOCKS } from './run-locks.ts';
import { isKilled } from './run-message.ts';
import { endRunSpan } from './run-spans.ts';
import { type RunServices, RunTree } from './run-tree.ts';
import { findTrialMessage, type TrialMessage, type TrialRequest } from './trial-message.ts';
import { TrialTransaction } from './trial-transaction.ts';

export interface TrialServices extends RunServices {
  readonly runner: EngineRunner;
  readonly draining: AbortSignal;
}

/** What a message would do if it ran now. Nothing of it was done. */
export interface TrialReport {
  readonly eventId: string;
  /** Physical name; empty when no queue was meant. */
  readonly queue: string;
  readonly engineKey: string;
  readonly version: string;
  /** What a delivery with this end becomes. `already-done`: the event is done, so it would not run at all. */
  readonly would: 'acknowledge' | 'retry' | 'dead' | 'run-again' | 'already-done';
  /** Why not `acknowledge`, for people; empty otherwise. */
  readonly reason: string;
  readonly reasonCode: string;
  /** What the script returned; undefined when it returned nothing or did not come so far. */
  readonly result: JsonValue | undefined;
  readonly durationMs: number;
  /** Rows before and after; undefined when the transaction was lost, so that nobody can tell. */
  readonly tables: readonly TableDiff[] | undefined;
  /** `message` is the JSON text of what would be sent. */
  readonly messages: readonly { readonly queue: string; readonly eventId: string; readonly message: string }[];
  readonly requests: CapturedEffects['requests'];
  readonly cacheWrites: CapturedEffects['cacheWrites'];
  readonly logs: CapturedEffects['logs'];
  readonly hostCalls: readonly HostCallTrace[];
}

/**
 * Runs the handler of a message in a transaction that is rolled back: sends and cache writes are kept instead of made,
 * requests are refused unless allowed, no inbox row is taken and no attempt counted.
 * @throws AppError as findTrialMessage, SCRIPT_SYNTAX (of a draft), REQUEST_INVALID (neither queue nor engine), NOT_FOUND (no such binding), ENGINE_MISSING, ENGINE_DISABLED, ENGINE_KEY_INVALID, DB_BUSY,
 * V8_EXECUTION_QUEUE_TIMEOUT, DRAINING.
 */
export async function tryMessage(
  services: TrialServices,
  store: TenantStore,
  request: TrialRequest,
  lang: Lang,
): Promise<TrialReport> {
  const message = await findTrialMessage(store, request, services.ids);
  const engine = await findTrialEngine(services, store, message, request);
  const slot = await services.runner.acquire(store.tenant, {
    engine,
    ...services.limits.runsOf(store.tenant),
    waitMs: services.limits.policy.queueWaitMs,
    signal: services.draining,
  });
  try {
    const effects = new CapturedEffects();
    const transaction = await TrialTransaction.open(store);
    try {
      const tree = trialTree(services, effects, transaction, { store, message, engine, request, lang });
      const outcome = await runScript(tree, engine, message, slot);
      const tables = isKilled(outcome) ? undefined : await transaction.diff();
      return await report({ tree, message, engine, outcome, tables, effects, transaction }, lang);
    } finally {
      await transaction.rollback();
    }
  } finally {
    slot.release();
  }
}

async function findTrialEngine(
  services: TrialServices,
  store: TenantStore,
  { binding, queue }: TrialMessage,
  { engineKey: wanted, source }: TrialRequest,
): Promise<EngineSource> {
  const key = wanted === undefined ? binding?.engineKey : orThrow(parseEngineKey(wanted));
  if (key === undefined && queue === '') {
    const rule = bilingual('须填写 queue 或 engineKey', 'give a queue or an engineKey');
    throw new AppError('REQUEST_INVALID', { field: 'body.queue', rule });
  }
  if (key === undefined) throw new AppError('NOT_FOUND', { what: `binding ${queue}` });
  const module = moduleOf(key);
  if (module !== undefined) throw new AppError('MODULE_REFUSED', { module, rule: NO_TRIAL });
  if (source !== undefined) return draftOf(services, store, key, source);
  const engine = await loadEngine(services, store, key);
  if (engine === undefined) throw new AppError('ENGINE_MISSING', { engine: key });
  if (!engine.enabled) throw new AppError('ENGINE_DISABLED', { engine: engine.key });
  return engine;
}

/** The engine as it would be when the draft were saved; it may be switched off. @throws AppError SCRIPT_SYNTAX. */
async function draftOf(
  services: TrialServices,
  store: TenantStore,
  key: string,
  source: string,
): Promise<EngineSource> {
  const compiled = await services.runner.compile(store.tenant, key, source);
  if (!compiled.ok) {
    const { line, column } = compiled.at;
    throw new AppError('SCRIPT_SYNTAX', { file: `${key}.js`, line, column, message: compiled.message });
  }
  const stored = await store.engines.find(key);
  const blank = { key, name: key, stopHttp: false, limits: NO_ENGINE_LIMITS };
  const version = services.ids.sha256Hex(source).slice(0, VERSION_LENGTH);
  return withTenantSettings(services, store, { ...blank, ...stored, source, version, enabled: true });
}

const VERSION_LENGTH = 12;

/** What a module does outside the transaction cannot be undone. */
const NO_TRIAL = bilingual('模块不能试运行', 'a module cannot be tried');

interface Trial {
  readonly store: TenantStore;
  readonly message: TrialMessage;
  readonly engine: EngineSource;
  readonly request: TrialRequest;
  readonly lang: Lang;
}

/** A tree whose services have no effects, and whose end pauses nobody. */
function trialTree(
  services: TrialServices,
  effects: CapturedEffects,
  transaction: TrialTransaction,
  { store, message, engine, request, lang }: Trial,
): RunTree {
  const { clock, ids } = services;
  const pauses = new EnginePauses(new CircuitBook(DEFAULT_ENGINE_CIRCUIT, { clock, onChange: () => {} }), clock);
  const quiet: RunServices = {
    ...services,
    pauses,
    http: effects.http(services.http, request.allowHttp),
    cache: effects.cache(services.cache),
    documents: effects.documents(services.documents, request.allowHttp),
    databases: effects.databases(services.databases),
  };
  const runId = ids.ulid();
  const { envelope, queue, binding } = message;
  return new RunTree(quiet, {
    runId,
    transaction,
    locks: NO_LOCKS,
    store: effects.store(store),
    limits: services.limits.of(store, engine, timeoutOf(request, engine, binding)),
    lang,
    user: undefined,
    // Allowed requests must not take the Idempotency-Key of the real run, which would then find them done.
    event: {
      queue: `${queue}~${runId}`,
      eventId: envelope.eventId,
    },
    // Its own: a trial did nothing that the message's trace could tell of.
    trace: { engineKey: engine.key, version: engine.version, parent: undefined },
    alwaysJoin: true,
  });
}

/** Seconds: what the draft itself asks for, as its binding would when it were saved; else what the binding has. */
function timeoutOf(
  { source }: TrialRequest,
  { key }: EngineSource,
  binding: TrialMessage['binding'],
): number | undefined {
  const header = source === undefined ? undefined : parseEngineHeader(`${key}.js`, source);
  return (header?.ok ? header.value.timeoutSeconds : undefined) ?? binding?.timeoutSeconds;
}

async function runScript(
  tree: RunTree,
  engine: EngineSource,
  { envelope }: TrialMessage,
  slot: Awaited<ReturnType<EngineRunner['acquire']>>,
): Promise<RunOutcome> {
  const param = { OsClient: tree.options.store.tenant, Message: envelope.param, EventId: envelope.eventId };
  const start = runStartOf(tree, { engine, param, invokeType: 'Server' });
  tree.begin();
  const outcome = relocateOutcome(await slot.run(start, createHostCallSink(tree, [engine.key])), engine);
  endRunSpan(tree.span, outcome);
  if (isKilled(outcome)) await tree.transaction.abort();
  await tree.end();
  return outcome;
}

interface EndedTrial {
  readonly tree: RunTree;
  readonly message: TrialMessage;
  readonly engine: EngineSource;
  readonly outcome: RunOutcome;
  readonly tables: readonly TableDiff[] | undefined;
  readonly effects: CapturedEffects;
  readonly transaction: TrialTransaction;
}

async function report(ended: EndedTrial, lang: Lang): Promise<TrialReport> {
  const { tree, message, engine, outcome, effects, transaction } = ended;
  const verdict = verdictOf(ended);
  return {
    eventId: message.envelope.eventId,
    queue: message.queue,
    engineKey: engine.key,
    version: engine.version,
    would: await fateOf(tree.options.store, message, verdict),
    reason: verdict.kind === 'success' ? '' : describeError(verdict.error, lang),
    reasonCode: verdict.kind === 'success' ? '' : verdict.error.code,
    result: outcome.kind === 'returned' ? (JSON.parse(outcome.json) as JsonValue) : undefined,
    durationMs: tree.services.clock.now() - tree.startedAt,
    tables: ended.tables,
    messages: transaction.messages.map(({ queue, eventId, body }) => ({
      queue,
      eventId,
      message: new TextDecoder().decode(body),
    })),
    requests: effects.requests,
    cacheWrites: effects.cacheWrites,
    logs: effects.logs,
    hostCalls: tree.traces,
  };
}

/** A lost transaction overrules what the script says of itself, as in a delivery. */
function verdictOf({ transaction, outcome, engine, message }: EndedTrial): Verdict {
  const { doom } = transaction;
  if (doom !== undefined && !isKilled(outcome))
    return { kind: 'unstarted', error: { code: doom, params: { reason: doom } } };
  return judgeDelivery(outcome, { engineKey: engine.key, legacyAck: message.binding?.legacyAck ?? false });
}

async function fateOf(store: TenantStore, message: TrialMessage, verdict: Verdict): Promise<TrialReport['would']> {
  const { queue, envelope, binding } = message;
  const entry = queue === '' ? undefined : await store.findInbox({ queue, eventId: envelope.eventId });
  if (entry?.status === 'done') return 'already-done';
  if (verdict.kind === 'success') return 'acknowledge';
  if (verdict.kind === 'unstarted') return 'run-again';
  // A dead letter that is replayed begins with its whole budget again.
  if (binding === undefined) return 'dead';
  return decideRetry(binding, 1, 0, verdict.deadReason).act;
}
