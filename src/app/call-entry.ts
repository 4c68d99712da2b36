import type { Caller } from '../core/access.ts';
import type { RouteMatch } from '../core/api-route.ts';
import type { EngineSource } from '../core/engine.ts';
import { parseEngineKey } from '../core/engine.ts';
import { type EngineEntry, PLAIN_ENTRY } from '../core/engine-entry.ts';
import { type EntryAnswer, entryAnswer } from '../core/entry-answer.ts';
import { type EntrySources, entryParam, entryValue } from '../core/entry-param.ts';
import type { EntryTarget } from '../core/entry-path.ts';
import { type EntryUser, entryRefusal } from '../core/entry-user.ts';
import { AppError, coerceError, describeError, type Lang } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { type CallServices, callLoaded } from './call-engine.ts';
import type { EngineAddresses } from './engine-addresses.ts';
import type { EntryInput } from './engine-start.ts';
import type { EntryRates } from './entry-rates.ts';
import { admitToTables, formParam, formTwin } from './form-twins.ts';
import { loadEngine } from './load-engine.ts';

export interface EntryServices extends CallServices {
  readonly addresses: EngineAddresses;
  readonly entryRates: EntryRates;
}

/** A request from outside for a tenant's engine (v8-surface.md 8.3), read but not yet judged. */
export interface EntryCall {
  readonly target: EntryTarget;
  readonly sources: EntrySources;
  readonly request: EntryInput;
  /** Whoever is logged in at this tenant, with what they may do and what scripts read of them. */
  readonly login: { readonly caller: Caller; readonly user: EntryUser } | undefined;
  /** Network address, for the rate of callers who are not logged in. */
  readonly remote: string;
  readonly deviceId: string | undefined;
  /** The body was JSON. */
  readonly jsonRequest: boolean;
  readonly lang: Lang;
  /** Of the request. */
  readonly trace?: TraceContext | undefined;
}

/** Longest text of a request or an answer in `sys_log`. Characters. */
const MAX_LOGGED = 20_000;

/**
 * Lets a caller from outside run an engine of the tenant, by the same way as every other run, and decides what goes
 * back. @throws AppError ENTRY_*, ENGINE_*, and as `callEngine`.
 */
export async function callEntry(services: EntryServices, store: TenantStore, call: EntryCall): Promise<EntryAnswer> {
  await services.entryRates.take(store.tenant, call.login?.user.id ?? call.remote, services.draining);
  const { target } = call;
  if (target.kind === 'form-anonymous') throw new AppError('ENTRY_FORM_ANONYMOUS');
  if (target.kind === 'form') {
    admitToTables(call.login?.caller, target.method);
    const param = formParam({ ...target, sources: call.sources });
    return answer(call, PLAIN_ENTRY, await callLoaded(services, store, inputOf(call, param), formTwin(target.method)));
  }
  const { engine, params } = await openTarget(services, store, call);
  const entry = engine.entry ?? PLAIN_ENTRY;
  const address = target.kind === 'engine' ? target.address : '/api/ApiEngine/Run';
  const param = entryParam(
    { ...call.sources, path: params },
    {
      tenant: store.tenant,
      engineKey: engine.key,
      address,
      currentUser: call.login?.user.current,
      deviceId: call.deviceId,
    },
  );
  const run = callLoaded(services, store, inputOf(call, param), engine);
  const result = entry.logged ? await logCall(store, { engine, address, param, lang: call.lang }, run) : await run;
  return answer(call, entry, result);
}

function inputOf({ request, login, lang, trace }: EntryCall, param: JsonObject) {
  const user = login === undefined ? undefined : login.user;
  return { param, user, lang, request, trace };
}

function answer({ jsonRequest }: EntryCall, { mode }: EngineEntry, result: JsonValue): EntryAnswer {
  return entryAnswer(result, { mode, jsonRequest });
}

/**
 * The engine that a request names and may call. To somebody without a login a missing one and one that is not open to
 * all are the same, and the same as a tenant that there is not.
 * @throws AppError as `findTarget` and `admit`; ENTRY_LOGIN, whose cause tells that the engine is missing.
 */
async function openTarget(services: EntryServices, store: TenantStore, call: EntryCall) {
  const found = await findTarget(services, store, call).catch((thrown: unknown) => {
    const isHidden = call.login === undefined && thrown instanceof AppError && thrown.code === 'ENGINE_MISSING';
    throw isHidden ? new AppError('ENTRY_LOGIN', {}, { cause: thrown }) : thrown;
  });
  admit(found.engine, found.engine.entry ?? PLAIN_ENTRY, call);
  return found;
}

/** The engine that a request names, whether it may be called or not. @throws AppError ENGINE_MISSING, ENGINE_KEY_INVALID. */
async function findTarget(
  services: EntryServices,
  store: TenantStore,
  { target, sources }: EntryCall,
): Promise<{ readonly engine: EngineSource; readonly params: RouteMatch['params'] }> {
  const named = target.kind === 'engine' ? target.key : textOf(entryValue(sources, 'ApiEngineKey'));
  const byKey = named === undefined ? undefined : await findByKey(services, store, named);
  if (byKey !== undefined) return { engine: byKey, params: {} };
  const address = target.kind === 'engine' ? target.address : textOf(entryValue(sources, 'ApiAddress'));
  const found = address === undefined ? undefined : await services.addresses.find(store, address);
  const engine = found === undefined ? undefined : await loadEngine(services, store, found.key);
  if (found !== undefined && engine !== undefined) return { engine, params: found.params };
  throw new AppError('ENGINE_MISSING', { engine: (named ?? address ?? 'ApiEngineKey').slice(0, 200) });
}

async function findByKey(services: EntryServices, store: TenantStore, name: string): Promise<EngineSource | undefined> {
  const key = parseEngineKey(name);
  return key.ok ? loadEngine(services, store, key.value) : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** @throws AppError ENGINE_DISABLED, ENTRY_STOPPED, ENTRY_LOGIN, ENTRY_ROLE, ENTRY_QUERY_ONLY, SCOPE_DENIED. */
function admit(engine: EngineSource, entry: EngineEntry, { login }: EntryCall): void {
  if (login === undefined && !entry.allowAnonymous) throw new AppError('ENTRY_LOGIN');
  if (!engine.enabled) throw new AppError('ENGINE_DISABLED', { engine: engine.key });
  if (engine.stopHttp) throw new AppError('ENTRY_STOPPED', { engine: engine.key });
  const refusal = entryRefusal(entry, engine.key, login?.user);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.params);
  const caller = entry.allowAnonymous ? undefined : login?.caller;
  const scopes = caller?.kind === 'tenant' ? caller.scopes : undefined;
  if (scopes?.includes('engine.run') === false) throw new AppError('SCOPE_DENIED', { permission: 'engine.run' });
}

/** Writes request and answer into the tenant's own `sys_log`, as `EnableLog` of the engine asks. */
async function logCall(
  store: TenantStore,
  call: {
    readonly engine: EngineSource;
    readonly address: string;
    readonly param: JsonObject;
    readonly lang: Lang;
  },
  run: Promise<JsonValue>,
): Promise<JsonValue> {
  const note = (content: string, level: 1 | 3): void =>
    store.journal.sysLog({
      type: 'ApiEngine',
      title: call.engine.key,
      content: content.slice(0, MAX_LOGGED),
      api: call.address,
      param: JSON.stringify(call.param).slice(0, MAX_LOGGED),
      level,
      eventId: '',
      runId: '',
    });
  try {
    const result = await run;
    note(JSON.stringify(result), 1);
    return result;
  } catch (thrown) {
    note(describeError(coerceError(thrown).toRecord(), call.lang), 3);
    throw thrown;
  }
}
