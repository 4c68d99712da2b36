import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type DosResult, fail, succeed } from '../core/dos-result.ts';
import { parseEngineKey } from '../core/engine.ts';
import { describeError, type ErrorRecord, type Lang, orThrow } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { type Answer, statusOf } from './error-answer.ts';
import { bodyOf, readBody } from './json-body.ts';
import { pathPart, type RouteContext, tenantOf } from './route-context.ts';
import type { PushOutcome } from './services.ts';
import { ownRule } from './validate.ts';

const FILE_PATH = z
  .string()
  .min(1)
  .max(500)
  .refine(
    isRelativePath,
    ownRule('必须是相对路径，用 / 分隔，不含 ..', 'must be a relative path with / and without ..'),
  );

const PUSH = z.strictObject({
  files: z.array(z.strictObject({ path: FILE_PATH, text: z.string() })).max(2000),
  prune: z.boolean().default(false),
  dryRun: z.boolean().default(false),
});

/** `PUT tenants/{t}/engines`, `POST tenants/{t}/engines/{key}/run`. */
export function addEngineRoutes(api: FastifyInstance, { services, langOf }: RouteContext): void {
  api.put('/tenants/:tenant/engines', async (request, reply): Promise<DosResult> => {
    const lang = langOf(request);
    const tenant = tenantOf(request);
    const outcome = await services.push(tenant, readBody(request, PUSH, lang));
    const { status, body } = answerPush(outcome, lang);
    reply.code(status);
    return body;
  });

  api.post('/tenants/:tenant/engines/:key/run', async (request): Promise<JsonValue | DosResult> => {
    const tenant = tenantOf(request);
    const engineKey = orThrow(parseEngineKey(pathPart(request, 'key')));
    return answerRun(await services.run(tenant, engineKey, bodyOf(request)?.value ?? {}, langOf(request)));
  });
}

/**
 * A result that is a DosResult is the answer itself, as callers of the platform expect; anything else is `Data`. The
 * status is 200 either way, because the engine ran: a `Code: 0` of a script is its author's word, not the host's.
 */
function answerRun(result: JsonValue): JsonValue | DosResult {
  return isJsonObject(result) && Object.hasOwn(result, 'Code') ? result : succeed(result);
}

function answerPush(outcome: PushOutcome, lang: Lang): Answer {
  if (outcome.ok) {
    return { status: 200, body: succeed({ ...outcome.report, tables: outcome.tables }) };
  }
  const refusals = outcome.refusals.map((record) => presentRefusal(record, lang)).sort(byPlace);
  const error: ErrorRecord = { code: 'PUSH_REFUSED', params: { count: refusals.length } };
  const body = fail(error, lang, { refusals });
  return { status: statusOf(body), body };
}

/** `file`, `line` and `column` are null where the refusal has no place in a file. */
function presentRefusal(record: ErrorRecord, lang: Lang) {
  const { file, line, column } = record.params;
  return {
    code: record.code,
    file: file ?? null,
    line: line ?? null,
    column: column ?? null,
    message: describeError(record, lang),
  };
}

/** As an editor lists them: file by file, from the top. */
function byPlace(a: Refusal, b: Refusal): number {
  const [fileA, fileB] = [String(a.file ?? ''), String(b.file ?? '')];
  if (fileA !== fileB) return fileA < fileB ? -1 : 1;
  return Number(a.line ?? 0) - Number(b.line ?? 0);
}

type Refusal = ReturnType<typeof presentRefusal>;

function isRelativePath(path: string): boolean {
  return !path.includes('\\') && path.split('/').every((step) => step !== '' && step !== '.' && step !== '..');
}
