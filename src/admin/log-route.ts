import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { lineId } from './line-id.ts';
import { listLimit, type RouteContext, readQuery, tenantOf, withTimeZone } from './route-context.ts';

export const LOGS_QUERY = {
  after: lineId.optional(),
  engine: z.string().min(1).max(255).optional(),
  limit: listLimit,
};

/** `GET tenants/{t}/logs`: what scripts and the host wrote for the tenant's people. */
export function addLogRoute(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.get('/tenants/:tenant/logs', async (request): Promise<DosResult> => {
    const { limit, after, engine } = readQuery(request, LOGS_QUERY, langOf(request));
    const filter = {
      limit,
      ...(after === undefined ? {} : { after }),
      ...(engine === undefined ? {} : { title: engine }),
    };
    const lines = await services.logs(tenantOf(request), filter);
    return withTimeZone(
      succeed(
        lines.map((line) => ({ ...line })),
        { DataCount: lines.length },
      ),
      context,
    );
  });
}
