import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import Fastify, { type InjectOptions } from 'fastify';
import { guardRoutes } from '../../src/admin/access-guard.ts';
import { createCallers } from '../../src/admin/callers.ts';
import { ROUTE_PERMISSIONS } from '../../src/admin/route-permissions.ts';
import { createAdminServer } from '../../src/admin/server.ts';
import { PERMISSIONS, ROLES, type Role } from '../../src/core/access.ts';
import type { DosResult } from '../../src/core/dos-result.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';

const NOW = Date.UTC(2027, 0, 1);
const tokenOf = (role: Role): string => `token-of-the-${role}`;
const keyOf = (token: string, role: Role, expiresAt?: number) => ({
  tenant: 'demo',
  role,
  sha256: createHash('sha256').update(token).digest('hex'),
  expiresAt,
});

function start() {
  const services = new FakeServices();
  const keys = [...ROLES.map((role) => keyOf(tokenOf(role), role, NOW + 1)), keyOf('token-that-expired', 'admin', NOW)];
  const metrics = { contentType: 'text/plain', render: async () => 'v8host_up 1' };
  const options = { services, keys, metrics, now: () => NOW, log: new MemoryLog() };
  const server = createAdminServer({ ...options, token: 'token-of-the-host', lang: 'en', timezone: 'Asia/Shanghai' });
  const ask = async (route: string, token: string, tenant = 'demo') => {
    const [method, path = ''] = route.split(' ');
    const known = server.hasRoute({ method: method as 'GET', url: `/api/v1${path}` });
    const url = `/api/v1${path.replace(':tenant', tenant).replace(/:\w+/g, 'a-1')}`;
    const body = method === 'GET' ? {} : { payload: {} };
    const response = await server.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url,
      headers: { authorization: `Bearer ${token}` },
      ...body,
    });
    return { known, status: response.statusCode, headers: response.headers, body: response.json() as DosResult };
  };
  return { services, server, ask };
}

describe('every route', () => {
  for (const [route, permission] of ROUTE_PERMISSIONS) {
    it(`lets through the roles of its permission in their own tenant only: ${route}`, async () => {
      const { server, services, ask } = start();
      await server.ready();
      const roles: readonly Role[] = PERMISSIONS[permission];
      for (const role of ROLES) {
        const { known, status, body } = await ask(route, tokenOf(role));
        assert.ok(known, `no such route: ${route}`);
        const refused = body.ReasonCode === 'ROLE_DENIED';
        assert.equal(refused, !roles.includes(role), `${role}: ${JSON.stringify(body)}`);
        if (refused) assert.equal(status, 403);
        if (refused) assert.match(body.Msg ?? '', new RegExp(`${role} lacks the permission ${permission}`));
      }
      const before = services.calls.length;
      for (const role of route.includes(':tenant') ? ROLES : []) {
        for (const tenant of ['Shop-1', 'nobody', '-x']) {
          const { status, body } = await ask(route, tokenOf(role), tenant);
          assert.deepEqual([status, body.ReasonCode], [403, 'TOKEN_FOREIGN'], `${role} in ${tenant}`);
        }
      }
      const expired = await ask(route, 'token-that-expired');
      assert.deepEqual([expired.status, expired.body.ReasonCode], [401, 'TOKEN_EXPIRED']);
      assert.equal(expired.headers['www-authenticate'], 'Bearer');
      assert.equal(services.calls.length, before);
    });
  }

  it('must have a permission, or the server does not start', async () => {
    const server = Fastify();
    server.register(
      async (api) => {
        guardRoutes(api, createCallers('token', [], Date.now));
        api.get('/tenants/:tenant/new', async () => 1);
      },
      { prefix: '/api/v1' },
    );
    await assert.rejects(async () => server.ready(), /GET \/tenants\/:tenant\/new has no permission/);
  });
});

describe('a token of a tenant', () => {
  it('lists its own tenant only, in any case of its letters', async () => {
    const { ask } = start();
    const names = async (token: string) =>
      ((await ask('GET /tenants', token)).body.Data as { tenant: string }[]).map(({ tenant }) => tenant);
    assert.deepEqual(await names(tokenOf('admin')), ['demo']);
    assert.deepEqual(await names('token-of-the-host'), ['demo', 'Shop-1']);
    assert.notEqual((await ask('GET /tenants/:tenant/limits', tokenOf('viewer'), 'DEMO')).status, 403);
  });

  it('sees neither metrics nor the details of health, which name other tenants', async () => {
    const { server } = start();
    const get = (url: string, token: string) => server.inject({ url, headers: { authorization: `Bearer ${token}` } });
    for (const role of ROLES) {
      assert.equal((await get('/metrics', tokenOf(role))).statusCode, 403);
      assert.doesNotMatch((await get('/readyz', tokenOf(role))).body, /tenants/);
    }
    assert.equal((await get('/metrics', 'token-of-the-host')).statusCode, 200);
    assert.match((await get('/readyz', 'token-of-the-host')).body, /tenants/);
  });

  it('is its token, not its hash', async () => {
    const { ask } = start();
    const { status } = await ask('GET /tenants', keyOf(tokenOf('admin'), 'admin').sha256);
    assert.equal(status, 401);
  });
});

it('answers forbid framing, guessing of types and running anything', async () => {
  const { headers } = await start().ask('GET /tenants', 'token-of-the-host');
  assert.equal(headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'");
  assert.equal(headers['x-frame-options'], 'DENY');
  assert.equal(headers['x-content-type-options'], 'nosniff');
});
