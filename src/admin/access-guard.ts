import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Identified } from '../app/identify.ts';
import { type Caller, type Permission, refusalOf } from '../core/access.ts';
import { AppError } from '../core/errors.ts';
import { bearerToken } from './bearer-token.ts';
import type { Callers } from './callers.ts';
import { PUBLIC, ROUTE_PERMISSIONS } from './route-permissions.ts';
import { type CookieOptions, refuseForgery, sessionCookie, setSessionCookie } from './session-cookie.ts';

/** Who sent a request that the guard let through. */
export type CallerOf = (request: FastifyRequest) => Caller;
/** The same with the login. @throws AppError UNAUTHORIZED on a route that anybody may use. */
export type IdentifiedOf = (request: FastifyRequest) => Identified;

/**
 * Asks again whether the caller of a request that is still being answered may go on: its login may have ended meanwhile.
 * @throws AppError UNAUTHORIZED, TOKEN_EXPIRED, SESSION_ENDED, ROLE_DENIED and the like.
 */
export type Recheck = (request: FastifyRequest) => Promise<void>;

/** How requests are recognised. */
export interface Gate {
  readonly callers: Callers;
  readonly cookies: CookieOptions;
  /** Origins that are the host's own whatever the header Host says. */
  readonly origins: readonly string[];
}

/**
 * Lets through requests whose caller may use the route in the tenant of its path, before their bodies are read. Call it
 * before routes are added: one without a permission is refused with an Error, so the server does not start.
 */
export function guardRoutes(
  api: FastifyInstance,
  gate: Gate,
): { readonly identifiedOf: IdentifiedOf; readonly recheck: Recheck } {
  const identified = new WeakMap<FastifyRequest, Identified>();
  api.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) permissionOf(each, url, api.prefix);
  });
  api.addHook('onRequest', async (request, reply) => {
    const permission = request.is404
      ? undefined
      : permissionOf(request.method, request.routeOptions.url ?? '', api.prefix);
    if (permission === PUBLIC) return;
    const found = await identifyCaller(request, reply, gate);
    identified.set(request, found);
    if (permission === undefined) return;
    admit(request, found, permission);
  });
  const identifiedOf: IdentifiedOf = (request) => {
    const found = identified.get(request);
    if (found === undefined) throw new AppError('UNAUTHORIZED');
    return found;
  };
  const recheck: Recheck = async (request) => {
    const found = await gate.callers.identify(tokenOf(request, gate));
    const permission = permissionOf(request.method, request.routeOptions.url ?? '', api.prefix);
    if (permission !== PUBLIC) admit(request, found, permission);
  };
  return { identifiedOf, recheck };
}

/** @throws AppError saying why the caller may not use the route. */
function admit(request: FastifyRequest, { caller }: Identified, permission: Permission): void {
  const refusal = refusalOf(caller, permission, (request.params as { tenant?: string }).tenant);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.params);
}

function tokenOf(request: FastifyRequest, { cookies }: Gate): string | undefined {
  return bearerToken(request.headers.authorization) ?? sessionCookie(request, cookies);
}

/**
 * Recognises the caller by the `Authorization` header, else by the cookie of a login. A login whose token was renewed
 * gets it the way it brought the old one: in the header `authorization`, as on the platform, or as the cookie.
 * @throws AppError UNAUTHORIZED, TOKEN_EXPIRED, SESSION_ENDED, CSRF_REFUSED; the answer says what to bring.
 */
export async function identifyCaller(request: FastifyRequest, reply: FastifyReply, gate: Gate): Promise<Identified> {
  const bearer = bearerToken(request.headers.authorization);
  const cookie = bearer === undefined ? sessionCookie(request, gate.cookies) : undefined;
  try {
    const found = await gate.callers.identify(bearer ?? cookie);
    if (cookie !== undefined) refuseForgery(request, found.login?.session.csrf ?? '', gate.origins);
    if (found.renewed !== undefined) giveRenewed(reply, found, cookie !== undefined, gate.cookies);
    return found;
  } catch (thrown) {
    reply.header('www-authenticate', 'Bearer');
    throw thrown;
  }
}

function giveRenewed(
  reply: FastifyReply,
  { renewed, login }: Identified,
  byCookie: boolean,
  cookies: CookieOptions,
): void {
  if (renewed === undefined || login === undefined) return;
  if (!byCookie) reply.header('authorization', `Bearer ${renewed.token}`);
  else setSessionCookie(reply, renewed.token, lifeSeconds(login.session), cookies);
}

/** Whole life of a login in seconds; its end is judged by the host, not by the browser. */
export function lifeSeconds({ createdAt, expiresAt }: { createdAt: number; expiresAt: number }): number {
  return Math.ceil((expiresAt - createdAt) / 1000);
}

/** HEAD asks for what GET would answer. */
function permissionOf(method: string, url: string, prefix: string): Permission | typeof PUBLIC {
  const route = `${method === 'HEAD' ? 'GET' : method} ${url.slice(prefix.length)}`;
  const permission = ROUTE_PERMISSIONS.get(route);
  if (permission === undefined) throw new Error(`${route} has no permission: add it to admin/route-permissions.ts`);
  return permission;
}
