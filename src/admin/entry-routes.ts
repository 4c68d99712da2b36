import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { EntryCall } from '../app/call-entry.ts';
import { FOR_OPERATORS } from '../app/identity-services.ts';
import { type EntrySources, entryValue } from '../core/entry-param.ts';
import { type EntryPath, type EntryTarget, readEntryPath } from '../core/entry-path.ts';
import { AppError, type Lang } from '../core/errors.ts';
import { addressesBeside, platformOperation } from '../core/platform-operation.ts';
import { parseTenantId } from '../core/tenant.ts';
import { BodyMemory } from './body-memory.ts';
import type { Callers } from './callers.ts';
import { type EntryBody, entryBodyText, notObject, readEntryBody, readFields } from './entry-body.ts';
import { type EntryToken, loginAt, readToken, scriptHeaders } from './entry-login.ts';
import { sendAnswer, sendRefusal } from './entry-reply.ts';
import { MAX_REQUEST_BYTES } from './error-answer.ts';
import { answerPlatform } from './platform-entry.ts';
import type { TraceOf } from './request-spans.ts';
import type { AdminServices } from './services.ts';
import { unknownRoute } from './unknown-route.ts';

export interface EntryParts {
  readonly services: AdminServices;
  readonly callers: Callers;
  langOf(request: FastifyRequest): Lang;
  readonly traceOf: TraceOf;
  /** Makes an AppError of whatever was thrown, and logs what an operator must act on. */
  judge(thrown: unknown, request: FastifyRequest): AppError;
}

const BODY_BOUNDS = { most: 16 * MAX_REQUEST_BYTES, perAddress: 4 * MAX_REQUEST_BYTES, perRequest: MAX_REQUEST_BYTES };

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * The entry for tenants' engines (v8-surface.md 8.3): `/apiengine/{key}`, `/api/ApiEngine/Run`, FormEngine's twins and
 * every address that an engine gives itself. It takes the paths that no route of the host has.
 */
export function addEngineEntry(server: FastifyInstance, parts: EntryParts): void {
  const memory = new BodyMemory(BODY_BOUNDS);
  const releases = new WeakMap<FastifyRequest, () => void>();
  const release = (request: FastifyRequest): void => {
    releases.get(request)?.();
    releases.delete(request);
  };
  server.register(async (entry) => {
    entry.removeAllContentTypeParsers();
    entry.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, bytes: Buffer) => bytes);
    entry.setErrorHandler((thrown, request, reply) => {
      sendRefusal(reply, parts.judge(thrown, request).toRecord(), parts.langOf(request));
    });
    entry.addHook('onRequest', async (request) => {
      releases.set(request, memory.take(request));
    });
    entry.addHook('onResponse', async (request) => release(request));
    entry.addHook('onRequestAbort', async (request) => release(request));
    entry.setNotFoundHandler((request, reply) => answer(parts, request, reply));
  });
}

async function answer(parts: EntryParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const path = readEntryPath(request.url.split('?', 1)[0] ?? '');
  if (path === undefined || !METHODS.has(request.method)) throw unknownRoute(request);
  const bytes = request.body as Uint8Array | undefined;
  const { form: fields, ...body } = await readEntryBody(request, bytes);
  const { authorization, ...form } = fields;
  const token = await readToken(request, authorization, parts.callers);
  if (token.renewed !== undefined) reply.header('authorization', `Bearer ${token.renewed}`);
  const sources: EntrySources = { query: readQuery(request), form, body: body.values, ...rowsOf(body) };
  const lang = parts.langOf(request);
  const target: EntryTarget = request.headers.apiengine === '1' ? { kind: 'run' } : path.target;
  const operation = platformOperation(target, entryValue(sources, 'ApiEngineKey') ?? entryValue(sources, 'ApiAddress'));
  if (operation !== undefined) {
    const bodyJson = body.isJson && bytes !== undefined ? jsonText(request, bytes) : undefined;
    const bodyText = typeof body.scalar === 'string' ? body.scalar : undefined;
    if (body.scalar !== undefined && operation !== 'mqtt.command') throw notObject();
    const trace = parts.traceOf(request);
    const platform = { operation, sources, token, pathTenant: path.tenant, bodyJson, bodyText, lang, trace };
    return answerPlatform(parts.services, request, reply, platform);
  }
  if (body.scalar !== undefined) throw notObject();
  const tenant = tenantOf(request, path, sources, token);
  const call: EntryCall = {
    target,
    sources,
    request: { header: scriptHeaders(request, token), files: body.files },
    login: loginAt(tenant, token),
    remote: request.ip,
    deviceId: textOf(request.headers.did),
    jsonRequest: body.isJson,
    lang,
    trace: parts.traceOf(request),
  };
  return sendAnswer(reply, await callAt(parts, tenant, call, request), lang);
}

function jsonText(request: FastifyRequest, bytes: Uint8Array): string {
  return entryBodyText(bytes, request.headers['content-type'] ?? '');
}

async function callAt(parts: EntryParts, tenant: string, call: EntryCall, request: FastifyRequest) {
  try {
    return await parts.services.callEntry(tenant, call);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    // In the words of a missing login, so that nobody finds out by them which tenants there are.
    // Why its database is away is for operators, who find it in the log.
    if (thrown.code === 'TENANT_UNAVAILABLE')
      throw new AppError(thrown.code, { tenant, reason: FOR_OPERATORS }, { cause: thrown });
    if (thrown.code === 'TENANT_UNKNOWN' && call.target.kind === 'form-anonymous')
      throw new AppError('ENTRY_FORM_ANONYMOUS');
    if (isNobodys(thrown, call.target)) throw unknownRoute(request);
    if (thrown.code === 'TENANT_UNKNOWN') throw new AppError('ENTRY_LOGIN');
    throw thrown;
  }
}

/** True for a path that names no engine as such and that nobody has, in a tenant that there is or not. */
function isNobodys({ code, cause }: AppError, target: EntryTarget): boolean {
  if (target.kind !== 'engine' || /^\/apiengine\//i.test(target.address)) return false;
  return [code, cause instanceof AppError ? cause.code : ''].some((each) => MISSING.has(each));
}

const MISSING: ReadonlySet<string> = new Set(['ENGINE_MISSING', 'TENANT_UNKNOWN']);

/**
 * The tenant of a request: suffix of the path, then query, form and body, then the token's own, then the header
 * (v8-surface.md 8.3). There is none by default. @throws AppError ENTRY_TENANT, ENTRY_LOGIN, NOT_FOUND.
 */
function tenantOf(request: FastifyRequest, path: EntryPath, sources: EntrySources, token: EntryToken): string {
  const own = token.caller?.kind === 'tenant' ? token.caller.tenant : undefined;
  const named = path.tenant ?? entryValue(sources, 'OsClient') ?? own ?? textOf(request.headers.osclient);
  if (named === undefined || named === '') {
    if (isNowhere(path.target)) throw unknownRoute(request);
    throw new AppError('ENTRY_TENANT');
  }
  const parsed = parseTenantId(named);
  if (!parsed.ok) throw new AppError('ENTRY_LOGIN');
  return parsed.value;
}

/** True for a path that is missing whatever the tenant is called: a page of nobody, or an action of the platform that is not here. */
function isNowhere(target: EntryTarget): boolean {
  if (target.kind !== 'engine') return false;
  return !/^\/api(engine)?\//i.test(target.address) || addressesBeside(target.address) !== undefined;
}

function readQuery(request: FastifyRequest): Readonly<Record<string, string>> {
  const at = request.url.indexOf('?');
  return at < 0 ? {} : readFields(new URLSearchParams(request.url.slice(at + 1)));
}

function rowsOf({ rows }: Pick<EntryBody, 'rows'>): Pick<EntrySources, 'rows'> {
  return rows === undefined ? {} : { rows };
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined;
}
