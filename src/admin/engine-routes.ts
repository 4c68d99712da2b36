import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { parseEngineKey } from '../core/engine.ts';
import { entryUserOf } from '../core/entry-user.ts';
import { type Lang, orThrow } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { Answer } from './error-answer.ts';
import { bodyOf, readBody } from './json-body.ts';
import { answerLongWork } from './progress-answer.ts';
import { answerRefusals } from './push-refusals.ts';
import { originOf, pathPart, type RouteContext, tenantOf } from './route-context.ts';
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

export const PUSH = z.strictObject({
  files: z.array(z.strictObject({ path: FILE_PATH, text: z.string() })).max(2000),
  prune: z.boolean().default(false),
  dryRun: z.boolean().default(false),
});

/** `PUT tenants/{t}/engines`, `POST tenants/{t}/engines/{key}/run`. */
export function addEngineRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.put('/tenants/:tenant/engines', async (request, reply) => {
    const lang = langOf(request);
    const tenant = tenantOf(request);
    const files = readBody(request, PUSH, lang);
    return answerLongWork(request, reply, context, async (note) =>
      answerPush(await services.push(tenant, files, originOf(request, context), note), lang),
    );
  });

  api.post('/tenants/:tenant/engines/:key/run', async (request): Promise<JsonValue | DosResult> => {
    const tenant = tenantOf(request);
    const engineKey = orThrow(parseEngineKey(pathPart(request, 'key')));
    const param = bodyOf(request)?.value ?? {};
    const caller = context.callerOf(request);
    await services.takeTurn(tenant, caller.by.id);
    const user = entryUserOf(caller);
    return answerRun(await services.run(tenant, engineKey, param, langOf(request), user, context.traceOf(request)));
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
    return {
      status: 200,
      body: succeed({
        ...outcome.report,
        tables: outcome.tables,
        leftOut: outcome.leftOut.map((each) => ({ ...each })),
      }),
    };
  }
  return answerRefusals(outcome.refusals, lang);
}

function isRelativePath(path: string): boolean {
  return !path.includes('\\') && path.split('/').every((step) => step !== '' && step !== '.' && step !== '..');
}
