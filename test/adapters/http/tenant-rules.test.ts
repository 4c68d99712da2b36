/** What one tenant may reach and which secrets go where, with real servers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { type ClosableHttpClient, createHttpClient } from '../../../src/adapters/http/http-client.ts';
import type { OutboundRules } from '../../../src/adapters/http/tenant-outbound.ts';
import { AppError } from '../../../src/core/errors.ts';
import { type AllowedTarget, parseAllowedTarget } from '../../../src/core/outbound-target.ts';
import type { HttpRequest } from '../../../src/ports/http-client.ts';

let server: Server;
let port: number;
let client: ClosableHttpClient;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let seen: IncomingMessage[] = [];
let sockets = new Set<unknown>();

before(async () => {
  server = createServer((request, response) => {
    seen.push(request);
    sockets.add(request.socket);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(async () => {
  await client.close();
  seen = [];
  sockets = new Set();
  answer = (_, response) => response.end('ok');
});

const target = (text: string): AllowedTarget => parseAllowedTarget(text) ?? assert.fail(text);

function open(allow: readonly string[], tenants: Readonly<Record<string, Partial<OutboundRules>>>): void {
  answer = (_, response) => response.end('ok');
  client = createHttpClient({
    allow: allow.map(target),
    tenants: new Map(
      Object.entries(tenants).map(([tenant, rules]) => [tenant, { allow: [], credentials: new Map(), ...rules }]),
    ),
    maxBodyBytes: 1_000,
    // Every name of these tests is this machine.
    resolve: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  });
}

function send(tenant: string, url: string, extra: Partial<HttpRequest> = {}) {
  return client.send({
    tenant,
    method: 'GET',
    url,
    headers: {},
    body: undefined,
    credential: undefined,
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...extra,
  });
}

const isCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

describe('targets of one tenant', () => {
  it('are closed to the others, also while its connection stands open', async () => {
    open([], { acme: { allow: [target(`127.0.0.1:${port}`)] } });
    const url = `http://127.0.0.1:${port}/`;
    assert.equal((await send('acme', url)).status, 200);
    await assert.rejects(send('globex', url), isCode('HTTP_TARGET_DENIED'));
    assert.equal((await send('ACME', url)).status, 200);
    assert.equal(seen.length, 2);
  });

  it('are reached over connections of its own where all may reach them', async () => {
    open([`127.0.0.1:${port}`], {});
    await send('acme', `http://127.0.0.1:${port}/`);
    await send('globex', `http://127.0.0.1:${port}/`);
    assert.equal(sockets.size, 2);
  });
});

describe('a credential of the operator', () => {
  const bearer = { authorization: 'Bearer s3cret' };
  const rules = (): Partial<OutboundRules> => ({
    allow: [target(`erp.test:${port}`), target(`other.test:${port}`)],
    credentials: new Map([
      ['erp', { hosts: [target(`erp.test:${port}`)], headers: bearer }],
      ['keys', { hosts: [target(`erp.test:${port}`)], headers: { 'x-api-key': 's3cret' } }],
    ]),
  });
  const erp = (): string => `http://erp.test:${port}/`;

  it('goes into the request, in place of the script’s own header', async () => {
    open([], { acme: rules() });
    await send('acme', erp(), { credential: 'erp', headers: { Authorization: 'Bearer mine', 'x-a': '1' } });
    assert.equal(seen[0]?.headers.authorization, 'Bearer s3cret');
    assert.equal(seen[0]?.headers['x-a'], '1');
  });

  it('has no name for another tenant', async () => {
    open([`erp.test:${port}`], { acme: rules() });
    await assert.rejects(send('globex', erp(), { credential: 'erp' }), isCode('HTTP_CREDENTIAL_UNKNOWN'));
    for (const name of ['nothing', 'constructor', '__proto__', 'ERP']) {
      await assert.rejects(send('acme', erp(), { credential: name }), isCode('HTTP_CREDENTIAL_UNKNOWN'));
    }
    assert.equal(seen.length, 0);
  });

  it('goes to no host that is not listed with it', async () => {
    open([], { acme: rules() });
    await assert.rejects(
      send('acme', `http://other.test:${port}/`, { credential: 'erp' }),
      isCode('HTTP_CREDENTIAL_DENIED'),
    );
    assert.equal(seen.length, 0);
  });

  for (const name of ['erp', 'keys']) {
    it(`stays on its origin when a redirect leaves it: ${name}`, async () => {
      open([], { acme: rules() });
      answer = (request, response) => {
        if (request.headers.host?.startsWith('erp.test') === true && request.url === '/') {
          response.writeHead(307, { Location: '/again' }).end();
        } else if (request.url === '/again') {
          response.writeHead(307, { Location: `http://other.test:${port}/` }).end();
        } else response.end();
      };
      await send('acme', erp(), { credential: name });
      const secrets = seen.map((request) => JSON.stringify(request.headers).includes('s3cret'));
      assert.deepEqual(secrets, [true, true, false]);
    });
  }

  it('is in no error', async () => {
    open([], { acme: { ...rules(), allow: [] } });
    const error = await send('acme', erp(), { credential: 'erp' }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'HTTP_TARGET_DENIED');
    assert.doesNotMatch(JSON.stringify(error.toRecord()) + String(error.stack) + String(error.cause), /s3cret/);
  });
});

describe('headers of a script', () => {
  it('stay behind when a redirect leaves the origin, but for harmless ones', async () => {
    open([`erp.test:${port}`, `other.test:${port}`], {});
    answer = (request, response) => {
      if (request.url === '/') response.writeHead(307, { Location: `http://other.test:${port}/next` }).end();
      else response.end();
    };
    const headers = {
      'x-api-key': 'k',
      cookie: 'c',
      authorization: 'a',
      'user-agent': 'u',
      'content-type': 'text/plain',
    };
    await send('acme', `http://erp.test:${port}/`, { method: 'POST', body: 'x', headers });
    const kept = Object.keys(headers).filter((name) => seen[1]?.headers[name] !== undefined);
    assert.deepEqual(kept, ['user-agent', 'content-type']);
  });
});

describe('requests of one tenant', () => {
  it('run sixteen at once; more wait and keep their own deadline and the run’s end', async () => {
    open([`127.0.0.1:${port}`], {});
    const held: ServerResponse[] = [];
    answer = (_, response) => void held.push(response);
    const url = `http://127.0.0.1:${port}/`;
    const first = Array.from({ length: 16 }, () => send('acme', url));
    const run = new AbortController();
    const late = assert.rejects(send('acme', url, { timeoutMs: 50 }), /no complete answer within 50 ms/);
    const ended = assert.rejects(send('acme', url, { signal: run.signal }), /the run ended/);
    const waiting = send('acme', url);
    await late;
    run.abort();
    await ended;
    const other = send('globex', url);
    while (held.length < 17) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(held.length, 17, 'sixteen of one tenant and one of another');
    answer = (_, response) => response.end('later');
    for (const response of held) response.end('first');
    assert.deepEqual(
      (await Promise.all([...first, other, waiting])).map(({ status }) => status),
      Array(18).fill(200),
    );
  });

  it('bodies over the limit are not sent', async () => {
    open([`127.0.0.1:${port}`], {});
    const url = `http://127.0.0.1:${port}/`;
    await assert.rejects(
      send('acme', url, { method: 'POST', body: 'é'.repeat(501) }),
      /request has more than 1000 bytes/,
    );
    await send('acme', url, { method: 'POST', body: Uint8Array.from({ length: 1_000 }, () => 7) });
    assert.equal(seen.length, 1);
  });
});

describe('a redirect from https to http', () => {
  it('is the answer', async () => {
    const { nextHop } = await import('../../../src/adapters/http/redirect.ts');
    const hop = {
      url: new URL('https://a.test/'),
      method: 'GET',
      headers: {},
      secretHeaders: {},
      body: undefined,
    } as const;
    assert.equal(nextHop(hop, 302, 'http://a.test/'), undefined);
    assert.equal(nextHop(hop, 302, '/b')?.url.href, 'https://a.test/b');
    assert.equal(nextHop(hop, 302, 'http:/b'), undefined, 'the scheme alone is enough');
  });

  it('keeps HEAD a HEAD', async () => {
    const { nextHop } = await import('../../../src/adapters/http/redirect.ts');
    const hop = {
      url: new URL('https://a.test/'),
      method: 'HEAD',
      headers: {},
      secretHeaders: {},
      body: undefined,
    } as const;
    for (const status of [301, 302, 303, 307, 308]) assert.equal(nextHop(hop, status, '/b')?.method, 'HEAD');
  });
});
