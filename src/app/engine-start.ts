import { liftContext } from '../core/context-lift.ts';
import type { EngineSource } from '../core/engine.ts';
import { composedVersion, composeSource } from '../core/global-code.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { scriptLimits } from '../core/script-limits.ts';
import type { RunStart, ScriptInput, TableEventInput } from '../protocol/messages.ts';
import type { RunTree } from './run-tree.ts';

/** A loaded engine with what it is called with. */
export interface EngineInvocation {
  readonly engine: EngineSource;
  readonly param: JsonValue;
  readonly invokeType: 'Client' | 'Server';
  /** The HTTP request that calls it. What a stranger sends is a parameter, and no part of the context. */
  readonly request?: EntryInput;
  /** Set where the engine is the code of a table's event. */
  readonly tableEvent?: TableEventInput;
}

/** Members of the context that come with a call over HTTP. */
export interface EntryInput {
  /** `V8.Header`. */
  readonly header: JsonObject;
  /** `V8.FilesByteBase64`. */
  readonly files: JsonObject;
}

/** What the lane needs to run an invocation of this tree. */
export function runStartOf(
  tree: RunTree,
  invocation: EngineInvocation,
  limits = tree.options.limits,
  depth = 1,
): RunStart {
  const { store, user, event } = tree.options;
  const { request } = invocation;
  const { param, eventName, mqtt } =
    request === undefined ? liftContext(invocation.param) : { param: invocation.param, eventName: '', mqtt: undefined };
  const input: ScriptInput = {
    Param: param,
    OsClient: store.tenant,
    CurrentUser: user === undefined ? {} : (user.current ?? { Id: user.id, Name: user.name }),
    EventName: eventName,
    ...(mqtt === undefined ? {} : { MQTT: mqtt }),
    ...(request === undefined ? {} : { Header: request.header, FilesByteBase64: request.files }),
    ApiEngineKey: invocation.engine.key,
    InvokeType: invocation.invokeType,
    Limits: scriptLimits(limits, depth, event !== undefined),
    ...(invocation.tableEvent === undefined ? {} : { TableEvent: invocation.tableEvent }),
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
