import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError, orThrow } from '../core/errors.ts';
import { parseEventId } from '../core/event-id.ts';
import type { JsonValue } from '../core/json.ts';
import { memberText } from '../core/json-text.ts';
import type { EventStory } from '../ports/journal.ts';
import { statusOf } from './error-answer.ts';
import { bodyOf, readBody } from './json-body.ts';
import {
  listLimit,
  mayReadContent,
  pathPart,
  type RouteContext,
  readQuery,
  tenantOf,
  withTimeZone,
} from './route-context.ts';
import { ownRule } from './validate.ts';

export const SEND = z
  .strictObject({ EventId: z.union([z.string(), z.number(), z.null()]).optional(), Message: z.unknown().optional() })
  .refine(
    (body) => Object.hasOwn(body, 'Message'),
    ownRule('缺少 Message：填写要发送的 JSON', 'Message is missing: give the JSON to send'),
  );

/** `POST tenants/{t}/queues/{q}/messages`, `GET tenants/{t}/events/{eventId}`, `GET tenants/{t}/deliveries`. */
export function addMessageRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.post('/tenants/:tenant/queues/:queue/messages', async (request, reply): Promise<DosResult> => {
    const lang = langOf(request);
    const tenant = tenantOf(request);
    const eventId = orThrow(parseEventId(readBody(request, SEND, lang).EventId));
    const messageJson = memberText(bodyOf(request)?.text ?? '{}', 'Message') ?? 'null';
    const trace = context.traceOf(request);
    const message = { eventId, messageJson, ...(trace === undefined ? {} : { trace }) };
    const result = await services.sendMessage(tenant, pathPart(request, 'queue'), message, lang);
    reply.code(statusOf(result));
    return result;
  });

  api.get('/tenants/:tenant/events/:eventId', async (request): Promise<DosResult> => {
    const tenant = tenantOf(request);
    const eventId = orThrow(parseEventId(pathPart(request, 'eventId'))) ?? '';
    const story = await services.story(tenant, eventId);
    if (isUnknown(story)) throw new AppError('NOT_FOUND', { what: `EventId ${eventId}` });
    const shown = mayReadContent(request, context) ? story : withoutContent(story);
    return withTimeZone(succeed(shown as unknown as JsonValue), context);
  });

  api.get('/tenants/:tenant/deliveries', async (request): Promise<DosResult> => {
    const tenant = tenantOf(request);
    const { state, limit } = readQuery(request, DELIVERY_QUERY, langOf(request));
    const attempts = await services.deliveries(tenant, { limit, ...(state === undefined ? {} : { state }) });
    return withTimeZone(succeed(attempts as unknown as JsonValue, { DataCount: attempts.length }), context);
  });
}

export const DELIVERY_QUERY = { state: z.string().min(1).max(20).optional(), limit: listLimit };

/** The same story without what messages and the scripts' own logs say. */
function withoutContent(story: EventStory): EventStory {
  return {
    ...story,
    receiveLog: story.receiveLog.map((row) => ({ ...row, message: null })),
    sysLog: story.sysLog.map(({ type, title, level, eventId, runId }) => {
      return { type, title, level, eventId, runId, content: '' };
    }),
  };
}

/** No table of the tenant has heard of the event. */
function isUnknown(story: EventStory): boolean {
  const { inbox, attempts, parked, outbox, receiveLog, sysLog } = story;
  return [inbox, attempts, parked, outbox, receiveLog, sysLog].every((rows) => rows.length === 0);
}
