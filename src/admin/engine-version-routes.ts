import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { EngineSaved } from '../app/manage-engines.ts';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { parseEngineKey } from '../core/engine.ts';
import { AppError, type Lang, orThrow } from '../core/errors.ts';
import type { EngineVersionView } from '../ports/engine-versions.ts';
import type { Answer } from './error-answer.ts';
import { readBody } from './json-body.ts';
import { answerRefusals } from './push-refusals.ts';
import {
  listLimit,
  originOf,
  pathPart,
  type RouteContext,
  readQuery,
  tenantOf,
  withTimeZone,
} from './route-context.ts';

/** First 12 hex digits of SHA-256 of a source. */
const VERSION = z.string().regex(/^[0-9a-f]{12}$/);
const NUMBER = z.coerce.number().int().min(1).max(2_147_483_647);

export const SAVE = z.strictObject({ source: z.string(), base: VERSION.nullable().optional() });
export const SWITCH = z.strictObject({ enabled: z.boolean() });
export const ROLLBACK = z.strictObject({ no: z.int().min(1).max(2_147_483_647), base: VERSION.optional() });
export const VERSIONS_QUERY = { before: NUMBER.optional(), limit: listLimit };
export const DIFF_QUERY = {
  from: NUMBER,
  to: NUMBER.optional(),
  around: z.coerce.number().int().min(0).max(1000).default(3),
};

/** `…/engines/{key}` and its `versions`, `diff` and `rollback`: one engine, and every source that it has had. */
export function addEngineVersionRoutes(api: FastifyInstance, context: RouteContext): void {
  addHistoryRoutes(api, context);
  addSaveRoutes(api, context);
}

function addHistoryRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.get('/tenants/:tenant/engines/:key/versions', async (request): Promise<DosResult> => {
    const { before, limit } = readQuery(request, VERSIONS_QUERY, langOf(request));
    const filter = { limit, ...(before === undefined ? {} : { before }) };
    const { versions, current } = await services.engineVersions(tenantOf(request), engineKeyOf(request), filter);
    const now = current === undefined ? null : { version: current.version, enabled: current.enabled };
    const extra = { DataCount: versions.length, DataAppend: { Current: now } };
    return withTimeZone(succeed(versions.map(presentVersion), extra), context);
  });

  api.get('/tenants/:tenant/engines/:key/versions/:no', async (request): Promise<DosResult> => {
    const no = numberOf(request);
    const found = await services.engineVersion(tenantOf(request), engineKeyOf(request), no);
    return withTimeZone(succeed({ ...presentVersion(found), source: found.source }), context);
  });

  api.get('/tenants/:tenant/engines/:key/diff', async (request): Promise<DosResult> => {
    const { from, to, around } = readQuery(request, DIFF_QUERY, langOf(request));
    const diff = await services.engineDiff(tenantOf(request), engineKeyOf(request), { from, to, around });
    const lines = diff.lines.map((line) => (line === undefined ? null : { ...line }));
    return succeed({ from, to: to ?? null, lines }, { DataCount: lines.length });
  });
}

function addSaveRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.put('/tenants/:tenant/engines/:key', async (request, reply): Promise<DosResult> => {
    const lang = langOf(request);
    const draft = readBody(request, SAVE, lang);
    const saved = await services.saveEngine(tenantOf(request), originOf(request, context), engineKeyOf(request), draft);
    const { status, body } = answerSave(saved, lang);
    reply.code(status);
    return body;
  });

  api.post('/tenants/:tenant/engines/:key/rollback', async (request, reply): Promise<DosResult> => {
    const lang = langOf(request);
    const choice = readBody(request, ROLLBACK, lang);
    const origin = originOf(request, context);
    const { status, body } = answerSave(
      await services.rollBackEngine(tenantOf(request), origin, engineKeyOf(request), choice),
      lang,
    );
    reply.code(status);
    return body;
  });

  api.patch('/tenants/:tenant/engines/:key', async (request): Promise<DosResult> => {
    const { enabled } = readBody(request, SWITCH, langOf(request));
    const origin = originOf(request, context);
    const engine = await services.switchEngine(tenantOf(request), origin, engineKeyOf(request), enabled);
    return succeed({ key: engine.key, name: engine.name, version: engine.version, enabled: engine.enabled });
  });
}

function engineKeyOf(request: FastifyRequest): string {
  return orThrow(parseEngineKey(pathPart(request, 'key')));
}

/** @throws AppError NOT_FOUND for a text that is the number of no version. */
function numberOf(request: FastifyRequest): number {
  const text = pathPart(request, 'no');
  const parsed = NUMBER.safeParse(text);
  if (!parsed.success) throw new AppError('NOT_FOUND', { what: text.slice(0, 200) });
  return parsed.data;
}

function presentVersion({ restoredFrom, ...version }: EngineVersionView) {
  const { no, key, name, version: hash, origin, author, savedAt } = version;
  return { no, key, name, version: hash, origin, restoredFrom: restoredFrom ?? null, author, savedAt };
}

function answerSave(saved: EngineSaved, lang: Lang): Answer {
  if (!saved.ok) return answerRefusals(saved.problems, lang);
  const { key, name, version, enabled } = saved.engine;
  const { added, changed, unchanged } = saved.report;
  const data = { key, name, version, enabled, no: saved.no ?? null, added, changed, unchanged };
  return {
    status: 200,
    body: succeed({ ...data, added: [...added], changed: [...changed], unchanged: [...unchanged] }),
  };
}
