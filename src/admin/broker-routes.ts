import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { readBody } from './json-body.ts';
import { originOf, type RouteContext, tenantOf } from './route-context.ts';

export const SETUP = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  user: z.string().min(1),
  password: z.string().min(1),
  showPassword: z.boolean().default(false),
});

/** `POST tenants/{t}/reload`, `POST tenants/{t}/rabbitmq-setup`. */
export function addBrokerRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services, langOf } = context;
  api.post('/tenants/:tenant/reload', async (request): Promise<DosResult> => {
    await services.reloadTenant(tenantOf(request), originOf(request, context));
    return succeed(null);
  });

  api.post('/tenants/:tenant/rabbitmq-setup', async (request): Promise<DosResult> => {
    const { showPassword, ...access } = readBody(request, SETUP, langOf(request));
    const { password, ...account } = await services.setUpBroker(tenantOf(request), access, originOf(request, context));
    const { user, vhost, permissions } = account;
    return succeed({ user, vhost, permissions: { ...permissions }, ...(showPassword ? { password } : {}) });
  });
}
