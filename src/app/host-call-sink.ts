import { describeCallPath } from '../core/call-cycle.ts';
import { liftContext } from '../core/context-lift.ts';
import { fail } from '../core/dos-result.ts';
import type { EngineSource } from '../core/engine.ts';
import { AppError, coerceError, orThrow } from '../core/errors.ts';
import { composedVersion, composeSource, relocateOutcome } from '../core/global-code.ts';
import type { JsonValue } from '../core/json.ts';
import { parseJson } from '../core/json-text.ts';
import { nestedLimits } from '../core/limit-policy.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import { scriptLimits } from '../core/script-limits.ts';
import type { HostCallAnswer, HostCallSink } from '../ports/engine-runner.ts';
import type { HostCallName } from '../protocol/host-call-names.ts';
import type { ConsoleLevel, RunStart, ScriptInput } from '../protocol/messages.ts';
import { HOST_CALLS } from '../v8-api/host-calls.ts';
import { loadEngine } from './load-engine.ts';
import { NestedTime } from './nested-time.ts';
import { noteEnd } from './note-end.ts';
import { outcomeToResult } from './outcome-result.ts';
import { EngineRunContext } from './run-context.ts';
import type { RunTree } from './run-tree.ts';

/** A loaded engine with what it is called with. */
export interface EngineInvocation {
  readonly engine: EngineSource;
  readonly param: JsonValue;
  readonly invokeType: 'Client' | 'Server';
}

/** What the lane needs to run an invocation of this tree. */
export function runStartOf(
  tree: RunTree,
  invocation: EngineInvocation,
  limits = tree.options.limits,
  depth = 1,
): RunStart {
  const { store, user, event } = tree.options;
  const { param, eventName, mqtt } = liftContext(invocation.param);
  const input: ScriptInput = {
    Param: param,
    OsClient: store.tenant,
    CurrentUser: user === undefined ? {} : { Id: user.id, Name: user.name },
    EventName: eventName,
    ...(mqtt === undefined ? {} : { MQTT: mqtt }),
    ApiEngineKey: invocation.engine.key,
    InvokeType: invocation.invokeType,
    Limits: scriptLimits(limits, depth, event !== undefined),
  };
  return {
    tenant: store.tenant,
    engineKey: invocation.engine.key,
    version: composedVersion(invocation.engine),
    source: composeSource(invocation.engine),
    limits,
    inputJson: JSON.stringify(input),
  };
}

/**
 * The host side of one engine's run: answers its host calls from the table, times them for the story, and never
 * rejects. A doomed run is answered with the reason and nothing else (F1).
 * @param callPath engine keys from the root to this one.
 * @param time of a nested engine; the root has its run's.
 */
export function createHostCallSink(tree: RunTree, callPath: readonly string[], time?: NestedTime): HostCallSink {
  const makeContext = (): EngineRunContext =>
    new EngineRunContext(tree, callPath, (key, param) => startNested(tree, key, param, callPath), time);
  const context = makeContext();
  return {
    // Async calls are under way side by side: each has a context of its own, which notes what it touches.
    call: (name, argsJson) => tree.track(() => answerCall(tree, makeContext(), name, argsJson)),
    log: (level: ConsoleLevel, line: string) => context.console(level, line),
    warn: (text: string) => context.console('warn', text),
    ...(time === undefined ? {} : { end: () => time.end() }),
  };
}

async function answerCall(
  tree: RunTree,
  context: EngineRunContext,
  name: string,
  argsJson: string,
): Promise<HostCallAnswer> {
  const startedAt = tree.services.clock.now();
  const { answer, code } = await performCall(tree, context, name, argsJson);
  tree.addTrace({
    name,
    durationMs: tree.services.clock.now() - startedAt,
    code,
    ...targetOf(context),
  });
  return answer;
}

/** `code` is that of a result, null for bare values and for engines that have not run yet. */
async function performCall(
  tree: RunTree,
  context: EngineRunContext,
  name: string,
  argsJson: string,
): Promise<{ readonly answer: HostCallAnswer; readonly code: number | null }> {
  try {
    const doom = tree.transaction.doom;
    if (doom !== undefined) throw new AppError(doom === 'DB_UNAVAILABLE' ? 'DB_TX_LOST' : doom);
    if (!Object.hasOwn(HOST_CALLS, name)) throw new AppError('NOT_FOUND', { what: `V8.${name}` });
    await keepToRate(tree, context);
    const args = orThrow(parseJson(argsJson));
    const result = await HOST_CALLS[name as HostCallName](context, Array.isArray(args) ? args : []);
    if (isAnswer(result)) return { answer: result, code: null };
    return { answer: replyWithin(tree, JSON.stringify(result ?? null)), code: codeOf(result) };
  } catch (e) {
    const error = coerceError(e);
    if (error.code === 'INTERNAL')
      tree.services.log.error('task.failed', { runId: tree.runId, call: name, err: error });
    const place = tree.placeOf(context.callPath);
    const failure = fail(error.toRecord(), context.lang, null, place);
    return { answer: reply(JSON.stringify(failure)), code: failure.Code };
  }
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
  callers: readonly string[],
): Promise<HostCallAnswer> {
  const limit = tree.options.limits.nesting;
  if (callers.length >= limit) {
    throw new AppError('V8_NESTED_DEPTH_LIMIT', { limit, path: describeCallPath([...callers, engineKey]) });
  }
  const engine = await loadEngine(tree.services, tree.options.store, engineKey);
  if (engine === undefined) throw new AppError('ENGINE_MISSING', { engine: engineKey });
  if (!engine.enabled) throw new AppError('ENGINE_DISABLED', { engine: engine.key });
  const { pauses } = tree.services;
  const { tenant } = tree.options.store;
  // An engine that runs itself has its turn already.
  if (!callers.includes(engine.key)) pauses.admit(tenant, engine.key);
  const callPath = [...callers, engine.key];
  const limits = nestedLimits(tree.services.limits.of(tree.options.store, engine), engine.limits, tree.options.limits);
  return {
    kind: 'nested',
    run: runStartOf(tree, { engine, param, invokeType: 'Server' }, limits, callPath.length),
    calls: createHostCallSink(tree, callPath, new NestedTime(tree.services.clock, limits.wallMs)),
    finish: async (ended: RunOutcome) => {
      const outcome = relocateOutcome(ended, engine);
      noteEnd(tree, engine.key, outcome);
      pauses.forgo(tenant, engine.key);
      return JSON.stringify(outcomeToResult(outcome, engine.key, tree.options.lang, tree.placeOf(callPath)));
    },
  };
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
