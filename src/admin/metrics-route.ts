import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import { carriesToken } from './bearer-token.ts';

/** The metrics page as the server serves it. */
export interface MetricsSource {
  readonly contentType: string;
  render(): Promise<string>;
}

/** `GET /metrics` in Prometheus' text format. It names tenants, so it wants the token like the API. */
export function addMetricsRoute(server: FastifyInstance, metrics: MetricsSource, token: string): void {
  server.get('/metrics', async (request, reply) => {
    if (!carriesToken(request.headers.authorization, token)) {
      reply.header('www-authenticate', 'Bearer');
      throw new AppError('UNAUTHORIZED');
    }
    reply.header('content-type', metrics.contentType);
    return metrics.render();
  });
}
