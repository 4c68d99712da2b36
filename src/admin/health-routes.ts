import type { FastifyInstance } from 'fastify';
import { type DosResult, succeed } from '../core/dos-result.ts';
import type { Callers } from './callers.ts';
import type { HostHealth } from './services.ts';
import { presentTenant } from './tenant-routes.ts';

/**
 * `GET /livez`: the process answers. `GET /readyz`: it takes work, else 503, with the phase it is in. Both need no token,
 * so that probes have none to hold; names of tenants and reasons are only for callers that bring the host's.
 */
export function addHealthRoutes(server: FastifyInstance, health: () => Promise<HostHealth>, callers: Callers): void {
  server.get('/livez', async (): Promise<DosResult> => succeed({ alive: true }));

  server.get('/readyz', async (request, reply): Promise<DosResult> => {
    const state = await health();
    reply.code(state.ready ? 200 : 503);
    const data = callers.isHost(request.headers.authorization)
      ? presentHealth(state)
      : { ready: state.ready, phase: state.phase };
    return { ...succeed(data), Code: state.ready ? 1 : 0 };
  });
}

function presentHealth({ ready, phase, tenants, queue, cache, lanes, load }: HostHealth) {
  return {
    ready,
    phase,
    tenants: tenants.map(presentTenant),
    queue: { ready: queue.ready, reason: queue.reason ?? null },
    cache: { ready: cache.ready, reason: cache.reason ?? null },
    lanes: { ...lanes },
    load: load.map((each) => ({ ...each })),
  };
}
