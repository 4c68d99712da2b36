import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { TopicBindingView } from '../app/manage-topic-bindings.ts';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { describeError, type Lang } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { readBody } from './json-body.ts';
import { originOf, pathPart, type RouteContext, tenantOf } from './route-context.ts';

/** Lengths are those of the columns; what the texts say is checked as the rows are. */
const FILTER = z.string().trim().min(1).max(1000);
const QUEUE = z.string().trim().min(1).max(200);
const SETTINGS = { eventIdPath: z.string().trim().max(200).optional(), enabled: z.boolean().optional() };

export const NEW_TOPIC_BINDING = z.strictObject({ filter: FILTER, queue: QUEUE, ...SETTINGS });
export const TOPIC_BINDING_EDIT = z.strictObject({ filter: FILTER.optional(), queue: QUEUE.optional(), ...SETTINGS });

/** `…/mqtt/bindings`: which topics of devices go into which queue. */
export function addTopicBindingRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  const { mqtt } = services;
  api.get('/tenants/:tenant/mqtt/bindings', async (request): Promise<DosResult> => {
    const rows = await mqtt.bindings(tenantOf(request));
    return succeed(
      rows.map((row) => present(row, langOf(request))),
      { DataCount: rows.length },
    );
  });
  api.post('/tenants/:tenant/mqtt/bindings', async (request, reply): Promise<DosResult> => {
    const draft = readBody(request, NEW_TOPIC_BINDING, langOf(request));
    const added = await mqtt.addBinding(tenantOf(request), originOf(request, context), draft);
    reply.code(201);
    return succeed(present(added, langOf(request)));
  });
  api.patch('/tenants/:tenant/mqtt/bindings/:id', async (request): Promise<DosResult> => {
    const draft = readBody(request, TOPIC_BINDING_EDIT, langOf(request));
    const place = originOf(request, context);
    const changed = await mqtt.changeBinding(tenantOf(request), place, pathPart(request, 'id'), draft);
    return succeed(present(changed, langOf(request)));
  });
  api.delete('/tenants/:tenant/mqtt/bindings/:id', async (request): Promise<DosResult> => {
    await mqtt.removeBinding(tenantOf(request), originOf(request, context), pathPart(request, 'id'));
    return succeed();
  });
}

/** `refusal` is empty for a row that is right. */
function present({ refusal, ...view }: TopicBindingView, lang: Lang): JsonObject {
  return { ...view, refusal: refusal === undefined ? '' : describeError(refusal, lang) };
}
