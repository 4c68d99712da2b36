import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { TrialReport } from '../app/try-message.ts';
import { refusalOf } from '../core/access.ts';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { parseEngineKey } from '../core/engine.ts';
import { AppError, orThrow } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import { memberText } from '../core/json-text.ts';
import { bodyOf, readBody } from './json-body.ts';
import { pathPart, type RouteContext, tenantOf } from './route-context.ts';
import { ownRule } from './validate.ts';

/** Rows of one kind and table in an answer; `complete` is false when there are more. */
const ROWS_SHOWN = 100;

export const TRY = z
  .strictObject({
    eventId: z.string().min(1).optional(),
    queue: z.string().min(1).optional(),
    Message: z.unknown().optional(),
    engineKey: z.string().min(1).optional(),
    allowHttp: z.boolean().default(false),
  })
  .refine(
    (body) => body.eventId !== undefined || Object.hasOwn(body, 'Message'),
    ownRule('必须指定 eventId 或 Message', 'an eventId or a Message is needed'),
  );

export const TRY_ENGINE = z
  .strictObject({
    source: z.string().optional(),
    eventId: z.string().min(1).optional(),
    queue: z.string().min(1).optional(),
    Message: z.unknown().optional(),
    allowHttp: z.boolean().default(false),
  })
  .refine(
    (body) => body.eventId !== undefined || Object.hasOwn(body, 'Message'),
    ownRule('必须指定 eventId 或 Message', 'an eventId or a Message is needed'),
  );

/** `POST tenants/{t}/try`, `POST tenants/{t}/engines/{key}/trial`: what a message would do if it ran now. */
export function addTrialRoute(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  const tried = async (request: FastifyRequest, what: Tried): Promise<DosResult> => {
    const { Message, ...given } = what;
    const messageJson = Message === undefined ? undefined : memberText(bodyOf(request)?.text ?? '{}', 'Message');
    const asked = Object.entries({ ...given, messageJson }).filter(([, value]) => value !== undefined);
    const wanted = { allowHttp: false, ...Object.fromEntries(asked) };
    const tenant = tenantOf(request);
    await services.takeTurn(tenant, context.callerOf(request).by.id);
    return succeed(presentTrial(await services.tryMessage(tenant, wanted, langOf(request))));
  };
  api.post('/tenants/:tenant/try', async (request): Promise<DosResult> => {
    return tried(request, readBody(request, TRY, langOf(request)));
  });

  api.post('/tenants/:tenant/engines/:key/trial', async (request): Promise<DosResult> => {
    const body = readBody(request, TRY_ENGINE, langOf(request));
    // A draft reads what it likes, so whoever tries one is somebody who could save it.
    const refusal = body.source === undefined ? undefined : refusalOf(context.callerOf(request), 'engine.push');
    if (refusal !== undefined) throw new AppError(refusal.code, refusal.params);
    return tried(request, { ...body, engineKey: orThrow(parseEngineKey(pathPart(request, 'key'))) });
  });
}

type Tried = z.output<typeof TRY> & Pick<z.output<typeof TRY_ENGINE>, 'source'>;

function presentTrial(report: TrialReport): JsonValue {
  const tables = report.tables?.map((diff) => ({
    table: diff.table,
    inserted: diff.inserted.slice(0, ROWS_SHOWN),
    updated: diff.updated.slice(0, ROWS_SHOWN),
    deleted: diff.deleted.slice(0, ROWS_SHOWN),
    complete: diff.complete && [diff.inserted, diff.updated, diff.deleted].every(({ length }) => length <= ROWS_SHOWN),
  }));
  return { ...report, tables: tables ?? null, result: report.result ?? null } as unknown as JsonValue;
}
