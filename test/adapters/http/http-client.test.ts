import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { type ClosableHttpClient, createHttpClient } from '../../../src/adapters/http/http-client.ts';
import type { OutboundRules } from '../../../src/adapters/http/tenant-outbound.ts';
import { AppError, type ErrorCode } from '../../../src/core/errors.ts';
import { type AllowedTarget, parseAllowedTarget } from '../../../src/core/outbound-target.ts';
import type { HttpRequest } from '../../../src/ports/http-client.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

describe('outbound HTTP', () => {
  let server: Server;
  let port: number;
  let handler: Handler;
  let client: ClosableHttpClient | undefined;
  let hits = 0;
  /** Answers of the test's resolver; names that are not here do not exist. */
  const names = new Map<string, string[]>();
  let resolutions: string[] = [];

  before(async () => {
    server = createServer(async (request, response) => {
      hits++;
      handler(request, response, await readBody(request));
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
    await client?.close();
    names.clear();
    resolutions = [];
    hits = 0;
  });

  function open(
    allow: readonly string[],
    maxBodyBytes = 1_000,
    tenants?: ReadonlyMap<string, OutboundRules>,
  ): ClosableHttpClient {
    client = createHttpClient({
      allow: allow.map(targetOf),
      ...(tenants === undefined ? {} : { tenants }),
      maxBodyBytes,
      resolve: (name, _options, done) => {
        resolutions.push(name);
        const addresses = names.get(name);
        if (addresses === undefined) return done(Object.assign(new Error(name), { code: 'ENOTFOUND' }), []);
        return done(null, addresses.map(toLookupAddress));
      },
    });
    return client;
  }
  const local = (path = '/'): string => `http://127.0.0.1:${port}${path}`;
  const send = async (url: string, extra: Partial<HttpRequest> = {}) => {
    if (client === undefined) throw new Error('no client');
    const defaults = {
      tenant: 'acme',
      method: 'GET',
      headers: {},
      body: undefined,
      credential: undefined,
      timeoutMs: 5_000,
    } as const;
    const { body, ...rest } = await client.send({
      ...defaults,
      url,
      signal: new AbortController().signal,
      ...extra,
    });
    return { ...rest, body: new TextDecoder().decode(body) };
  };

  it('sends method, headers and body and returns status, headers and text', async () => {
    let seen: unknown;
    handler = (request, response, body) => {
      seen = { method: request.method, url: request.url, key: request.headers['idempotency-key'], body };
      response.writeHead(201, { 'Set-Cookie': ['a=1', 'b=2'], 'X-Answer': 'yes' }).end('好');
    };
    open([`127.0.0.1:${port}`]);
    const answer = await send(local('/orders?x=1'), {
      method: 'POST',
      headers: { 'Idempotency-Key': 'k1', 'Content-Length': '999', Connection: 'close', Host: 'other.example' },
      body: '{"Id":"订单"}',
    });
    assert.deepEqual(seen, { method: 'POST', url: '/orders?x=1', key: 'k1', body: '{"Id":"订单"}' });
    assert.equal(answer.status, 201);
    assert.equal(answer.body, '好');
    assert.deepEqual(
      answer.headers.filter(({ name }) => name === 'set-cookie'),
      [
        { name: 'set-cookie', value: 'a=1' },
        { name: 'set-cookie', value: 'b=2' },
      ],
    );
    assert.ok(answer.headers.some(({ name, value }) => name === 'x-answer' && value === 'yes'));
  });

  it('returns error statuses as answers', async () => {
    handler = (_request, response) => response.writeHead(503).end('later');
    open([`127.0.0.1:${port}`]);
    assert.deepEqual((({ status, body }) => ({ status, body }))(await send(local())), { status: 503, body: 'later' });
  });

  for (const url of [
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::1]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
  ]) {
    it(`refuses ${url}`, async () => {
      handler = (_request, response) => response.end('reached');
      open([]);
      await rejects(send(url.replace('PORT', String(port))), 'HTTP_TARGET_DENIED');
      assert.equal(hits, 0);
    });
  }

  it('refuses a public name that resolves to a private address', async () => {
    names.set('rebind.example', ['127.0.0.1']);
    open([]);
    await rejects(send(`http://rebind.example:${port}/`), 'HTTP_TARGET_DENIED');
    assert.deepEqual(resolutions, ['rebind.example']);
  });

  it('refuses a rooted localhost', async () => {
    names.set('localhost.', ['127.0.0.1', '::1']);
    open([]);
    await rejects(send(`http://localhost.:${port}/`), 'HTTP_TARGET_DENIED');
  });

  it('connects to what it checked: one resolution a connection', async () => {
    handler = (_request, response) => response.end('ok');
    names.set('erp.internal', ['127.0.0.1']);
    open([`erp.internal:${port}`]);
    assert.equal((await send(`http://erp.internal:${port}/`)).body, 'ok');
    assert.deepEqual(resolutions, ['erp.internal']);
  });

  it('does not open other ports of an allowed host', async () => {
    open([`127.0.0.1:${port + 1}`]);
    await rejects(send(local()), 'HTTP_TARGET_DENIED');
  });

  it('checks every hop of a redirect', async () => {
    handler = (_request, response) => response.writeHead(302, { Location: `http://127.0.0.2:${port}/inside` }).end();
    open([`127.0.0.1:${port}`]);
    await rejects(send(local()), 'HTTP_TARGET_DENIED', /127\.0\.0\.2/);
  });

  it('turns a redirected POST into a GET, and keeps it for 307', async () => {
    const seen: string[] = [];
    handler = (request, response, body) => {
      seen.push(`${request.method} ${request.url} ${body} ${request.headers['content-type'] ?? '-'}`);
      if (request.url === '/a') response.writeHead(307, { Location: '/b' }).end();
      else if (request.url === '/b') response.writeHead(302, { Location: '/c' }).end();
      else response.end('end');
    };
    open([`127.0.0.1:${port}`]);
    const post = { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } } as const;
    assert.equal((await send(local('/a'), post)).body, 'end');
    assert.deepEqual(seen, ['POST /a x text/plain', 'POST /b x text/plain', 'GET /c  -']);
  });

  it('keeps credentials from another origin', async () => {
    const seen: unknown[] = [];
    handler = (request, response) => {
      seen.push(request.headers.authorization);
      if (request.url === '/a') response.writeHead(307, { Location: `http://other.internal:${port}/b` }).end();
      else response.end();
    };
    names.set('other.internal', ['127.0.0.1']);
    open([`127.0.0.1:${port}`, 'other.internal']);
    await send(local('/a'), { headers: { Authorization: 'Bearer t' } });
    assert.deepEqual(seen, ['Bearer t', undefined]);
  });

  it('ends after five redirects', async () => {
    handler = (_request, response) => response.writeHead(302, { Location: '/again' }).end();
    open([`127.0.0.1:${port}`]);
    await rejects(send(local()), 'HTTP_FAILED', /more than 5 redirects/);
    assert.equal(hits, 6);
  });

  it('ends an answer that is too large', async () => {
    handler = (_request, response) => response.end('x'.repeat(1_001));
    open([`127.0.0.1:${port}`]);
    await rejects(send(local()), 'HTTP_FAILED', /127\.0\.0\.1:\d+ failed: .*the answer has more than 1000 bytes/);
    handler = (_request, response) => response.end('x'.repeat(1_000));
    assert.equal((await send(local())).body.length, 1_000);
  });

  it('ends at its deadline, also in the middle of the body', async () => {
    handler = (_request, response) => void response.writeHead(200).write('begin');
    open([`127.0.0.1:${port}`]);
    await rejects(send(local(), { timeoutMs: 60 }), 'HTTP_FAILED', /no complete answer within 60 ms/);
  });

  it('ends when the run ends', async () => {
    const run = new AbortController();
    handler = () => run.abort();
    open([`127.0.0.1:${port}`]);
    await rejects(send(local(), { signal: run.signal }), 'HTTP_FAILED', /the run ended/);
  });

  it('says in words why nothing answered', async () => {
    open(['127.0.0.1', 'nowhere.example']);
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const free = (closed.address() as AddressInfo).port;
    closed.close();
    await once(closed, 'close');
    await rejects(send(`http://127.0.0.1:${free}/`), 'HTTP_FAILED', /connection refused/);
    await rejects(send('http://nowhere.example/'), 'HTTP_FAILED', /unknown host name/);
  });

  for (const [url, rule] of [
    ['file:///etc/passwd', /only http and https/],
    ['ftp://erp.example/x', /only http and https/],
    ['/relative', /not an absolute URL/],
    ['http://user:hunter2@erp.example/', /user:password in a URL is not allowed/],
  ] as const) {
    it(`refuses ${url} and names the rule`, async () => {
      open([]);
      await rejects(send(url), 'HTTP_FAILED', rule);
    });
  }

  it('never names path, query or credentials in an error', async () => {
    open([]);
    for (const url of [
      'http://10.0.0.1/secret?token=hunter2',
      'http://user:hunter2@a.example/',
      'http://b.example/hunter2',
    ]) {
      const error = await send(url).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof AppError);
      assert.doesNotMatch(error.message, /hunter2|secret/);
    }
  });
});

async function rejects(work: Promise<unknown>, code: ErrorCode, message = /./): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function targetOf(text: string): AllowedTarget {
  return parseAllowedTarget(text) ?? assert.fail(`no target: ${text}`);
}

function toLookupAddress(address: string): LookupAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}
