import { describeCallPath } from '../core/call-cycle.ts';
import { type DosResult, fail } from '../core/dos-result.ts';
import type { EngineSource } from '../core/engine.ts';
import { NO_ENGINE_LIMITS } from '../core/engine-limits.ts';
import { AppError, coerceError } from '../core/errors.ts';
import { relocateOutcome } from '../core/global-code.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { nestedLimits } from '../core/limit-policy.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import type { HostCallAnswer, HostCallSink } from '../ports/engine-runner.ts';
import type { AfterTableEvent, TableEventCall, TableEventEnd, TableEventName } from '../ports/table-events.ts';
import type { Span } from '../ports/tracer.ts';
import { type EngineInvocation, runStartOf } from './engine-start.ts';
import { withTenantSettings } from './load-engine.ts';
import { noteEnd } from './note-end.ts';
import { outcomeToResult } from './outcome-result.ts';
import { endRunSpan } from './run-spans.ts';
import type { RunTree } from './run-tree.ts';

/** What `V8.EventName` says in each event. */
const EVENT_NAMES: Readonly<Record<TableEventName, string>> = {
  SubmitBeforeServerV8: 'FormSubmitBefore',
  SubmitAfterServerV8: 'FormSubmitAfter',
  ServerDataV8: 'DataFilter',
};

/** The host side of an event's run. @param wallMs its own time. */
export type MakeSink = (callPath: readonly string[], wallMs: number, span: Span) => HostCallSink;

/** The host call that an event belongs to. */
export interface EventCaller {
  /** Engine keys from the root on. */
  readonly callers: readonly string[];
  readonly span: Span;
}

/**
 * Runs an event inside the tree, as a nested engine runs: same transaction, same deadline, one level deeper.
 * @param then told how it ended; what it answers is the answer of the call.
 */
export async function startTableEvent(
  tree: RunTree,
  event: TableEventCall,
  { callers, span: caller }: EventCaller,
  then: AfterTableEvent,
  makeSink: MakeSink,
): Promise<HostCallAnswer> {
  const { services, options } = tree;
  const engine = await withTenantSettings(services, options.store, engineOf(tree, event));
  const limit = options.limits.nesting;
  const callPath = [...callers, engine.key];
  if (callers.length >= limit) {
    throw new AppError('V8_NESTED_DEPTH_LIMIT', { limit, path: describeCallPath(callPath) });
  }
  const own = nestedLimits(services.limits.of(options.store, engine), engine.limits, options.limits);
  // It gives back the rows that it was given.
  const limits = { ...own, resultBytes: own.replyBytes };
  const { once } = tree.transaction;
  const onceDepth = once.depth;
  const invocation: EngineInvocation = {
    engine,
    param: { ...event.param, EventName: EVENT_NAMES[event.name] },
    invokeType: 'Client',
    tableEvent: event.input,
  };
  const span = tree.startNested(engine.key, engine.version, caller);
  return {
    kind: 'nested',
    run: runStartOf(tree, invocation, limits, callPath.length),
    calls: makeSink(callPath, limits.wallMs, span),
    finish: async (ended: RunOutcome) => {
      const outcome = relocateOutcome(ended, engine);
      noteEnd(tree, engine.key, outcome);
      endRunSpan(span, outcome);
      await once.unwind(onceDepth).catch(() => undefined);
      const answer = await then(endOf(tree, outcome, callPath)).catch((e) =>
        fail(coerceError(e).toRecord(), options.lang),
      );
      return 'finish' in answer || 'json' in answer ? answer : JSON.stringify(answer);
    },
  };
}

function engineOf(tree: RunTree, { table, name, source }: TableEventCall): EngineSource {
  const key = `${table}.${name}`;
  const version = tree.services.ids.sha256Hex(source).slice(0, 12);
  return { key, name: key, source, version, enabled: true, stopHttp: true, limits: NO_ENGINE_LIMITS };
}

function endOf(tree: RunTree, outcome: RunOutcome, callPath: readonly string[]): TableEventEnd {
  const { lang } = tree.options;
  const value = outcomeToResult(outcome, callPath.at(-1) ?? '', lang, tree.placeOf(callPath));
  if (outcome.kind !== 'returned') return { ok: false, result: refusalOf(value) };
  const { Result: result, Form: form, Rows: rows, NotSaveField: unsaved } = isJsonObject(value) ? value : {};
  // An object means what it means at the end of an engine (v8-surface.md 5.4); everything else goes on.
  if (isJsonObject(result) && result.Code !== 1) return { ok: false, result: refusalOf(result) };
  return {
    ok: true,
    form: isJsonObject(form) ? form : {},
    rows: Array.isArray(rows) ? rows.map((row) => (isJsonObject(row) ? row : {})) : [],
    notSaveField: Array.isArray(unsaved) ? unsaved.filter((name) => typeof name === 'string') : [],
  };
}

/** The event's own result, whose Code is never taken for a success. */
function refusalOf(value: JsonValue): DosResult {
  const result: JsonObject = isJsonObject(value) ? value : {};
  const code = typeof result.Code === 'number' && result.Code !== 1 ? result.Code : 0;
  return { Data: null, Msg: null, ...result, Code: code } as DosResult;
}
