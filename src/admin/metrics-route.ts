import type { FastifyInstance } from 'fastify';
import { refusalOf } from '../core/access.ts';
import { AppError } from '../core/errors.ts';
import { identifyCaller } from './access-guard.ts';
import type { Callers } from './callers.ts';

/** The metrics page as the server serves it. */
export interface MetricsSource {
  readonly contentType: string;
  render(): Promise<string>;
}

/** `GET /metrics` in Prometheus' text format. It names tenants, so it wants the host's token. */
export function addMetricsRoute(server: FastifyInstance, metrics: MetricsSource, callers: Callers): void {
  server.get('/metrics', async (request, reply) => {
    const refusal = refusalOf(identifyCaller(request, reply, callers), 'host.read');
    if (refusal !== undefined) throw new AppError(refusal.code, refusal.params);
    reply.header('content-type', metrics.contentType);
    return metrics.render();
  });
}
