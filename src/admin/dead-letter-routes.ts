import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type DosResult, succeed } from '../core/dos-result.ts';
import type { ParkedRow } from '../ports/tenant-store.ts';
import { readBody } from './json-body.ts';
import { listLimit, type RouteContext, readQuery, tenantOf, withTimeZone } from './route-context.ts';
import type { DeadLetterFilter, ReplayFilter } from './services.ts';
import { ownRule } from './validate.ts';

/** Characters of a message shown in a listing. */
const BODY_SHOWN = 2000;

const LIST_QUERY = {
  queue: z.string().min(1).optional(),
  state: z.enum(['dead', 'waiting', 'replayed', 'resolved']).default('dead'),
  limit: listLimit,
};

const REPLAY = z
  .strictObject({
    queue: z.string().min(1).optional(),
    eventId: z.string().min(1).optional(),
    all: z.boolean().optional(),
  })
  .refine(
    (body) => body.queue !== undefined || body.eventId !== undefined || body.all === true,
    ownRule('必须指定 queue、eventId 或 all:true 之一', 'one of queue, eventId or all:true is needed'),
  );

/** `GET tenants/{t}/dead-letters`, `POST tenants/{t}/dead-letters/replay`. */
export function addDeadLetterRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.get('/tenants/:tenant/dead-letters', async (request): Promise<DosResult> => {
    const tenant = tenantOf(request);
    const rows = await services.deadLetters(tenant, deadLetterFilter(readQuery(request, LIST_QUERY, langOf(request))));
    return withTimeZone(succeed(rows.map(presentParked), { DataCount: rows.length }), context);
  });

  api.post('/tenants/:tenant/dead-letters/replay', async (request): Promise<DosResult> => {
    const tenant = tenantOf(request);
    const filter = replayFilter(readBody(request, REPLAY, langOf(request)));
    return succeed({ replayed: await services.replayDeadLetters(tenant, filter) });
  });
}

function deadLetterFilter(query: z.output<z.ZodObject<typeof LIST_QUERY>>): DeadLetterFilter {
  const { queue, state, limit } = query;
  return { state, limit, ...(queue === undefined ? {} : { queue }) };
}

function replayFilter({ queue, eventId, all }: z.output<typeof REPLAY>): ReplayFilter {
  return {
    ...(queue === undefined ? {} : { queue }),
    ...(eventId === undefined ? {} : { eventId }),
    ...(all === undefined ? {} : { all }),
  };
}

/** A parked message as people read it: its beginning as text instead of bytes. Times are milliseconds UTC. */
function presentParked(row: ParkedRow) {
  const text = new TextDecoder().decode(row.body);
  return {
    queue: row.queue,
    eventId: row.eventId,
    cycle: row.cycle,
    attempt: row.attempt,
    state: row.parkedState,
    reason: row.reason,
    error: row.error,
    engineKey: row.engineKey,
    version: row.version,
    dueAt: row.dueAt,
    firstAt: row.firstAt,
    lastAt: row.lastAt,
    bytes: row.body.byteLength,
    body: text.length > BODY_SHOWN ? `${text.slice(0, BODY_SHOWN)}…` : text,
  };
}
