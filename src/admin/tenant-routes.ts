import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { maySee } from '../core/access.ts';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { orThrow } from '../core/errors.ts';
import { parseTenantId } from '../core/tenant.ts';
import type { TenantStatus } from '../ports/tenant-store.ts';
import { readBody } from './json-body.ts';
import { originOf, type RouteContext } from './route-context.ts';

export const NEW_TENANT = z.strictObject({ tenant: z.string(), databaseUrl: z.string().min(1).optional() });

/** `GET tenants`, `POST tenants`. */
export function addTenantRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf, callerOf } = context;
  api.get('/tenants', async (request): Promise<DosResult> => {
    const caller = callerOf(request);
    const tenants = (await services.listTenants()).filter(({ tenant }) => maySee(caller, tenant));
    return succeed(tenants.map(presentTenant), { DataCount: tenants.length });
  });

  api.post('/tenants', async (request, reply): Promise<DosResult> => {
    const body = readBody(request, NEW_TENANT, langOf(request));
    const status = await services.addTenant(
      orThrow(parseTenantId(body.tenant)),
      body.databaseUrl,
      originOf(request, context),
    );
    reply.code(201);
    return succeed(presentTenant(status));
  });
}

/** A tenant as the API shows it. */
export function presentTenant({ tenant, main, state, reason }: TenantStatus) {
  return { tenant, main, state, reason: reason ?? null };
}
