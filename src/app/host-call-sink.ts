import { describeCallPath } from '../core/call-cycle.ts';
import { fail } from '../core/dos-result.ts';
import type { EngineSource } from '../core/engine.ts';
import { ERROR_TABLE } from '../core/error-table.ts';
import { AppError, coerceError, orThrow } from '../core/errors.ts';
import { relocateOutcome } from '../core/global-code.ts';
import type { JsonValue } from '../core/json.ts';
import { findTooMany } from '../core/json-scan.ts';
import { parseJson } from '../core/json-text.ts';
import { nestedLimits } from '../core/limit-policy.ts';
import { MAX_JSON_VALUES } from '../core/run-limits.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import type { HostCallAnswer, HostCallSink } from '../ports/engine-runner.ts';
import type { Span } from '../ports/tracer.ts';
import type { HostCallName } from '../protocol/host-call-names.ts';
import type { ConsoleLevel } from '../protocol/messages.ts';
import { HOST_CALLS } from '../v8-api/host-calls.ts';
import { runStartOf } from './engine-start.ts';
import { loadEngine } from './load-engine.ts';
import { NestedTime } from './nested-time.ts';
import { noteEnd } from './note-end.ts';
import { outcomeToResult } from './outcome-result.ts';
import { EngineRunContext, type StartInside } from './run-context.ts';
import { endCallSpan, endRunSpan, startCallSpan } from './run-spans.ts';
import type { RunTree } from './run-tree.ts';
import { startTableEvent } from './table-event.ts';

/**
 * The host side of one engine's run: answers its host calls from the table, times them for the story, and never
 * rejects. A doomed run is answered with the reason and nothing else (F1).
 * @param callPath engine keys from the root to this one.
 * @param nested time and span of a nested engine; the root has its run's.
 */
export function createHostCallSink(tree: RunTree, callPath: readonly string[], nested?: NestedRun): HostCallSink {
  const time = nested?.time;
  const start: StartInside = {
    engine: (key, param, caller) => startNested(tree, key, param, caller),
    event: (event, then, caller) =>
      startTableEvent(tree, event, { callers: callPath, span: caller.span }, then, (path, wallMs, span) =>
        createHostCallSink(tree, path, { time: new NestedTime(tree.services.clock, wallMs), span }),
      ),
  };
  const makeContext = (span: Span): EngineRunContext => new EngineRunContext(tree, { callPath, span }, start, time);
  const engineSpan = (): Span => nested?.span ?? tree.span;
  return {
    // Async calls are under way side by side: each has a context of its own, which notes what it touches.
    call: (name, argsJson) => {
      // A lane that was taken over may send any text as a name.
      const known = Object.hasOwn(HOST_CALLS, name) ? name : 'unknown';
      const span = startCallSpan(tree.services.tracer, engineSpan(), known);
      return tree.track(() => answerCall(tree, makeContext(span), { name, known, argsJson }));
    },
    log: (level: ConsoleLevel, line: string) => makeContext(engineSpan()).console(level, line),
    warn: (text: string) => makeContext(engineSpan()).console('warn', text),
    ...(time === undefined ? {} : { end: () => time.end() }),
  };
}

/** Time and span of an engine that another one runs. */
interface NestedRun {
  readonly time: NestedTime;
  readonly span: Span;
}

/** A host call as the lane sent it; `known` is its name, or `unknown`. */
interface SentCall {
  readonly name: string;
  readonly known: string;
  readonly argsJson: string;
}

async function answerCall(tree: RunTree, context: EngineRunContext, call: SentCall): Promise<HostCallAnswer> {
  const { name, known } = call;
  const { clock, metrics } = tree.services;
  const startedAt = clock.now();
  const { answer, code, error } = await performCall(tree, context, call);
  const durationMs = clock.now() - startedAt;
  metrics.hostCallAnswered(known, durationMs / 1000, code === 0);
  const trace = { name, durationMs, code, ...targetOf(context) };
  tree.addTrace(trace);
  endCallSpan(context.span, { store: tree.options.store, trace: { ...trace, name: known } }, error);
  return answer;
}

/** `code` is that of a result, null for bare values and for engines that have not run yet. */
async function performCall(
  tree: RunTree,
  context: EngineRunContext,
  { name, argsJson }: SentCall,
): Promise<{ readonly answer: HostCallAnswer; readonly code: number | null; readonly error?: string | undefined }> {
  try {
    const doom = tree.transaction.doom;
    if (doom !== undefined) throw new AppError(doom === 'DB_UNAVAILABLE' ? 'DB_TX_LOST' : doom);
    tree.options.locks.assertHeld();
    if (!Object.hasOwn(HOST_CALLS, name)) throw new AppError('NOT_FOUND', { what: `V8.${name}` });
    await keepToRate(tree, context);
    // The end of the run woke it: what the call would do then, nobody would undo or close.
    if (tree.hasEnded) throw new AppError('DB_TX_LOST');
    const args = readArguments(name, argsJson);
    const result = await HOST_CALLS[name as HostCallName](context, args);
    if (isAnswer(result)) return { answer: result, code: null };
    const code = codeOf(result);
    const answer = replyWithin(tree, JSON.stringify(result ?? null));
    return { answer, code, error: code === 0 ? reasonOf(result) : undefined };
  } catch (e) {
    const error = coerceError(e);
    if (error.code === 'INTERNAL')
      tree.services.log.error('task.failed', { runId: tree.runId, call: name, err: error });
    const place = tree.placeOf(context.callPath);
    const failure = fail(error.toRecord(), context.lang, null, place);
    return { answer: reply(JSON.stringify(failure)), code: failure.Code, error: error.code };
  }
}

/** Millions of tiny values fit into few bytes and hold up the whole host: they are counted before one is built. */
function readArguments(name: string, argsJson: string): readonly JsonValue[] {
  if (findTooMany(argsJson, MAX_JSON_VALUES) !== undefined) {
    throw new AppError('V8_TOO_MANY_VALUES', { what: `${name}()`, limit: MAX_JSON_VALUES });
  }
  const args = orThrow(parseJson(argsJson, MAX_JSON_VALUES));
  return Array.isArray(args) ? args : [];
}

/** A tenant that calls faster than it may is slowed, and its author told so once a run. */
async function keepToRate(tree: RunTree, context: EngineRunContext): Promise<void> {
  if (!(await tree.services.rates.take(context.tenant, tree)) || !tree.markSlowed()) return;
  tree.services.metrics.limitHit(context.tenant, 'V8_HOST_CALL_RATE');
  context.console(
    'warn',
    '平台调用过快，已按租户的速率放慢（limits.hostCallsPerSecond） / host calls were slowed to the rate of the tenant',
  );
}

function replyWithin(tree: RunTree, json: string): HostCallAnswer {
  const limit = tree.options.limits.replyBytes;
  if (json.length <= limit / 3) return reply(json);
  const size = new TextEncoder().encode(json).length;
  if (size > limit) throw new AppError('V8_RESULT_TOO_LARGE', { what: 'reply', size, limit });
  return reply(json);
}

function reply(json: string): HostCallAnswer {
  return { kind: 'reply', json };
}

/** Only ApiEngine.Run answers with a nested run; the marker is a function, which no JSON value has. */
function isAnswer(result: unknown): result is HostCallAnswer {
  return typeof result === 'object' && result !== null && 'finish' in result && typeof result.finish === 'function';
}

/** Runs an engine inside the tree: same transaction, same deadline, one level deeper (v8-surface.md 5.1). */
async function startNested(
  tree: RunTree,
  engineKey: string,
  param: JsonValue,
  caller: EngineRunContext,
): Promise<HostCallAnswer> {
  const callers = caller.callPath;
  const limit = tree.options.limits.nesting;
  if (callers.length >= limit) {
    throw new AppError('V8_NESTED_DEPTH_LIMIT', { limit, path: describeCallPath([...callers, engineKey]) });
  }
  const engine = await findNested(tree, engineKey);
  if (engine === undefined) throw new AppError('ENGINE_MISSING', { engine: engineKey });
  if (!engine.enabled) throw new AppError('ENGINE_DISABLED', { engine: engine.key });
  const { pauses } = tree.services;
  const { tenant } = tree.options.store;
  // An engine that runs itself has its turn already.
  if (!callers.includes(engine.key)) pauses.admit(tenant, engine.key);
  const waitMs = Math.min(tree.services.limits.policy.queueWaitMs, caller.remainingMs());
  try {
    await tree.options.locks.enter(engine, param, { waitMs, signal: caller.signal });
  } catch (e) {
    pauses.forgo(tenant, engine.key);
    throw e;
  }
  const callPath = [...callers, engine.key];
  const { once } = tree.transaction;
  const onceDepth = once.depth;
  const limits = nestedLimits(tree.services.limits.of(tree.options.store, engine), engine.limits, tree.options.limits);
  const span = tree.startNested(engine.key, engine.version, caller.span);
  return {
    kind: 'nested',
    run: runStartOf(tree, { engine, param, invokeType: 'Server' }, limits, callPath.length),
    calls: createHostCallSink(tree, callPath, { time: new NestedTime(tree.services.clock, limits.wallMs), span }),
    finish: async (ended: RunOutcome) => {
      const outcome = relocateOutcome(ended, engine);
      noteEnd(tree, engine.key, outcome);
      endRunSpan(span, outcome);
      pauses.forgo(tenant, engine.key);
      // A doomed transaction says so to the calls that follow.
      await once.unwind(onceDepth).catch(() => undefined);
      return JSON.stringify(outcomeToResult(outcome, engine.key, tree.options.lang, tree.placeOf(callPath)));
    },
  };
}

/** By key or Id, or by the path that a name with a slash is; parts of a route are for requests. */
async function findNested({ services, options }: RunTree, name: string): Promise<EngineSource | undefined> {
  const key = name.startsWith('/') ? (await services.addresses.find(options.store, name))?.key : name;
  return key === undefined ? undefined : loadEngine(services, options.store, key);
}

/** Why a result has the Code 0: its ReasonCode, where the host made it. */
function reasonOf(result: unknown): string {
  const reason = (result as { ReasonCode?: unknown } | null)?.ReasonCode;
  return typeof reason === 'string' && Object.hasOwn(ERROR_TABLE, reason) ? reason : '_OTHER';
}

/** The Code of a result, for the story of the event. */
function codeOf(result: unknown): number | null {
  if (typeof result !== 'object' || result === null || !('Code' in result)) return null;
  return typeof result.Code === 'number' ? result.Code : null;
}

function targetOf(context: EngineRunContext): { target: string } | Record<string, never> {
  const target = context.takeTarget();
  return target === undefined ? {} : { target };
}
