import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { TrialReport } from '../app/try-message.ts';
import { type DosResult, succeed } from '../core/dos-result.ts';
import type { JsonValue } from '../core/json.ts';
import { memberText } from '../core/json-text.ts';
import { bodyOf, readBody } from './json-body.ts';
import { type RouteContext, tenantOf } from './route-context.ts';
import { ownRule } from './validate.ts';

/** Rows of one kind and table in an answer; `complete` is false when there are more. */
const ROWS_SHOWN = 100;

const TRY = z
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

/** `POST tenants/{t}/try`: what a message would do if it ran now. */
export function addTrialRoute(api: FastifyInstance, { services, langOf }: RouteContext): void {
  api.post('/tenants/:tenant/try', async (request): Promise<DosResult> => {
    const lang = langOf(request);
    const { Message, eventId, queue, engineKey, allowHttp } = readBody(request, TRY, lang);
    const messageJson = Message === undefined ? undefined : memberText(bodyOf(request)?.text ?? '{}', 'Message');
    const report = await services.tryMessage(
      tenantOf(request),
      {
        allowHttp,
        ...(eventId === undefined ? {} : { eventId }),
        ...(queue === undefined ? {} : { queue }),
        ...(engineKey === undefined ? {} : { engineKey }),
        ...(messageJson === undefined ? {} : { messageJson }),
      },
      lang,
    );
    return succeed(presentTrial(report));
  });
}

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
