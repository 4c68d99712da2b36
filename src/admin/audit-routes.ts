import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type DosResult, succeed } from '../core/dos-result.ts';
import type { AuditFilter } from '../ports/identity.ts';
import { listLimit, type RouteContext, readQuery, tenantOf, withTimeZone } from './route-context.ts';

const text = z.string().min(1).max(255).optional();

export const AUDIT_QUERY = { action: text, target: text, actor: text, before: text, limit: listLimit };

/** `GET tenants/{t}/audit`: who changed what, newest first. `before` is the `id` that the page before ended with. */
export function addAuditRoutes(api: FastifyInstance, context: RouteContext): void {
  const { identity, langOf } = context;
  api.get('/tenants/:tenant/audit', async (request): Promise<DosResult> => {
    const { _Lang, ...query } = readQuery(request, AUDIT_QUERY, langOf(request));
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const records = await identity.audit(tenantOf(request), Object.fromEntries(given) as unknown as AuditFilter);
    return withTimeZone(
      succeed(
        records.map((record) => ({ ...record })),
        { DataCount: records.length },
      ),
      context,
    );
  });
}
