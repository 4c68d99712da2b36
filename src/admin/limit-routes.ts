import type { FastifyInstance } from 'fastify';
import { type DosResult, succeed } from '../core/dos-result.ts';
import type { JsonObject } from '../core/json.ts';
import { type RouteContext, tenantOf, withTimeZone } from './route-context.ts';

/** `GET tenants/{t}/limits`: limits per engine, balances, paused engines and breakers. */
export function addLimitRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.get('/tenants/:tenant/limits', async (request): Promise<DosResult> => {
    const { load, ...limits } = await services.limits(tenantOf(request), langOf(request));
    const data = { ...limits, load: load ?? null };
    return withTimeZone(succeed(data as unknown as JsonObject), context);
  });
}
