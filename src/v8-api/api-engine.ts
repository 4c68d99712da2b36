/** V8.ApiEngine: running another engine of the tenant (v8-surface.md 5.1). */
import { parseEngineKey } from '../core/engine.ts';
import { AppError, orThrow } from '../core/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { type Call, hostCall, type MemberAnswer } from './host-call.ts';
import { checkTenant } from './own-tenant.ts';
import { refuseParam } from './param-rules.ts';
import { isBlank } from './param-values.ts';

export const API_ENGINE = { 'ApiEngine.Run': hostCall(run) } as const;

/**
 * Run(name), Run(name, param), Run({ApiEngineKey, …}): the callee's own value, whatever it is. A name is a key, an Id or
 * an `ApiAddress`; in the object form `ApiAddress` and `Id` count where there is no key.
 */
async function run(call: Call): Promise<MemberAnswer> {
  const [first, second] = call.args;
  const param = readParam(isJsonObject(first) ? first : second, call);
  const name = isJsonObject(first) ? NAMES.map((key) => first[key]).find((value) => !isBlank(value)) : first;
  if (isBlank(name)) throw new AppError('PARAM_MISSING', { field: 'ApiEngineKey' });
  const engineKey = readName(name);
  call.context.touch(engineKey);
  return call.context.runEngine(engineKey, param, call.joins);
}

const NAMES = ['ApiEngineKey', 'ApiAddress', 'Id'] as const;

const MAX_ADDRESS = 255;

/** @throws AppError ENGINE_KEY_INVALID. */
function readName(name: JsonValue | undefined): string {
  const text = typeof name === 'string' ? name.trim() : '';
  return text.startsWith('/') && text.length <= MAX_ADDRESS ? text : orThrow(parseEngineKey(name));
}

/** The callee's V8.Param. An OsClient in it must be the caller's own: the callee runs in the caller's tenant. */
function readParam(value: JsonValue | undefined, call: Call): JsonObject {
  if (isBlank(value)) return {};
  if (!isJsonObject(value)) return refuseParam('param', 'object', call.lang);
  checkTenant(value, call.context.tenant);
  return value;
}
