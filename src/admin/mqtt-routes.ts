import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { readBody } from './json-body.ts';
import { originOf, pathPart, type RouteContext, tenantOf, withTimeZone } from './route-context.ts';

export const PUBLISH = z.strictObject({
  topic: z.string().min(1),
  /** Text goes as it is, anything else as JSON. */
  payload: z.json().optional(),
  payloadBase64: z.base64().optional(),
  qos: z.int().min(0).max(2).default(0),
  retain: z.boolean().default(false),
  responseTopic: z.string().min(1).optional(),
  contentType: z.string().min(1).optional(),
  userProperties: z.record(z.string(), z.string()).default({}),
});

/**
 * `GET tenants/{t}/mqtt`, `…/mqtt/clients`, `…/mqtt/retained`, `POST …/mqtt/publish`,
 * `POST …/mqtt/clients/{clientId}/disconnect`.
 */
export function addMqttRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  const { mqtt } = services;
  api.get('/tenants/:tenant/mqtt', async (request): Promise<DosResult> => {
    return succeed((await mqtt.status(tenantOf(request))) as unknown as JsonObject);
  });
  api.get('/tenants/:tenant/mqtt/clients', async (request): Promise<DosResult> => {
    return withTimeZone(list(await mqtt.sessions(tenantOf(request))), context);
  });
  api.get('/tenants/:tenant/mqtt/retained', async (request): Promise<DosResult> => {
    return list(await mqtt.retained(tenantOf(request)));
  });
  api.post('/tenants/:tenant/mqtt/publish', async (request): Promise<DosResult> => {
    const { payload, payloadBase64, userProperties, ...rest } = readBody(request, PUBLISH, langOf(request));
    const draft = {
      ...rest,
      payload: payloadBase64 === undefined ? payloadBytes(payload ?? null) : Buffer.from(payloadBase64, 'base64'),
      responseTopic: rest.responseTopic,
      contentType: rest.contentType,
      userProperties: Object.entries(userProperties),
    };
    const subscribers = await mqtt.publish(tenantOf(request), draft, originOf(request, context));
    return succeed({ subscribers });
  });
  api.post('/tenants/:tenant/mqtt/clients/:clientId/disconnect', async (request): Promise<DosResult> => {
    const clientId = pathPart(request, 'clientId');
    if (!(await mqtt.disconnect(tenantOf(request), clientId, originOf(request, context))))
      throw new AppError('NOT_FOUND', { what: clientId.slice(0, 200) });
    return succeed();
  });
}

function list(rows: readonly unknown[]): DosResult {
  return succeed(rows as readonly JsonValue[] as JsonValue, { DataCount: rows.length });
}

function payloadBytes(payload: JsonValue): Uint8Array {
  if (payload === null) return new Uint8Array();
  return new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload));
}
