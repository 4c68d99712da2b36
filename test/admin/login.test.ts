import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createAdminServer } from '../../src/admin/server.ts';
import type { DosResult } from '../../src/core/dos-result.ts';
import { openIdentity, PASSWORD, type TestIdentity } from '../support/test-identity.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';

const HOUR_MS = 3_600_000;
const HOST_TOKEN = 'token-of-the-host';

let identity: TestIdentity;
let server: FastifyInstance;
const log = new MemoryLog();

before(async () => {
  identity = await openIdentity();
  server = serverOf(identity);
  await server.ready();
});

after(async () => {
  await server.close();
  await identity.close();
});

function serverOf({ admin, services }: TestIdentity, publicUrl?: string): FastifyInstance {
  const now = () => services.clock.now();
  const rest = { token: HOST_TOKEN, lang: 'en', timezone: 'Asia/Shanghai', log, now } as const;
  return createAdminServer({ services: new FakeServices(), identity: admin, publicUrl, ...rest });
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

async function ask(method: Method, url: string, headers: Record<string, string>, payload?: object, from = '192.0.2.7') {
  const response = await server.inject({
    method,
    url: `/api/v1${url}`,
    headers,
    remoteAddress: from,
    ...(payload === undefined ? {} : { payload }),
  });
  const body = response.json() as DosResult & { Data: Record<string, unknown> };
  return { status: response.statusCode, headers: response.headers, body, cookies: response.cookies };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const byHost = bearer(HOST_TOKEN);

describe('a login', () => {
  it('gives a token that works and names user, tenant and role', async () => {
    const { user } = await identity.login('shop', 'developer', 'Anna');
    const typed = { tenant: 'SHOP', account: ' anna ', password: PASSWORD };
    const { status, body } = await ask('POST', '/login', {}, typed);
    assert.equal(status, 200);
    const session = await ask('GET', '/session', bearer(String(body.Data.token)));
    assert.deepEqual([session.body.Data.tenant, session.body.Data.role], ['shop', 'developer']);
    assert.equal((session.body.Data.user as { id: string }).id, user.id);
    assert.doesNotMatch(JSON.stringify([body, session.body]), /quick:|passwordHash/i);
  });

  it('is refused in the same words for a wrong tenant, account or password, and for a user switched off', async () => {
    const { user } = await identity.login('shop', 'viewer', 'switched-off');
    await ask('PATCH', `/tenants/shop/users/${user.id}`, byHost, { isEnabled: false });
    const wrong = [
      { tenant: 'shop', account: 'anna', password: 'not the password' },
      { tenant: 'shop', account: 'nobody', password: PASSWORD },
      { tenant: 'nobody', account: 'anna', password: PASSWORD },
      { tenant: '../x', account: 'anna', password: PASSWORD },
      { tenant: 'demo', account: 'anna', password: PASSWORD },
      { tenant: 'shop', account: 'switched-off', password: PASSWORD },
    ];
    const answers = await Promise.all(wrong.map((typed) => ask('POST', '/login', {}, typed, '192.0.2.8')));
    const told = new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`));
    assert.equal(told.size, 1, [...told].join('\n'));
    assert.equal(answers[0]?.body.ReasonCode, 'LOGIN_FAILED');
  });

  it('ends when it is logged out, and the password is changed', async () => {
    const { token } = await identity.login('shop', 'operator', 'leaver');
    assert.equal((await ask('DELETE', '/session', bearer(token))).status, 200);
    assert.equal((await ask('GET', '/session', bearer(token))).body.ReasonCode, 'SESSION_ENDED');

    const typed = { tenant: 'shop', account: 'leaver', password: PASSWORD };
    const one = String((await ask('POST', '/login', {}, typed)).body.Data.token);
    const two = String((await ask('POST', '/login', {}, typed)).body.Data.token);
    const next = { old: PASSWORD, password: 'another long password' };
    const wrong = await ask('POST', '/session/password', bearer(one), { ...next, old: 'wrong' });
    assert.equal(wrong.body.ReasonCode, 'LOGIN_FAILED');
    const changed = await ask('POST', '/session/password', bearer(one), next);
    assert.equal(changed.status, 200);
    for (const old of [one, two]) assert.equal((await ask('GET', '/session', bearer(old))).status, 401);
    assert.equal((await ask('GET', '/session', bearer(String(changed.body.Data.token)))).status, 200);
    assert.equal((await ask('POST', '/login', {}, typed)).body.ReasonCode, 'LOGIN_FAILED');
  });

  it('is renewed while it is used, in the header of the platform, and ends after its longest life', async () => {
    const { token } = await identity.login('shop', 'designer', 'daily');
    const early = await ask('GET', '/session', bearer(token));
    assert.equal(early.headers.authorization, undefined);
    identity.pass(7 * HOUR_MS);
    const renewed = String((await ask('GET', '/session', bearer(token))).headers.authorization).slice('Bearer '.length);
    identity.pass(6 * HOUR_MS);
    assert.equal((await ask('GET', '/session', bearer(token))).body.ReasonCode, 'TOKEN_EXPIRED');
    assert.equal((await ask('GET', '/session', bearer(renewed))).status, 200);
    identity.pass(30 * 24 * HOUR_MS);
    assert.equal((await ask('GET', '/session', bearer(renewed))).body.ReasonCode, 'TOKEN_EXPIRED');
  });

  it('outlives a new signing key, unless that shall end every login', async () => {
    const { token } = await identity.login('shop', 'designer', 'rotated');
    await ask('POST', '/signing-keys/rotate', byHost, {});
    assert.equal((await ask('GET', '/session', bearer(token))).status, 200);
    await ask('POST', '/signing-keys/rotate', byHost, { endLogins: true });
    assert.equal((await ask('GET', '/session', bearer(token))).body.ReasonCode, 'UNAUTHORIZED');
  });

  it('is not a token that somebody else signed, or that names no algorithm', async () => {
    const { token } = await identity.login('shop', 'viewer', 'forged');
    const [head = '', body = '', signature = ''] = token.split('.');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const forged = [
      `${head}.${encode({ ...claims, os: 'demo' })}.${signature}`,
      `${encode({ alg: 'none' })}.${body}.${signature}`,
      `${encode({ alg: 'HS512', kid: 'x' })}.${body}.${signature}`,
    ];
    for (const text of forged)
      assert.equal((await ask('GET', '/session', bearer(text))).body.ReasonCode, 'UNAUTHORIZED');
  });
});

describe('a login of a browser', () => {
  const login = async (account: string) => {
    await identity.login('shop', 'admin', account);
    const typed = { tenant: 'shop', account, password: PASSWORD, cookie: true };
    const answer = await ask('POST', '/login', {}, typed);
    const [cookie] = answer.cookies;
    return { cookie, csrf: String(answer.body.Data.csrf), body: answer.body };
  };

  it('keeps its token in a cookie that scripts of the page cannot read', async () => {
    const { cookie, body } = await login('page-1');
    assert.equal(body.Data.token, null);
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Strict', '/']);
    const answer = await ask('GET', '/session', { cookie: `v8host=${cookie?.value}` });
    assert.equal(answer.status, 200);
  });

  it('is secure where people come over https', async () => {
    const https = serverOf(identity, 'https://engines.example.com');
    const typed = { tenant: 'shop', account: 'page-1', password: PASSWORD, cookie: true };
    const { cookies } = await https.inject({ method: 'POST', url: '/api/v1/login', payload: typed });
    assert.deepEqual([cookies[0]?.name, cookies[0]?.secure], ['__Host-v8host', true]);
    await https.close();
  });

  it('changes nothing without the text that only its own page knows', async () => {
    const { cookie, csrf } = await login('page-2');
    const other = await login('page-3');
    const mine = { cookie: `v8host=${cookie?.value}`, host: 'engines.example.com' };
    const user = { account: 'made-by-page', password: 'a long password', role: 'admin' };
    const forgeries = [
      mine,
      { ...mine, 'x-csrf-token': 'guess' },
      { ...mine, 'x-csrf-token': other.csrf },
      { ...mine, 'x-csrf-token': csrf, origin: 'https://evil.example.com' },
      { ...mine, 'x-csrf-token': csrf, origin: 'null' },
    ];
    for (const headers of forgeries) {
      const { status, body } = await ask('POST', '/tenants/shop/users', headers, user);
      assert.deepEqual([status, body.ReasonCode], [403, 'CSRF_REFUSED']);
    }
    const good = { ...mine, 'x-csrf-token': csrf, origin: 'http://engines.example.com' };
    assert.equal((await ask('POST', '/tenants/shop/users', good, user)).status, 201);
  });
});

describe('login limits', () => {
  it('let a burst try five passwords, not a thousand', async () => {
    await identity.login('shop', 'viewer', 'victim');
    const guess = (password: string) =>
      ask('POST', '/login', {}, { tenant: 'shop', account: 'victim', password }, '198.51.100.1');
    const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => guess(`guess number ${index}`)));
    const tried = answers.filter(({ body }) => body.ReasonCode === 'LOGIN_FAILED').length;
    assert.equal(tried, 5);
    const late = await guess(PASSWORD);
    assert.deepEqual([late.status, late.body.ReasonCode], [429, 'LOGIN_LIMITED']);
    assert.match(late.body.Msg ?? '', /again in \d+ s/);
    const elsewhere = { tenant: 'shop', account: 'victim', password: PASSWORD };
    assert.equal(
      (await ask('POST', '/login', {}, elsewhere, '198.51.100.2')).status,
      200,
      'the person is not shut out',
    );
    identity.pass(16 * 60_000);
    assert.equal((await guess(PASSWORD)).status, 200);
  });

  it('stop one address that tries one password on many accounts', async () => {
    const codes: (string | undefined)[] = [];
    for (let index = 0; index < 40; index++) {
      const typed = { tenant: 'shop', account: `someone-${index}`, password: 'Spring2027!!' };
      // One IPv6 network is one address.
      codes.push((await ask('POST', '/login', {}, typed, `2001:db8:1:2::${index + 1}`)).body.ReasonCode);
    }
    assert.equal(codes.filter((code) => code === 'LOGIN_FAILED').length, 30);
    assert.equal(codes.at(-1), 'LOGIN_LIMITED');
  });
});

describe('users and keys', () => {
  it('a key is shown once, stored hashed, and refused at once when it is withdrawn', async () => {
    const { token } = await identity.login('shop', 'admin', 'key-maker');
    const draft = { name: 'CI', role: 'developer', scopes: ['engine.push', 'tenant.list'] };
    const made = await ask('POST', '/tenants/shop/keys', bearer(token), draft);
    assert.equal(made.status, 201);
    const key = String(made.body.Data.key);
    assert.match(key, /^v8k\.shop\.[\w-]{43}$/);
    const listed = await ask('GET', '/tenants/shop/keys', bearer(token));
    assert.ok(!JSON.stringify(listed.body).includes(key.slice(-20)));
    assert.equal((await ask('GET', '/tenants', bearer(key))).status, 200);
    assert.equal((await ask('GET', '/tenants/shop/limits', bearer(key))).body.ReasonCode, 'SCOPE_DENIED');
    await ask('DELETE', `/tenants/shop/keys/${made.body.Data.id}`, bearer(token));
    assert.equal((await ask('GET', '/tenants', bearer(key))).status, 401);
    const audit = await identity.services.directory.get('shop')?.identity.audit.list({ limit: 100 });
    assert.ok(!JSON.stringify(audit).includes(key.slice(-20)));
  });

  it('a key gets no scope that its role lacks, and no end in the past', async () => {
    const tooMuch = { name: 'x', role: 'viewer', scopes: ['engine.push'] };
    const answer = await ask('POST', '/tenants/shop/keys', byHost, tooMuch);
    assert.deepEqual([answer.status, answer.body.ReasonCode], [400, 'REQUEST_INVALID']);
    assert.match(answer.body.Msg ?? '', /body\.scopes.*viewer/);
    const past = await ask('POST', '/tenants/shop/keys', byHost, { name: 'x', role: 'viewer', expiresAt: 1 });
    assert.match(past.body.Msg ?? '', /body\.expiresAt/);
  });

  it('admins have Level 9999 or more, others less', async () => {
    const draft = { account: 'leveled', password: 'a long password' };
    const bad = await ask('POST', '/tenants/shop/users', byHost, { ...draft, role: 'viewer', level: 9999 });
    assert.match(bad.body.Msg ?? '', /body\.level/);
    const good = await ask('POST', '/tenants/shop/users', byHost, { ...draft, role: 'admin' });
    assert.equal(good.body.Data.level, 9999);
    const path = `/tenants/shop/users/${good.body.Data.id}`;
    const lowered = await ask('PATCH', path, byHost, { role: 'operator' });
    assert.deepEqual([lowered.body.Data.role, lowered.body.Data.level], ['operator', 0]);
  });

  it('weak passwords and taken accounts are refused by their rule', async () => {
    const add = (account: string, password: string) =>
      ask('POST', '/tenants/shop/users', byHost, { account, password, role: 'viewer' });
    for (const weak of ['short', '1234567890', 'aaaaaaaaaaaa', 'weak-user-12', 'x'.repeat(1100)]) {
      assert.match((await add('weak-user-1', weak)).body.Msg ?? '', /body\.password/, weak);
    }
    assert.equal((await add('ANNA', 'a long password')).body.ReasonCode, 'USER_EXISTS');
    assert.match((await add('no spaces', 'a long password')).body.Msg ?? '', /body\.account/);
  });

  it('a tenant keeps one admin', async () => {
    await identity.services.directory.add('lonely', undefined);
    const { user } = await identity.login('lonely', 'admin', 'only');
    const path = `/tenants/lonely/users/${user.id}`;
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { role: 'viewer' }],
      ['PATCH', { isEnabled: false }],
    ] as const) {
      assert.equal((await ask(method, path, byHost, body)).body.ReasonCode, 'LAST_ADMIN');
    }
    assert.equal((await ask('GET', path, byHost)).body.Data.role, 'admin');
  });

  it('every change is written down with before and after, and without passwords', async () => {
    const { token, user } = await identity.login('shop', 'admin', 'auditor');
    const added = await ask('POST', '/tenants/shop/users', bearer(token), {
      account: 'watched',
      password: 'a secret of mine',
      role: 'viewer',
    });
    const path = `/tenants/shop/users/${added.body.Data.id}`;
    await ask('PATCH', path, bearer(token), { role: 'operator', password: 'another secret' });
    await ask('DELETE', path, bearer(token));
    const all = await identity.services.directory.get('shop')?.identity.audit.list({ target: 'watched', limit: 10 });
    assert.deepEqual(
      all?.map(({ action }) => action),
      ['user.removed', 'user.changed', 'user.added'],
    );
    const [, changed] = all ?? [];
    assert.deepEqual([changed?.actorName, changed?.actorId, changed?.address], ['auditor', user.id, '192.0.2.7']);
    const { before, after } = changed as unknown as Record<'before' | 'after', { role: string; password?: string }>;
    assert.deepEqual([before.role, after.role, after.password], ['viewer', 'operator', '***']);
    assert.doesNotMatch(JSON.stringify(all), /secret/);
  });
});

describe('the first administrator', () => {
  it('is made once, by the code of the start, and may do everything', async () => {
    const fresh = await openIdentity();
    const own = serverOf(fresh);
    const post = async (payload: object) => {
      const response = await own.inject({ method: 'POST', url: '/api/v1/setup', payload });
      return { status: response.statusCode, body: response.json() as DosResult & { Data: Record<string, unknown> } };
    };
    const code = (await fresh.firstAdmin.open()) ?? '';
    const draft = { code, account: 'root', password: 'a long password' };
    assert.equal((await post({ ...draft, code: 'guess' })).body.ReasonCode, 'SETUP_CLOSED');
    assert.match((await post({ ...draft, password: 'short' })).body.Msg ?? '', /body\.password/);
    const both = await Promise.all([post(draft), post({ ...draft, account: 'root-2' })]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 403]);
    const token = both.map(({ body }) => body.Data?.token).find((text) => typeof text === 'string');
    const metrics = await own.inject({ url: '/api/v1/tenants', headers: bearer(String(token)) });
    assert.equal((metrics.json() as DosResult).DataCount, 2, 'he sees every tenant');
    assert.equal((await post({ ...draft, account: 'root-3' })).body.ReasonCode, 'SETUP_CLOSED');
    assert.equal(await fresh.firstAdmin.open(), undefined);
    const page = await own.inject({ url: '/setup' });
    assert.match(page.headers['content-security-policy'] as string, /script-src 'sha256-/);
    await own.close();
    await fresh.close();
  });

  it('is not made over by an admin of the main tenant', async () => {
    const place = { by: { kind: 'host', id: '', name: 'x', level: 0 }, address: '', tenant: 'demo' } as const;
    const caller = { kind: 'host', by: place.by } as const;
    const root = await identity.admin.addUser(
      { ...place, caller },
      { account: 'the-root', name: '', password: PASSWORD, role: 'admin', isHostAdmin: true },
    );
    const { token } = await identity.login('demo', 'admin', 'climber');
    const path = `/tenants/demo/users/${root.id}`;
    for (const [method, body] of [
      ['PATCH', { password: 'mine from now on' }],
      ['DELETE', undefined],
    ] as const) {
      assert.equal((await ask(method, path, bearer(token), body)).body.ReasonCode, 'ROLE_DENIED');
    }
    const self = { account: 'climber-2', password: 'a long password', role: 'admin', isHostAdmin: true };
    assert.equal((await ask('POST', '/tenants/demo/users', bearer(token), self)).body.ReasonCode, 'ROLE_DENIED');
  });
});
