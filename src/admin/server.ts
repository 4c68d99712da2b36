import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ApiKey } from '../core/api-key.ts';
import { ERROR_TABLE } from '../core/error-table.ts';
import { AppError, type Lang } from '../core/errors.ts';
import type { Log } from '../ports/log.ts';
import { guardRoutes } from './access-guard.ts';
import { addBrokerRoutes } from './broker-routes.ts';
import { type Callers, createCallers } from './callers.ts';
import { addDeadLetterRoutes } from './dead-letter-routes.ts';
import { addEngineRoutes } from './engine-routes.ts';
import { answerError, MAX_REQUEST_BYTES, requestError } from './error-answer.ts';
import { addHealthRoutes } from './health-routes.ts';
import { acceptJsonBodies } from './json-body.ts';
import { addLimitRoutes } from './limit-routes.ts';
import { addMessageRoutes } from './message-routes.ts';
import { addMetricsRoute, type MetricsSource } from './metrics-route.ts';
import { addMqttRoutes } from './mqtt-routes.ts';
import { requestLanguage } from './request-language.ts';
import type { RouteContext } from './route-context.ts';
import type { AdminServices } from './services.ts';
import { addTenantRoutes } from './tenant-routes.ts';
import { addTrialRoute } from './trial-route.ts';

export interface AdminServerOptions {
  readonly services: AdminServices;
  /** Bearer token of the whole host: `/api/v1` and `/metrics`. */
  readonly token: string;
  /** Tokens of tenants for `/api/v1`; none by default. */
  readonly keys?: readonly ApiKey[];
  /** The time by which keys expire, in milliseconds UTC. */
  readonly now?: () => number;
  /** Served at `/metrics` when given. */
  readonly metrics?: MetricsSource;
  /** Language of answers to requests that ask for none. */
  readonly lang: Lang;
  /** IANA name of the host's time zone; answers with times carry it. */
  readonly timezone: string;
  readonly log: Log;
}

/** Time for a whole request to arrive, so that slow senders do not hold sockets. */
const REQUEST_MS = 60_000;

/** Answers are data: nothing keeps them, guesses their type, frames them or runs anything in them. */
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** EventIds have up to 255 bytes, each up to three characters in a path. */
const MAX_PATH_PART = 1024;

/** The HTTP side of the host: `/livez`, `/readyz` and the admin API. It does not listen yet. */
export function createAdminServer(options: AdminServerOptions): FastifyInstance {
  const { services, timezone } = options;
  const callers = createCallers(options.token, options.keys ?? [], options.now ?? Date.now);
  const langOf = (request: FastifyRequest): Lang => requestLanguage(request, options.lang);
  const answer = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    answerFailure(requestError(thrown), request, reply, options.log, langOf(request));
  const server = Fastify({
    bodyLimit: MAX_REQUEST_BYTES,
    requestTimeout: REQUEST_MS,
    routerOptions: { maxParamLength: MAX_PATH_PART },
    frameworkErrors: (error, request, reply) => void answer(error, request as FastifyRequest, reply as FastifyReply),
  });
  acceptJsonBodies(server);
  server.setErrorHandler((error, request, reply) => answer(error, request, reply));
  server.setNotFoundHandler(refuseUnknownRoute);
  server.addHook('onSend', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS);
  });
  addHealthRoutes(server, () => services.health(), callers);
  if (options.metrics !== undefined) addMetricsRoute(server, options.metrics, callers);
  server.register(async (api) => addApi(api, { services, langOf, timezone }, callers), {
    prefix: '/api/v1',
  });
  return server;
}

function addApi(api: FastifyInstance, parts: Omit<RouteContext, 'callerOf'>, callers: Callers): void {
  const context: RouteContext = { ...parts, callerOf: guardRoutes(api, callers) };
  api.setNotFoundHandler(refuseUnknownRoute);
  addTenantRoutes(api, context);
  addBrokerRoutes(api, context);
  addEngineRoutes(api, context);
  addMessageRoutes(api, context);
  addDeadLetterRoutes(api, context);
  addTrialRoute(api, context);
  addLimitRoutes(api, context);
  addMqttRoutes(api, context);
}

async function refuseUnknownRoute(request: FastifyRequest): Promise<never> {
  const path = request.url.split('?')[0] ?? '';
  throw new AppError('NOT_FOUND', { what: `${request.method} ${path.slice(0, 200)}` });
}

/** Answers a failed request and logs, once, what an operator must act on. */
function answerFailure(
  error: AppError,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
  lang: Lang,
): FastifyReply {
  if (ERROR_TABLE[error.code].level === 'error') {
    log.error('http.request_failed', {
      err: error,
      method: request.method,
      route: request.routeOptions.url ?? '',
      code: error.code,
    });
  }
  const { status, body } = answerError(error.toRecord(), lang);
  return reply.code(status).send(body);
}
