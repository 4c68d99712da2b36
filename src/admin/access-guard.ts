import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, type Permission, refusalOf } from '../core/access.ts';
import { AppError } from '../core/errors.ts';
import type { Callers } from './callers.ts';
import { ROUTE_PERMISSIONS } from './route-permissions.ts';

/** Who sent a request that the guard let through. */
export type CallerOf = (request: FastifyRequest) => Caller;

/**
 * Lets through requests whose caller may use the route in the tenant of its path, before their bodies are read. Call it
 * before routes are added: one without a permission is refused with an Error, so the server does not start.
 */
export function guardRoutes(api: FastifyInstance, callers: Callers): CallerOf {
  const callerByRequest = new WeakMap<FastifyRequest, Caller>();
  api.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) permissionOf(each, url, api.prefix);
  });
  api.addHook('onRequest', async (request, reply) => {
    const caller = identifyCaller(request, reply, callers);
    callerByRequest.set(request, caller);
    if (request.is404) return;
    const permission = permissionOf(request.method, request.routeOptions.url ?? '', api.prefix);
    const refusal = refusalOf(caller, permission, (request.params as { tenant?: string }).tenant);
    if (refusal !== undefined) throw new AppError(refusal.code, refusal.params);
  });
  return (request) => {
    const caller = callerByRequest.get(request);
    if (caller === undefined) throw new AppError('UNAUTHORIZED');
    return caller;
  };
}

/** As `Callers.identify`; a refusal tells the client what to bring. @throws AppError UNAUTHORIZED, TOKEN_EXPIRED. */
export function identifyCaller(request: FastifyRequest, reply: FastifyReply, callers: Callers): Caller {
  try {
    return callers.identify(request.headers.authorization);
  } catch (thrown) {
    reply.header('www-authenticate', 'Bearer');
    throw thrown;
  }
}

/** HEAD asks for what GET would answer. */
function permissionOf(method: string, url: string, prefix: string): Permission {
  const route = `${method === 'HEAD' ? 'GET' : method} ${url.slice(prefix.length)}`;
  const permission = ROUTE_PERMISSIONS.get(route);
  if (permission === undefined) throw new Error(`${route} has no permission: add it to admin/route-permissions.ts`);
  return permission;
}
