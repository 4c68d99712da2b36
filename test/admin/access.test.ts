import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { guardRoutes } from '../../src/admin/access-guard.ts';
import { createCallers } from '../../src/admin/callers.ts';
import { PUBLIC, ROUTE_PERMISSIONS } from '../../src/admin/route-permissions.ts';
import { createAdminServer } from '../../src/admin/server.ts';
import { isAllowed, PERMISSIONS, type Permission, ROLES, type Role } from '../../src/core/access.ts';
import type { DosResult } from '../../src/core/dos-result.ts';
import { openIdentity, type TestIdentity } from '../support/test-identity.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';
import { NO_IDENTITY } from './no-identity.ts';

const HOST_TOKEN = 'token-of-the-host';
const DAY_MS = 86_400_000;
const configToken = (role: Role): string => `token-of-the-${role}`;
const configKey = (token: string, role: Role, expiresAt?: number) => ({
  tenant: 'demo',
  role,
  sha256: createHash('sha256').update(token).digest('hex'),
  expiresAt,
});

const services = new FakeServices();
let identity: TestIdentity;
let server: FastifyInstance;
/** By kind of token and role, all of tenant `demo` unless the name says otherwise. */
const tokens = { login: new Map<Role, string>(), key: new Map<Role, string>(), foreign: new Map<Role, string>() };
const refused: Record<'expiredLogin' | 'expiredKey' | 'loggedOut' | 'removedKey' | 'disabled', string> = {
  expiredLogin: '',
  expiredKey: '',
  loggedOut: '',
  removedKey: '',
  disabled: '',
};

before(async () => {
  identity = await openIdentity();
  const { admin } = identity;
  refused.expiredLogin = (await identity.login('demo', 'admin', 'early')).token;
  refused.expiredKey = await identity.key('demo', 'admin', { expiresAt: Date.now() + DAY_MS });
  identity.pass(2 * DAY_MS);
  for (const role of ROLES) {
    tokens.login.set(role, (await identity.login('demo', role)).token);
    tokens.key.set(role, await identity.key('demo', role));
    tokens.foreign.set(role, (await identity.login('shop', role)).token);
  }
  const origin = { by: { kind: 'host', id: '', name: 'test', level: 0 }, address: '', tenant: 'demo' } as const;
  const leaver = await identity.login('demo', 'admin', 'leaver');
  refused.loggedOut = leaver.token;
  await admin.endLogins({ ...origin, caller: { kind: 'host', by: origin.by } }, leaver.user.id);
  const fired = await identity.login('demo', 'admin', 'fired');
  refused.disabled = fired.token;
  await admin.changeUser({ ...origin, caller: { kind: 'host', by: origin.by } }, fired.user.id, { isEnabled: false });
  refused.removedKey = await identity.key('demo', 'admin');
  const last = (await admin.keys('demo')).at(-1);
  await admin.removeKey(origin, last?.id ?? '');
  const keys = [
    ...ROLES.map((role) => configKey(configToken(role), role)),
    configKey('token-that-expired', 'admin', identity.services.clock.now()),
  ];
  server = createAdminServer({
    services,
    identity: admin,
    keys,
    metrics: { contentType: 'text/plain', render: async () => 'v8host_up 1' },
    now: () => identity.services.clock.now(),
    log: new MemoryLog(),
    token: HOST_TOKEN,
    lang: 'en',
    timezone: 'Asia/Shanghai',
  });
  await server.ready();
});

after(async () => {
  await server.close();
  await identity.close();
});

async function ask(route: string, token: string | undefined, tenant = 'demo') {
  const [method, path = ''] = route.split(' ');
  const known = server.hasRoute({ method: method as 'GET', url: `/api/v1${path}` });
  const url = `/api/v1${path.replace(':tenant', tenant).replace(/:\w+/g, 'a-1')}`;
  const body = method === 'GET' || method === 'DELETE' ? {} : { payload: {} };
  const response = await server.inject({
    method: method as NonNullable<InjectOptions['method']>,
    url,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...body,
  });
  return { known, status: response.statusCode, headers: response.headers, body: response.json() as DosResult };
}

/** What would undo the caller's own login, and so every later question of the matrix. */
const ENDS_LOGIN = 'DELETE /session';

/** No data: they have a policy of their own, which their tests hold. */
const PAGES: ReadonlySet<string> = new Set(['GET /docs', 'GET /openapi.json']);

const GUARDED = [...ROUTE_PERMISSIONS].filter((row): row is [string, Permission] => row[1] !== PUBLIC);

describe('every route', () => {
  for (const [route, permission] of GUARDED) {
    const roles: readonly Role[] = PERMISSIONS[permission];
    const forPeople = ['session.own', 'user.manage', 'key.manage'].includes(permission);

    it(`lets through the roles of its permission in their own tenant only: ${route}`, async () => {
      for (const role of ROLES) {
        if (route !== ENDS_LOGIN) await check(route, permission, role, tokens.login.get(role), roles.includes(role));
        const byKey = roles.includes(role) && !forPeople;
        await check(route, permission, role, tokens.key.get(role), byKey);
        await check(route, permission, role, configToken(role), byKey);
      }
      const called = services.calls.length;
      for (const role of route.includes(':tenant') ? ROLES : []) {
        for (const [token, tenant] of [
          [tokens.login.get(role), 'Shop-1'],
          [tokens.key.get(role), 'nobody'],
          [configToken(role), '-x'],
        ] as const) {
          const { status, body } = await ask(route, token, tenant);
          assert.deepEqual([status, body.ReasonCode], [403, 'TOKEN_FOREIGN'], `${role} in ${tenant}`);
        }
        const { status, body } = await ask(route, tokens.foreign.get(role));
        assert.deepEqual([status, body.ReasonCode], [403, 'TOKEN_FOREIGN'], `${role} of shop`);
      }
      for (const [token, code] of [
        [undefined, 'UNAUTHORIZED'],
        ['v8k.demo.never-made', 'UNAUTHORIZED'],
        ['v8k.nobody.never-made', 'UNAUTHORIZED'],
        [`${tokens.login.get('admin')}x`, 'UNAUTHORIZED'],
        ['token-that-expired', 'TOKEN_EXPIRED'],
        [refused.expiredLogin, 'TOKEN_EXPIRED'],
        [refused.expiredKey, 'TOKEN_EXPIRED'],
        [refused.loggedOut, 'SESSION_ENDED'],
        [refused.disabled, 'SESSION_ENDED'],
        [refused.removedKey, 'UNAUTHORIZED'],
      ] as const) {
        const { status, body, headers } = await ask(route, token);
        assert.deepEqual([status, body.ReasonCode], [401, code], `${token?.slice(0, 12)}`);
        assert.equal(headers['www-authenticate'], 'Bearer');
        assert.ok((body.Msg ?? '').length > 10);
      }
      assert.equal(services.calls.length, called, 'a refused request reached the host');
    });
  }

  async function check(route: string, permission: Permission, role: Role, token: string | undefined, may: boolean) {
    const { known, status, body } = await ask(route, token);
    assert.ok(known, `no such route: ${route}`);
    const isRefused = ['ROLE_DENIED', 'USER_NEEDED', 'SCOPE_DENIED', 'UNAUTHORIZED'].includes(body.ReasonCode ?? '');
    assert.equal(isRefused, !may, `${role} with ${token?.slice(0, 12)}: ${JSON.stringify(body)}`);
    if (!isRefused) return;
    assert.equal(status, 403);
    const lacks =
      body.ReasonCode === 'USER_NEEDED'
        ? `permission ${permission} is for people`
        : `${role} lacks the permission ${permission}`;
    assert.match(body.Msg ?? '', new RegExp(lacks));
  }

  it('is served, and nothing is served that has no permission', async () => {
    for (const route of ROUTE_PERMISSIONS.keys()) {
      const [method = '', path = ''] = route.split(' ');
      assert.ok(server.hasRoute({ method: method as 'GET', url: `/api/v1${path}` }), route);
    }
  });

  it('must have a permission, or the server does not start', async () => {
    const bare = Fastify();
    const sources = { hostToken: 'token', keys: [], now: Date.now, identifyStored: NO_IDENTITY.identify };
    bare.register(
      async (api) => {
        guardRoutes(api, { callers: createCallers(sources), cookies: { secure: false }, origins: [] });
        api.get('/tenants/:tenant/new', async () => 1);
      },
      { prefix: '/api/v1' },
    );
    await assert.rejects(async () => bare.ready(), /GET \/tenants\/:tenant\/new has no permission/);
  });
});

describe('a token of a tenant', () => {
  it('lists its own tenant only, in any case of its letters', async () => {
    const names = async (token: string) =>
      ((await ask('GET /tenants', token)).body.Data as { tenant: string }[]).map(({ tenant }) => tenant);
    assert.deepEqual(await names(configToken('admin')), ['demo']);
    assert.deepEqual(await names(tokens.login.get('viewer') ?? ''), ['demo']);
    assert.deepEqual(await names(HOST_TOKEN), ['demo', 'Shop-1']);
    assert.notEqual((await ask('GET /tenants/:tenant/limits', configToken('admin'), 'DEMO')).status, 403);
  });

  it('sees neither metrics nor the details of health, which name other tenants', async () => {
    const get = (url: string, token: string) => server.inject({ url, headers: { authorization: `Bearer ${token}` } });
    for (const role of ROLES) {
      for (const token of [configToken(role), tokens.login.get(role) ?? '']) {
        assert.equal((await get('/metrics', token)).statusCode, 403);
        assert.doesNotMatch((await get('/readyz', token)).body, /tenants/);
      }
    }
    assert.equal((await get('/metrics', HOST_TOKEN)).statusCode, 200);
    assert.match((await get('/readyz', HOST_TOKEN)).body, /tenants/);
  });

  it('is its token, not its hash', async () => {
    const { status } = await ask('GET /tenants', configKey(configToken('admin'), 'admin').sha256);
    assert.equal(status, 401);
  });

  it('tells what it may do', async () => {
    const { body } = await ask('GET /session', tokens.login.get('operator'));
    const data = body.Data as { role: string; tenant: string; permissions: string[]; user: { account: string } };
    assert.deepEqual([data.role, data.tenant, data.user.account], ['operator', 'demo', 'operator@demo']);
    const by = { kind: 'user', id: 'u', name: 'n', level: 0 } as const;
    const names = Object.keys(PERMISSIONS) as Permission[];
    const mine = names.filter((name) => isAllowed({ kind: 'tenant', tenant: 'demo', role: 'operator', by }, name));
    assert.deepEqual(data.permissions, mine);
  });
});

it('every answer, also a refusal, forbids framing, guessing of types, keeping and running anything', async () => {
  for (const route of ROUTE_PERMISSIONS.keys()) {
    if (PAGES.has(route)) continue;
    for (const token of [undefined, HOST_TOKEN]) {
      const { headers } = await ask(route, token);
      assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'", route);
      assert.equal(headers['x-frame-options'], 'DENY', route);
      assert.equal(headers['x-content-type-options'], 'nosniff', route);
      assert.equal(headers['referrer-policy'], 'no-referrer', route);
      assert.equal(headers['cache-control'], 'no-store', route);
    }
  }
});
