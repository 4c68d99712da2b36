import type { FastifyInstance } from 'fastify';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { originOf, pathPart, type RouteContext } from './route-context.ts';

/** `POST isolation-checks`, `DELETE isolation-checks/{id}`: two tenants for a check, and their end. */
export function addProbeRoutes(api: FastifyInstance, context: RouteContext): void {
  const { services } = context;
  api.post('/isolation-checks', async (request, reply): Promise<DosResult> => {
    const { id, until, accounts } = await services.openProbes(originOf(request, context));
    reply.code(201);
    return succeed({ id, until, accounts: accounts.map((account) => ({ ...account })) });
  });

  api.delete('/isolation-checks/:checkId', async (request): Promise<DosResult> => {
    await services.closeProbes(pathPart(request, 'checkId'), originOf(request, context));
    return succeed();
  });
}
