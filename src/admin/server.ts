import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ApiKey } from '../core/api-key.ts';
import { ERROR_TABLE } from '../core/error-table.ts';
import { AppError, type Lang } from '../core/errors.ts';
import type { Log } from '../ports/log.ts';
import type { Tracer } from '../ports/tracer.ts';
import { type Gate, guardRoutes } from './access-guard.ts';
import { addAuditRoutes } from './audit-routes.ts';
import { addBackupRoutes } from './backup-routes.ts';
import { addBindingRoutes } from './binding-routes.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { addBrokerRoutes } from './broker-routes.ts';
import { createCallers } from './callers.ts';
import { addCatalogueRoutes } from './catalogue-routes.ts';
import { CONSOLE_DIRECTORY } from './console-files.ts';
import { addConsoleRoutes } from './console-routes.ts';
import { allowOrigins } from './cors.ts';
import { addDeadLetterRoutes } from './dead-letter-routes.ts';
import { addEngineRoutes } from './engine-routes.ts';
import { addEngineVersionRoutes } from './engine-version-routes.ts';
import { addEngineEntry } from './entry-routes.ts';
import { type Answer, answerError, MAX_REQUEST_BYTES, requestError } from './error-answer.ts';
import { addHealthRoutes } from './health-routes.ts';
import type { IdentityAdmin } from './identity-admin.ts';
import { addIdentityRoutes } from './identity-routes.ts';
import { acceptJsonBodies } from './json-body.ts';
import { addLimitRoutes } from './limit-routes.ts';
import { addLogRoute } from './log-route.ts';
import { addLogStreamRoute, type StreamTimes } from './log-stream-route.ts';
import { addMessageRoutes } from './message-routes.ts';
import { addMetricsRoute, type MetricsSource } from './metrics-route.ts';
import { addMqttRoutes } from './mqtt-routes.ts';
import { addOpenApiRoutes } from './openapi-routes.ts';
import { addOutboxRoutes } from './outbox-routes.ts';
import { addProbeRoutes } from './probe-routes.ts';
import { requestLanguage } from './request-language.ts';
import { addRequestSpans } from './request-spans.ts';
import type { RouteContext } from './route-context.ts';
import { addSecretRoutes } from './secret-routes.ts';
import type { AdminServices } from './services.ts';
import { addSetupPage } from './setup-page.ts';
import { addTenantRoutes } from './tenant-routes.ts';
import { addTenantSettingRoutes } from './tenant-setting-routes.ts';
import { addTopicBindingRoutes } from './topic-binding-routes.ts';
import { addTrialRoute } from './trial-route.ts';

export interface AdminServerOptions {
  readonly services: AdminServices;
  /** Logins, users and keys of the tenants. */
  readonly identity: IdentityAdmin;
  /** Bearer token of the whole host: `/api/v1` and `/metrics`. */
  readonly token: string;
  /** Tokens of tenants for `/api/v1`; none by default. */
  readonly keys?: readonly ApiKey[];
  /** The time by which keys expire, in milliseconds UTC. */
  readonly now?: () => number;
  /** Where people reach the host; https makes the login's cookie secure. */
  readonly publicUrl?: string | undefined;
  /** Proxies whose `X-Forwarded-For` is believed: addresses or networks. None by default. */
  readonly trustedProxies?: readonly string[];
  /** Origins of pages elsewhere that may call the host from browsers. None by default. */
  readonly allowedOrigins?: readonly string[];
  /** Served at `/metrics` when given. */
  readonly metrics?: MetricsSource;
  /** Language of answers to requests that ask for none. */
  readonly lang: Lang;
  /** IANA name of the host's time zone; answers with times carry it. */
  readonly timezone: string;
  readonly log: Log;
  /** Tells of requests in traces; without it none is carried on. */
  readonly tracer?: Tracer;
  /** How log streams keep time; by default as log-stream-route.ts says. */
  readonly streamTimes?: StreamTimes;
  /** Where the built console is; by default where the build puts it. */
  readonly consoleDirectory?: string;
}

/** Time for a whole request to arrive, so that slow senders do not hold sockets. */
const REQUEST_MS = 60_000;

/** Unless a route sets others. Answers are data: nothing keeps them, guesses their type, frames them or runs anything in them. */
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** EventIds have up to 255 bytes, each up to three characters in a path. */
const MAX_PATH_PART = 1024;

/** The HTTP side of the host: `/livez`, `/readyz`, the admin API and the console at `/`. It does not listen yet. */
export function createAdminServer(options: AdminServerOptions): FastifyInstance {
  const { services, timezone } = options;
  const gate = gateOf(options);
  const langOf = (request: FastifyRequest): Lang => requestLanguage(request, options.lang);
  const judge = (thrown: unknown, request: FastifyRequest): AppError => {
    const error = requestError(thrown, request.routeOptions.bodyLimit ?? MAX_REQUEST_BYTES);
    logFailure(error, request, options.log);
    return error;
  };
  const failureOf = (thrown: unknown, request: FastifyRequest): Answer =>
    answerError(judge(thrown, request).toRecord(), langOf(request));
  const answer = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { status, body } = failureOf(thrown, request);
    return reply.code(status).send(body);
  };
  const server = Fastify({
    bodyLimit: MAX_REQUEST_BYTES,
    requestTimeout: REQUEST_MS,
    // Node's own refusal has no body; the hook below says what is missing.
    http: { requireHostHeader: false },
    trustProxy: [...(options.trustedProxies ?? [])],
    routerOptions: { maxParamLength: MAX_PATH_PART },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, options.lang),
    frameworkErrors: (error, request, reply) => void answer(error, request as FastifyRequest, reply as FastifyReply),
  });
  // An expectation that nobody knows may be passed over (RFC 9110 10.1.1); Node's own refusal has no body.
  server.server.on('checkExpectation', (request, reply) => server.server.emit('request', request, reply));
  acceptJsonBodies(server);
  const traceOf = addRequestSpans(server, options.tracer);
  server.setErrorHandler((error, request, reply) => answer(error, request, reply));
  server.addHook('onRequest', async ({ headers, raw }) => {
    if (raw.httpVersion === '1.1' && headers.host === undefined) {
      throw new AppError('REQUEST_INVALID', { field: 'Host', rule: 'HTTP/1.1' });
    }
  });
  server.addHook('onSend', async (_request, reply) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      if (!reply.hasHeader(name)) reply.header(name, value);
    }
  });
  allowOrigins(server, options.allowedOrigins ?? []);
  addSetupPage(server);
  addHealthRoutes(server, () => services.health(), gate.callers);
  if (options.metrics !== undefined) addMetricsRoute(server, options.metrics, gate);
  addConsoleRoutes(server, options.consoleDirectory ?? CONSOLE_DIRECTORY);
  const parts = { services, langOf, traceOf, timezone, failureOf, identity: options.identity, cookies: gate.cookies };
  server.register(async (api) => addApi(api, parts, gate, options.streamTimes), { prefix: '/api/v1' });
  addEngineEntry(server, { services, callers: gate.callers, langOf, traceOf, judge });
  return server;
}

function gateOf({ token, keys = [], now = Date.now, identity, publicUrl = '' }: AdminServerOptions): Gate {
  const identifyStored = (text: string) => identity.identify(text);
  return {
    callers: createCallers({ hostToken: token, keys, now, identifyStored }),
    cookies: { secure: publicUrl.startsWith('https:') },
    // Behind a proxy that sets its own Host, pages still name the address that people typed.
    origins: publicUrl === '' ? [] : [new URL(publicUrl).origin],
  };
}

function addApi(
  api: FastifyInstance,
  parts: Omit<RouteContext, 'callerOf' | 'identifiedOf' | 'recheck'>,
  gate: Gate,
  streamTimes: StreamTimes | undefined,
): void {
  const { identifiedOf, recheck } = guardRoutes(api, gate);
  const callerOf = (request: FastifyRequest) => identifiedOf(request).caller;
  const context: RouteContext = { ...parts, identifiedOf, callerOf, recheck };
  api.setNotFoundHandler(refuseUnknownRoute);
  addOpenApiRoutes(api, context);
  addBackupRoutes(api, context);
  addSecretRoutes(api, context);
  addIdentityRoutes(api, context);
  addAuditRoutes(api, context);
  addTenantRoutes(api, context);
  addProbeRoutes(api, context);
  addTenantSettingRoutes(api, context);
  addBrokerRoutes(api, context);
  addEngineRoutes(api, context);
  addEngineVersionRoutes(api, context);
  addCatalogueRoutes(api, context);
  addMessageRoutes(api, context);
  addDeadLetterRoutes(api, context);
  addOutboxRoutes(api, context);
  addTrialRoute(api, context);
  addBindingRoutes(api, context);
  addLimitRoutes(api, context);
  addMqttRoutes(api, context);
  addTopicBindingRoutes(api, context);
  addLogRoute(api, context);
  addLogStreamRoute(api, context, streamTimes);
}

async function refuseUnknownRoute(request: FastifyRequest): Promise<never> {
  const path = request.url.split('?')[0] ?? '';
  throw new AppError('NOT_FOUND', { what: `${request.method} ${path.slice(0, 200)}` });
}

/** Logs, once, what an operator must act on. */
function logFailure(error: AppError, request: FastifyRequest, log: Log): void {
  if (ERROR_TABLE[error.code].level !== 'error') return;
  log.error('http.request_failed', {
    err: error,
    method: request.method,
    route: request.routeOptions.url ?? '',
    code: error.code,
  });
}
