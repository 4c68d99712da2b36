import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { ulidTime } from '../core/ulid-time.ts';
import type { OutboxChoice, OutboxRowView } from '../ports/outbox-inspection.ts';
import { readBody } from './json-body.ts';
import {
  listLimit,
  mayReadContent,
  originOf,
  pathPart,
  type RouteContext,
  readQuery,
  tenantOf,
  withTimeZone,
} from './route-context.ts';
import { ownRule } from './validate.ts';

const SEQ = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

export const OUTBOX_QUERY = { state: z.enum(['ready', 'failed']).optional(), after: SEQ.optional(), limit: listLimit };

export const OUTBOX_CHOICE = z
  .strictObject({ seq: z.int().min(1).optional(), all: z.literal(true).optional() })
  .refine(
    ({ seq, all }) => (seq === undefined) !== (all === undefined),
    ownRule('必须指定 seq 或 all: true，二者之一', 'seq or all: true is needed, one of them'),
  );

/** `…/outbox`: messages that were committed and are not in their queue yet, and what is done about failed ones. */
export function addOutboxRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.get('/tenants/:tenant/outbox', async (request): Promise<DosResult> => {
    const { state, after, limit } = readQuery(request, OUTBOX_QUERY, langOf(request));
    const filter = { limit, ...(state === undefined ? {} : { state }), ...(after === undefined ? {} : { after }) };
    const rows = await services.outbox(tenantOf(request), filter);
    return withTimeZone(succeed(rows.map(presentRow), { DataCount: rows.length }), context);
  });

  api.get('/tenants/:tenant/outbox/:seq', async (request): Promise<DosResult> => {
    const row = await services.outboxRow(tenantOf(request), seqOf(request));
    const mayRead = mayReadContent(request, context);
    const content = { body: new TextDecoder().decode(row.body), headers: { ...row.headers } as JsonObject };
    return withTimeZone(
      succeed({ ...presentRow(row), ...(mayRead ? content : { body: null, headers: null }) }),
      context,
    );
  });

  api.post('/tenants/:tenant/outbox/retry', async (request): Promise<DosResult> => {
    const choice = choiceOf(readBody(request, OUTBOX_CHOICE, langOf(request)));
    return succeed({ retried: await services.retryOutbox(tenantOf(request), originOf(request, context), choice) });
  });

  api.post('/tenants/:tenant/outbox/discard', async (request): Promise<DosResult> => {
    const choice = choiceOf(readBody(request, OUTBOX_CHOICE, langOf(request)));
    return succeed({ discarded: await services.discardOutbox(tenantOf(request), originOf(request, context), choice) });
  });
}

function choiceOf({ seq }: z.output<typeof OUTBOX_CHOICE>): OutboxChoice {
  return seq === undefined ? 'all' : { seq };
}

/** @throws AppError NOT_FOUND for a text that is the number of no row. */
function seqOf(request: FastifyRequest): number {
  const text = pathPart(request, 'seq');
  const parsed = SEQ.safeParse(text);
  if (!parsed.success) throw new AppError('NOT_FOUND', { what: text.slice(0, 200) });
  return parsed.data;
}

/** `sentAt` is when its run began, which its ULID tells. Milliseconds UTC. */
function presentRow({ seq, runId, queue, eventId, state, attempts, lastError, bytes }: OutboxRowView) {
  return { seq, runId, sentAt: ulidTime(runId) ?? null, queue, eventId, state, attempts, lastError, bytes };
}
