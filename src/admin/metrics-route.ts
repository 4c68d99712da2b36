import type { FastifyInstance } from 'fastify';
import { refusalOf } from '../core/access.ts';
import { AppError } from '../core/errors.ts';
import { type Gate, identifyCaller } from './access-guard.ts';

/** The metrics page as the server serves it. */
export interface MetricsSource {
  readonly contentType: string;
  /** @param httpConnections that are open. */
  render(httpConnections: number): Promise<string>;
}

/** `GET /metrics` in Prometheus' text format. It names tenants, so it wants the host's token. */
export function addMetricsRoute(server: FastifyInstance, metrics: MetricsSource, gate: Gate): void {
  server.get('/metrics', async (request, reply) => {
    const { caller } = await identifyCaller(request, reply, gate);
    const refusal = refusalOf(caller, 'host.read');
    if (refusal !== undefined) throw new AppError(refusal.code, refusal.params);
    reply.header('content-type', metrics.contentType);
    return metrics.render(await openConnections(server));
  });
}

function openConnections({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
