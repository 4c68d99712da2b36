import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Login } from '../app/log-in.ts';
import { PERMISSIONS, ROLES } from '../core/access.ts';
import { type DosResult, succeed } from '../core/dos-result.ts';
import { AppError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { User } from '../core/user.ts';
import type { StoredKey } from '../ports/identity.ts';
import { lifeSeconds } from './access-guard.ts';
import { readBody } from './json-body.ts';
import { originOf, pathPart, type RouteContext, tenantOf } from './route-context.ts';
import { clearSessionCookie, setSessionCookie } from './session-cookie.ts';

const PASSWORD = z.string().max(2000);
const NAME = z.string().trim().max(100);
const LEVEL = z.int().min(0).max(999_999);

/** Bodies of routes that anybody may use. Bytes. */
const STRANGER_BODY = { bodyLimit: 16 * 1024 };

const LOGIN = z.strictObject({
  tenant: z.string().max(200).optional(),
  account: z.string().max(200),
  password: PASSWORD,
  cookie: z.boolean().default(false),
});

const SETUP = z.strictObject({
  code: z.string().max(200),
  account: z.string().max(200),
  name: NAME.default(''),
  password: PASSWORD,
  cookie: z.boolean().default(false),
});

const OWN_PASSWORD = z.strictObject({ old: PASSWORD, password: PASSWORD });
const ROTATE = z.strictObject({ endLogins: z.boolean().default(false) });

const NEW_USER = z.strictObject({
  account: z.string().max(200),
  name: NAME.default(''),
  password: PASSWORD,
  role: z.enum(ROLES),
  level: LEVEL.optional(),
  isHostAdmin: z.boolean().default(false),
});

const USER_EDIT = z.strictObject({
  name: NAME.optional(),
  role: z.enum(ROLES).optional(),
  level: LEVEL.optional(),
  isEnabled: z.boolean().optional(),
  isHostAdmin: z.boolean().optional(),
  password: PASSWORD.optional(),
});

const PERMISSION_NAMES = Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[];

const NEW_KEY = z.strictObject({
  name: NAME.min(1),
  role: z.enum(ROLES),
  scopes: z.array(z.enum(PERMISSION_NAMES)).min(1).max(50).optional(),
  /** Milliseconds UTC. */
  expiresAt: z.int().min(0).optional(),
});

/** The bodies by route, for the description of the API. */
export const IDENTITY_BODIES = {
  'POST /login': LOGIN,
  'POST /setup': SETUP,
  'POST /session/password': OWN_PASSWORD,
  'POST /signing-keys/rotate': ROTATE,
  'POST /tenants/:tenant/users': NEW_USER,
  'PATCH /tenants/:tenant/users/:userId': USER_EDIT,
  'POST /tenants/:tenant/keys': NEW_KEY,
} as const;

/** Logging in and out, users and keys. */
export function addIdentityRoutes(api: FastifyInstance, context: RouteContext): void {
  addLoginRoutes(api, context);
  addSessionRoutes(api, context);
  addUserRoutes(api, context);
  addKeyRoutes(api, context);
}

function addLoginRoutes(api: FastifyInstance, { identity, langOf, cookies }: RouteContext): void {
  const welcome = (reply: FastifyReply, login: Login, cookie: boolean): DosResult => {
    if (cookie) setSessionCookie(reply, login.token, lifeSeconds(login.session), cookies);
    return succeed(presentLogin(login, cookie));
  };
  api.post('/login', STRANGER_BODY, async (request, reply): Promise<DosResult> => {
    const { cookie, tenant, ...typed } = readBody(request, LOGIN, langOf(request));
    const login = await identity.logIn({ ...typed, tenant: tenant ?? identity.mainTenant() }, request.ip);
    return welcome(reply, login, cookie);
  });
  api.post('/setup', STRANGER_BODY, async (request, reply): Promise<DosResult> => {
    const { cookie, ...draft } = readBody(request, SETUP, langOf(request));
    const login = await identity.setUp(draft, request.ip);
    reply.code(201);
    return welcome(reply, login, cookie);
  });
}

function addSessionRoutes(api: FastifyInstance, context: RouteContext): void {
  const { identity, identifiedOf, langOf, cookies } = context;
  api.get('/session', async (request): Promise<DosResult> => {
    const { caller, login } = identifiedOf(request);
    const tenant = caller.kind === 'host' ? (login?.tenant ?? null) : caller.tenant;
    const role = caller.kind === 'host' ? 'host' : caller.role;
    return succeed({
      kind: caller.by.kind,
      name: caller.by.name,
      tenant,
      role,
      permissions: identity.permissionsOf(caller),
      user: login === undefined ? null : presentUser(login.user),
      expiresAt: login?.session.expiresAt ?? null,
      csrf: login?.session.csrf ?? null,
    });
  });
  api.delete('/session', async (request, reply): Promise<DosResult> => {
    const { login } = identifiedOf(request);
    if (login !== undefined) await identity.logOut(login.tenant, login.session.id);
    clearSessionCookie(reply, cookies);
    return succeed();
  });
  api.post('/session/password', async (request, reply): Promise<DosResult> => {
    const { old, password } = readBody(request, OWN_PASSWORD, langOf(request));
    const { login } = identifiedOf(request);
    if (login === undefined) throw new AppError('UNAUTHORIZED');
    const next = await identity.changeOwnPassword(login, originOf(request, context), { old, next: password });
    const byCookie = request.headers.authorization === undefined;
    if (byCookie) setSessionCookie(reply, next.token, lifeSeconds(next.session), cookies);
    return succeed(presentLogin(next, byCookie));
  });
  api.post('/signing-keys/rotate', async (request): Promise<DosResult> => {
    const { endLogins } = readBody(request, ROTATE, langOf(request));
    return succeed({ kid: await identity.rotateKeys(endLogins, originOf(request, context)) });
  });
}

function addUserRoutes(api: FastifyInstance, context: RouteContext): void {
  const { identity, langOf, callerOf } = context;
  const placeOf = (request: FastifyRequest) => ({
    ...originOf(request, context),
    tenant: tenantOf(request),
    caller: callerOf(request),
  });
  api.get('/tenants/:tenant/users', async (request): Promise<DosResult> => {
    const users = await identity.users(tenantOf(request));
    return succeed(users.map(presentUser), { DataCount: users.length });
  });
  api.post('/tenants/:tenant/users', async (request, reply): Promise<DosResult> => {
    const user = await identity.addUser(placeOf(request), readBody(request, NEW_USER, langOf(request)));
    reply.code(201);
    return succeed(presentUser(user));
  });
  api.get('/tenants/:tenant/users/:userId', async (request): Promise<DosResult> => {
    return succeed(presentUser(await identity.user(tenantOf(request), pathPart(request, 'userId'))));
  });
  api.patch('/tenants/:tenant/users/:userId', async (request): Promise<DosResult> => {
    const edit = readBody(request, USER_EDIT, langOf(request));
    return succeed(presentUser(await identity.changeUser(placeOf(request), pathPart(request, 'userId'), edit)));
  });
  api.delete('/tenants/:tenant/users/:userId', async (request): Promise<DosResult> => {
    await identity.removeUser(placeOf(request), pathPart(request, 'userId'));
    return succeed();
  });
  api.delete('/tenants/:tenant/users/:userId/sessions', async (request): Promise<DosResult> => {
    return succeed({ ended: await identity.endLogins(placeOf(request), pathPart(request, 'userId')) });
  });
}

function addKeyRoutes(api: FastifyInstance, context: RouteContext): void {
  const { identity, langOf } = context;
  const placeOf = (request: FastifyRequest) => ({ ...originOf(request, context), tenant: tenantOf(request) });
  api.get('/tenants/:tenant/keys', async (request): Promise<DosResult> => {
    const keys = await identity.keys(tenantOf(request));
    return succeed(keys.map(presentKey), { DataCount: keys.length });
  });
  api.post('/tenants/:tenant/keys', async (request, reply): Promise<DosResult> => {
    const { name, role, scopes, expiresAt } = readBody(request, NEW_KEY, langOf(request));
    const { key, text } = await identity.addKey(placeOf(request), { name, role, scopes, expiresAt });
    reply.code(201);
    return succeed({ ...presentKey(key), key: text });
  });
  api.delete('/tenants/:tenant/keys/:keyId', async (request): Promise<DosResult> => {
    await identity.removeKey(placeOf(request), pathPart(request, 'keyId'));
    return succeed();
  });
}

/** A browser that keeps the token in a cookie does not get it in the body, where scripts of the page could read it. */
function presentLogin({ tenant, token, expiresAt, session, user }: Login, cookie: boolean): JsonObject {
  return {
    tenant,
    token: cookie ? null : token,
    expiresAt,
    sessionExpiresAt: session.expiresAt,
    csrf: session.csrf,
    user: presentUser(user),
  };
}

function presentUser({
  id,
  account,
  name,
  role,
  level,
  isHostAdmin,
  isEnabled,
  createdAt,
  lastLoginAt,
}: User): JsonObject {
  return { id, account, name, role, level, isHostAdmin, isEnabled, createdAt, lastLoginAt };
}

function presentKey(key: StoredKey): JsonObject {
  const { id, name, role, scopes, expiresAt, createdAt, createdBy, lastUsedAt } = key;
  return {
    id,
    name,
    role,
    scopes: scopes === undefined ? null : [...scopes],
    expiresAt: expiresAt ?? null,
    createdAt,
    createdBy,
    lastUsedAt: lastUsedAt ?? null,
  };
}
