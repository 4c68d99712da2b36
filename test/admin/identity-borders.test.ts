import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { createAdminServer } from '../../src/admin/server.ts';
import { identify } from '../../src/app/identify.ts';
import { logIn } from '../../src/app/log-in.ts';
import { LoginLimits } from '../../src/app/login-limits.ts';
import { auditEntry } from '../../src/core/audit-entry.ts';
import type { DosResult } from '../../src/core/dos-result.ts';
import { AppError, coerceError } from '../../src/core/errors.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openIdentity, PASSWORD, type TestIdentity } from '../support/test-identity.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';

const ORIGIN = { by: { kind: 'host', id: '', name: 'test', level: 0 }, address: '' } as const;

let identity: TestIdentity;
let server: FastifyInstance;

before(async () => {
  identity = await openIdentity();
  server = createAdminServer({
    services: new FakeServices(),
    identity: identity.admin,
    token: 'token-of-the-host',
    publicUrl: 'http://engines.example.com',
    lang: 'en',
    timezone: 'Asia/Shanghai',
    log: new MemoryLog(),
  });
});

after(async () => {
  await server.close();
  await identity.close();
});

async function ask(options: InjectOptions) {
  const response = await server.inject({ ...options, url: `/api/v1${String(options.url)}` });
  const body = response.json() as DosResult & { Data: Record<string, unknown> };
  return { status: response.statusCode, body, cookies: response.cookies };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('rights over the whole host', () => {
  it('are not given by the database of another tenant, whatever it says of its users', async () => {
    const { user, token } = await identity.login('shop', 'admin', 'usurper');
    const users = identity.services.directory.get('shop')?.identity.users;
    await users?.change(user.id, { isHostAdmin: true }, { endSessions: false }, auditEntry(ORIGIN, 'test', 'usurper'));
    identity.services.cache.forget('shop');
    const session = await ask({ method: 'GET', url: '/session', headers: bearer(token) });
    assert.deepEqual([session.body.Data.tenant, session.body.Data.role], ['shop', 'admin']);
    const { status, body } = await ask({ method: 'GET', url: '/tenants/demo/users', headers: bearer(token) });
    assert.deepEqual([status, body.ReasonCode], [403, 'TOKEN_FOREIGN']);
  });

  it('keep their logins from admins of the main tenant', async () => {
    const draft = { account: 'root', name: '', password: PASSWORD, role: 'admin', isHostAdmin: true } as const;
    const root = await identity.admin.addUser(
      { ...ORIGIN, tenant: 'demo', caller: { kind: 'host', by: ORIGIN.by } },
      draft,
    );
    const { token } = await identity.login('demo', 'admin', 'neighbour');
    const url = `/tenants/demo/users/${root.id}/sessions`;
    assert.equal((await ask({ method: 'DELETE', url, headers: bearer(token) })).body.ReasonCode, 'ROLE_DENIED');
  });
});

describe('passwords', () => {
  it('that people choose for themselves keep to the same rules', async () => {
    const { token } = await identity.login('shop', 'viewer', 'lazy');
    for (const password of ['', 'short', 'aaaaaaaaaaaa']) {
      const payload = { old: PASSWORD, password };
      const { status, body } = await ask({ method: 'POST', url: '/session/password', headers: bearer(token), payload });
      assert.deepEqual([status, body.ReasonCode], [400, 'REQUEST_INVALID']);
      assert.match(body.Msg ?? '', /body\.password/);
    }
    assert.equal((await ask({ method: 'GET', url: '/session', headers: bearer(token) })).status, 200);
  });
});

describe('login limits', () => {
  it('count one account however it is typed', () => {
    const limits = new LoginLimits(new ManualClock());
    const spellings = ['anna', ' anna', 'ANNA ', '\tanna', 'Anna'];
    for (const account of spellings) limits.begin('shop', account, '192.0.2.1');
    assert.throws(() => limits.begin('Shop', 'anna  ', '192.0.2.1'), { code: 'LOGIN_LIMITED' });
    const composed = new LoginLimits(new ManualClock());
    for (let index = 0; index < 5; index++) composed.begin('shop', 'ren\u00e9', '192.0.2.1');
    assert.throws(() => composed.begin('shop', 'rene\u0301', '192.0.2.1'), { code: 'LOGIN_LIMITED' });
  });
});

describe('strangers', () => {
  it('send no long bodies and no long names, which would be remembered', async () => {
    const typed = { tenant: 'x'.repeat(300), account: 'a', password: 'b' };
    assert.equal((await ask({ method: 'POST', url: '/login', payload: typed })).body.ReasonCode, 'REQUEST_INVALID');
    for (const url of ['/login', '/setup']) {
      const { status, body } = await ask({ method: 'POST', url, payload: { ...typed, tenant: 'x'.repeat(20_000) } });
      assert.equal(status, 413);
      assert.match(body.Msg ?? '', /16384/);
    }
  });

  it('do not read why the database of a tenant is away', async () => {
    const { services } = identity;
    const directory = Object.assign(Object.create(services.directory), {
      get: (tenant: string) => {
        throw new AppError('TENANT_UNAVAILABLE', { tenant, reason: 'Access denied for shop_user at 10.0.0.7' });
      },
    });
    const away = { ...services, directory };
    const attempts = [
      identify(away, 'v8k.shop.guess'),
      logIn(away, { tenant: 'shop', account: 'anna', password: PASSWORD }, '192.0.2.9'),
    ];
    for (const attempt of attempts) {
      const error = await attempt.then(() => undefined, coerceError);
      assert.equal(error?.code, 'TENANT_UNAVAILABLE');
      assert.doesNotMatch(JSON.stringify(error?.params), /10\.0\.0\.7/);
    }
  });
});

describe('the console behind a proxy that sets its own Host', () => {
  it('is known by the address of http.publicUrl, others are not', async () => {
    await identity.login('shop', 'admin', 'by-proxy');
    const payload = { tenant: 'shop', account: 'by-proxy', password: PASSWORD, cookie: true };
    const login = await ask({ method: 'POST', url: '/login', payload });
    const headers = {
      host: '127.0.0.1:7070',
      cookie: `v8host=${login.cookies[0]?.value}`,
      'x-csrf-token': String(login.body.Data.csrf),
    };
    const end = (origin: string) => ask({ method: 'DELETE', url: '/session', headers: { ...headers, origin } });
    assert.equal((await end('http://evil.example.com')).body.ReasonCode, 'CSRF_REFUSED');
    assert.equal((await end('http://engines.example.com')).status, 200);
  });
});
