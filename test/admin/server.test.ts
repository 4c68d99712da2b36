import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InjectOptions } from 'fastify';
import { createAdminServer } from '../../src/admin/server.ts';
import type { DosResult } from '../../src/core/dos-result.ts';
import { AppError } from '../../src/core/errors.ts';
import type { ParkedRow } from '../../src/ports/tenant-store.ts';
import { FakeServices, MemoryLog, TOPIC_BINDING } from './fake-services.ts';
import { NO_IDENTITY } from './no-identity.ts';

const TOKEN = 'secret-token-of-the-test';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

type Request = Pick<InjectOptions, 'method' | 'payload'> & { readonly url: string };

/** Every route of `/api/v1` with a request that it accepts. */
const ROUTES: Readonly<Record<string, Request>> = {
  'list tenants': { method: 'GET', url: '/api/v1/tenants' },
  'add a tenant': { method: 'POST', url: '/api/v1/tenants', payload: { tenant: 'newcomer' } },
  push: {
    method: 'PUT',
    url: '/api/v1/tenants/demo/engines',
    payload: { files: [{ path: 'a.js', text: 'return {Code:1}' }] },
  },
  run: { method: 'POST', url: '/api/v1/tenants/demo/engines/stock-show/run', payload: { Sku: 'P-1' } },
  send: { method: 'POST', url: '/api/v1/tenants/demo/queues/orders/messages', payload: { Message: { a: 1 } } },
  story: { method: 'GET', url: '/api/v1/tenants/demo/events/order-A-1' },
  deliveries: { method: 'GET', url: '/api/v1/tenants/demo/deliveries?state=acked&limit=5' },
  'dead letters': { method: 'GET', url: '/api/v1/tenants/demo/dead-letters' },
  'dead-letter groups': { method: 'GET', url: '/api/v1/tenants/demo/dead-letter-groups' },
  'a dead letter': { method: 'GET', url: '/api/v1/tenants/demo/dead-letters/broken-1' },
  edit: { method: 'POST', url: '/api/v1/tenants/demo/dead-letters/broken-1/edit', payload: { Message: { a: 1 } } },
  purge: { method: 'POST', url: '/api/v1/tenants/demo/dead-letters/purge', payload: { all: true } },
  try: { method: 'POST', url: '/api/v1/tenants/demo/try', payload: { eventId: 'broken-1' } },
  bindingStates: { method: 'GET', url: '/api/v1/tenants/demo/binding-states' },
  limits: { method: 'GET', url: '/api/v1/tenants/demo/limits' },
  engines: { method: 'GET', url: '/api/v1/tenants/demo/engines' },
  'an engine': { method: 'GET', url: '/api/v1/tenants/demo/engines/stock-show' },
  tables: { method: 'GET', url: '/api/v1/tenants/demo/tables' },
  bindings: { method: 'GET', url: '/api/v1/tenants/demo/bindings' },
  'bind a queue': {
    method: 'POST',
    url: '/api/v1/tenants/demo/bindings',
    payload: { queue: 'orders', engineKey: 'stock-show' },
  },
  'change a binding': { method: 'PATCH', url: '/api/v1/tenants/demo/bindings/1', payload: { enabled: false } },
  'end a binding': { method: 'DELETE', url: '/api/v1/tenants/demo/bindings/1' },
  'bind a topic': {
    method: 'POST',
    url: '/api/v1/tenants/demo/mqtt/bindings',
    payload: { filter: 'sensor/+', queue: 'readings' },
  },
  "change a topic's binding": {
    method: 'PATCH',
    url: '/api/v1/tenants/demo/mqtt/bindings/t1',
    payload: { enabled: false },
  },
  "end a topic's binding": { method: 'DELETE', url: '/api/v1/tenants/demo/mqtt/bindings/t1' },
  overview: { method: 'GET', url: '/api/v1/tenants/demo/overview' },
  replay: { method: 'POST', url: '/api/v1/tenants/demo/dead-letters/replay', payload: { all: true } },
};

const TENANT_ROUTES = Object.entries(ROUTES).filter(([, request]) => request.url.includes('/tenants/demo/'));

function start() {
  const services = new FakeServices();
  const log = new MemoryLog();
  const server = createAdminServer({
    services,
    identity: NO_IDENTITY,
    token: TOKEN,
    lang: 'zh',
    timezone: 'Asia/Shanghai',
    log,
  });
  const ask = async (request: InjectOptions, headers: Record<string, string> = AUTHORIZED) => {
    const response = await server.inject({ ...request, headers: { ...headers, ...request.headers } });
    return { status: response.statusCode, headers: response.headers, body: response.json() as DosResult };
  };
  return { services, log, server, ask };
}

describe('the token', () => {
  for (const [name, request] of Object.entries(ROUTES)) {
    it(`is asked for by: ${name}`, async () => {
      const { services, ask } = start();
      const attempts = [{}, { authorization: 'Bearer wrong' }, { authorization: TOKEN }, { authorization: 'Bearer ' }];
      for (const headers of attempts as Record<string, string>[]) {
        const { status, headers: answer, body } = await ask(request, headers);
        assert.equal(status, 401);
        assert.equal(answer['www-authenticate'], 'Bearer');
        assert.equal(body.ReasonCode, 'UNAUTHORIZED');
      }
      assert.deepEqual(services.calls, []);
    });
  }

  it('is asked for before a route is said to be unknown', async () => {
    const { ask } = start();
    assert.equal((await ask({ method: 'GET', url: '/api/v1/nothing' }, {})).status, 401);
  });
});

describe('an accepted request', () => {
  for (const [name, request] of Object.entries(ROUTES)) {
    it(`is answered with Code 1: ${name}`, async () => {
      const { services, ask } = start();
      const { status, headers, body } = await ask(request);
      assert.equal(status, ['add a tenant', 'bind a queue', 'bind a topic'].includes(name) ? 201 : 200);
      assert.equal(body.Code, 1);
      assert.equal(
        services.calls.filter(({ method }) => method !== 'bindingStates' || name === 'bindingStates').length,
        1,
      );
      assert.equal(headers['cache-control'], 'no-store');
    });
  }
});

describe('the tenant in the path', () => {
  for (const [name, request] of TENANT_ROUTES) {
    it(`must be a tenant name: ${name}`, async () => {
      const { services, ask } = start();
      for (const tenant of ['-x', '__proto__', 'a%2Fb', 'a'.repeat(51), '%E4%B8%AD', '%00', '..%2Fdemo']) {
        const { status, body } = await ask({ ...request, url: request.url.replace('/demo/', `/${tenant}/`) });
        assert.equal(status, 400, tenant);
        assert.equal(body.ReasonCode, 'TENANT_INVALID', tenant);
      }
      assert.deepEqual(services.calls, []);
    });

    it(`must exist: ${name}`, async () => {
      const { ask } = start();
      const { status, body } = await ask({ ...request, url: request.url.replace('/demo/', '/other/') });
      assert.equal(status, 404);
      assert.equal(body.ReasonCode, 'TENANT_UNKNOWN');
      assert.match(body.Msg ?? '', /other/);
    });
  }
});

describe('a bad body', () => {
  const REFUSED: readonly (readonly [string, Request, RegExp])[] = [
    ['tenant missing', { method: 'POST', url: '/api/v1/tenants', payload: {} }, /body\.tenant.*string/],
    ['unknown key', { method: 'POST', url: '/api/v1/tenants', payload: { tenant: 'x', dbUrl: 'y' } }, /body\.dbUrl/],
    ['not an object', { method: 'POST', url: '/api/v1/tenants', payload: '[1]' }, /body.*object/],
    ['no body', { method: 'POST', url: '/api/v1/tenants' }, /body.*object/],
    ['no files', { ...push(), payload: {} }, /body\.files.*array/],
    ['file without text', { ...push(), payload: { files: [{ path: 'a.js' }] } }, /body\.files\[0\]\.text.*string/],
    ['file outside', { ...push(), payload: { files: [{ path: '../a.js', text: '' }] } }, /files\[0\]\.path.*relative/],
    ['absolute file', { ...push(), payload: { files: [{ path: '/a.js', text: '' }] } }, /files\[0\]\.path.*relative/],
    ['prune no boolean', { ...push(), payload: { files: [], prune: 'yes' } }, /body\.prune.*boolean/],
    ['no Message', { ...send(), payload: { EventId: 'a' } }, /Message is missing/],
    ['EventId no text', { ...send(), payload: { EventId: {}, Message: 1 } }, /body\.EventId/],
    ['lower-case message', { ...send(), payload: { message: 1 } }, /body\.message/],
    ['replay of nothing named', { ...replay(), payload: {} }, /queue, eventId, .* or all:true/],
    ['all: false', { ...replay(), payload: { all: false } }, /queue, eventId, .* or all:true/],
    ['limit no number', { method: 'GET', url: '/api/v1/tenants/demo/deliveries?limit=x' }, /query\.limit.*number/],
    ['limit too large', { method: 'GET', url: '/api/v1/tenants/demo/dead-letters?limit=1001' }, /query\.limit.*1000/],
    ['unknown state', { method: 'GET', url: '/api/v1/tenants/demo/dead-letters?state=gone' }, /query\.state.*dead/],
    ['unknown query', { method: 'GET', url: '/api/v1/tenants/demo/deliveries?limti=3' }, /query\.limti/],
  ];

  for (const [name, request, message] of REFUSED) {
    it(`is refused naming field and rule: ${name}`, async () => {
      const { services, ask } = start();
      const headers = { lang: 'en', 'content-type': 'application/json' };
      const { status, body } = await ask({ ...request, headers });
      assert.equal(status, 400);
      assert.equal(body.Code, 0);
      assert.equal(body.ReasonCode, 'REQUEST_INVALID');
      assert.match(body.Msg ?? '', message);
      assert.deepEqual(services.calls, []);
    });
  }

  it('names every wrong field, not the first alone', async () => {
    const { ask } = start();
    const { body } = await ask({ ...push(), payload: { files: [{ path: 1, text: 2 }], prune: 3 } });
    for (const field of ['files[0].path', 'files[0].text', 'prune']) assert.ok(body.Msg?.includes(field), field);
  });

  it('is refused with the position where its JSON breaks, without quoting it', async () => {
    const { ask } = start();
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await ask({ ...send(), headers, payload: '{"Message": secret}' });
    assert.equal(status, 400);
    assert.equal(body.ReasonCode, 'JSON_INVALID');
    assert.match(body.Msg ?? '', /13/);
    assert.doesNotMatch(JSON.stringify(body), /secret/);
  });

  it('is refused when nested too deep', async () => {
    const { ask } = start();
    const headers = { 'content-type': 'application/json' };
    const payload = `{"Message":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const { status, body } = await ask({ ...send(), headers, payload });
    assert.equal(status, 400);
    assert.equal(body.ReasonCode, 'JSON_INVALID');
  });

  it('is refused when it has more values than the host reads', async () => {
    const { ask } = start();
    const headers = { 'content-type': 'application/json' };
    const payload = `{"Message":[${Array(2_000_000).fill('{}').join(',')}]}`;
    const { status, body } = await ask({ ...send(), headers, payload });
    assert.deepEqual([status, body.ReasonCode], [400, 'JSON_INVALID']);
    assert.match(body.Msg ?? '', /500000/);
  });

  it('is refused when it is no JSON by its media type', async () => {
    const { ask } = start();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body } = await ask({ ...send(), headers, payload: 'Message=1' });
    assert.equal(status, 415);
    assert.match(body.Msg ?? '', /Content-Type: application\/json/);
  });

  it('is refused when it is too large', async () => {
    const { ask } = start();
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await ask({
      ...send(),
      headers,
      payload: `{"Message":"${'x'.repeat(17 * 1024 * 1024)}"}`,
    });
    assert.equal(status, 413);
    assert.equal(body.ReasonCode, 'REQUEST_TOO_LARGE');
  });

  it('cannot reach a prototype', async () => {
    const { services, ask } = start();
    const headers = { 'content-type': 'application/json' };
    const payload = '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1},"b":2}}';
    const { status } = await ask({ method: 'POST', url: ROUTES.run?.url ?? '', headers, payload });
    assert.equal(status, 200);
    assert.deepEqual(services.lastArgs()[2], { a: { b: 2 } });
    assert.equal(({} as { polluted?: number }).polluted, undefined);
  });
});

describe('languages', () => {
  const bad = { method: 'POST', url: '/api/v1/tenants', payload: { tenant: 5 } } as const;

  it("are the host's own unless the request asks", async () => {
    const { ask } = start();
    assert.match((await ask(bad)).body.Msg ?? '', /请求的 body\.tenant 不合法：.*期望/);
  });

  it('follow the header lang, and before it the query _Lang', async () => {
    const { ask } = start();
    assert.match((await ask({ ...bad, headers: { lang: 'en-US' } })).body.Msg ?? '', /^The request is invalid/);
    const both = { ...bad, url: `${bad.url}?_Lang=en`, headers: { lang: 'zh' } };
    assert.match((await ask(both)).body.Msg ?? '', /^The request is invalid/);
    assert.match((await ask({ ...bad, headers: { lang: 'fr' } })).body.Msg ?? '', /^请求的/);
  });

  it('are passed on to where a message is sent', async () => {
    const { services, ask } = start();
    await ask({ ...send(), headers: { lang: 'en' } });
    assert.equal(services.lastArgs()[3], 'en');
  });
});

describe('sending', () => {
  it("keeps the message's own JSON text", async () => {
    const { services, ask } = start();
    const headers = { 'content-type': 'application/json' };
    const payload = '{"EventId":"e-1","Message":{"Id": 12345678901234567890, "n":1.0}}';
    await ask({ ...send(), headers, payload });
    assert.deepEqual(services.lastArgs()[2], {
      eventId: 'e-1',
      messageJson: '{"Id": 12345678901234567890, "n":1.0}',
    });
  });

  it('takes null and falsy messages', async () => {
    const { services, ask } = start();
    for (const message of [null, 0, '', false]) {
      const { status } = await ask({ ...send(), payload: { Message: message } });
      assert.equal(status, 200);
      assert.deepEqual(services.lastArgs()[2], { eventId: undefined, messageJson: JSON.stringify(message) });
    }
  });

  it('refuses an EventId that breaks the rule', async () => {
    const { ask } = start();
    const { status, body } = await ask({ ...send(), payload: { EventId: 'x'.repeat(129), Message: 1 } });
    assert.equal(status, 400);
    assert.equal(body.ReasonCode, 'EVENT_ID_INVALID');
  });

  it('answers a refusal with the status of its code', async () => {
    const { services, ask } = start();
    services.sendMessage = async () => ({ Code: 0, Msg: 'away', ReasonCode: 'QUEUE_UNAVAILABLE' });
    assert.deepEqual((await ask(send())).status, 503);
  });
});

describe('running an engine', () => {
  const run = ROUTES.run as Request;

  it("answers with the script's own result when that is one", async () => {
    const { services, ask } = start();
    services.runResult = { Code: 0, Msg: 'no such order', Data: [1], DataCount: 7, Extra: true };
    const { status, body } = await ask(run);
    assert.equal(status, 200);
    assert.deepEqual(body, services.runResult);
  });

  it('puts any other result into Data', async () => {
    const { services, ask } = start();
    for (const result of [null, 5, 'text', [1, 2], { Stock: 98 }]) {
      services.runResult = result;
      assert.deepEqual((await ask(run)).body, { Code: 1, Data: result, Msg: null });
    }
  });

  it('gives the parameter as it came, an empty object without a body', async () => {
    const { services, ask } = start();
    await ask(run);
    assert.deepEqual(services.lastArgs(), ['demo', 'stock-show', { Sku: 'P-1' }, 'zh']);
    await ask({ method: 'POST', url: run.url });
    assert.deepEqual(services.lastArgs(), ['demo', 'stock-show', {}, 'zh']);
  });

  it('refuses a key that is none', async () => {
    const { ask } = start();
    const { status, body } = await ask({ ...run, url: run.url.replace('stock-show', 'a.b') });
    assert.equal(status, 400);
    assert.equal(body.ReasonCode, 'ENGINE_KEY_INVALID');
  });

  it("shows a script's error with its place and its own stack", async () => {
    const { services, ask } = start();
    const stack = 'at save (stock-show.js:3:9)';
    services.failure = new AppError('SCRIPT_THREW', { message: 'Error: x', line: 3, column: 9, stack });
    const { status, body } = await ask({ ...run, headers: { lang: 'en' } });
    assert.equal(status, 422);
    assert.match(body.Msg ?? '', /The script threw: Error: x/);
    assert.deepEqual(body.DataAppend, { message: 'Error: x', line: 3, column: 9, stack });
  });
});

describe('pushing', () => {
  it('passes files and switches on and answers with the report', async () => {
    const { services, ask } = start();
    const payload = { files: [{ path: 'sub/a.js', text: 'x' }], prune: true, dryRun: true };
    const { body } = await ask({ ...push(), payload });
    assert.deepEqual(services.lastArgs(), ['demo', payload]);
    assert.deepEqual(body.Data, {
      added: ['sub/a.js'],
      changed: [],
      unchanged: ['old'],
      leftOut: [],
      pruned: [],
      tables: ['shop_stock'],
    });
  });

  it('lists every refusal with file, line and column, in the order of the files', async () => {
    const { services, ask } = start();
    services.refusals = [
      { code: 'SCRIPT_SYNTAX', params: { file: 'b.js', line: 9, column: 1, message: 'last' } },
      { code: 'SCRIPT_SYNTAX', params: { file: 'a.js', line: 3, column: 7, message: 'Unexpected token' } },
      { code: 'HEADER_INVALID', params: { file: 'b.js', line: 2, rule: '@retri' } },
    ];
    const { status, body } = await ask({ ...push(), headers: { lang: 'en' } });
    assert.equal(status, 422);
    assert.equal(body.ReasonCode, 'PUSH_REFUSED');
    assert.deepEqual(body.Data, {
      refusals: [
        { code: 'SCRIPT_SYNTAX', file: 'a.js', line: 3, column: 7, message: 'a.js:3:7 syntax error: Unexpected token' },
        {
          code: 'HEADER_INVALID',
          file: 'b.js',
          line: 2,
          column: null,
          message: 'b.js:2 the header block is invalid: @retri',
        },
        { code: 'SCRIPT_SYNTAX', file: 'b.js', line: 9, column: 1, message: 'b.js:9:1 syntax error: last' },
      ],
    });
  });
});

describe('reading', () => {
  it("tells the host's time zone beside times", async () => {
    const { ask } = start();
    for (const name of ['story', 'deliveries', 'dead letters']) {
      const { body } = await ask(ROUTES[name] as Request);
      assert.equal((body as unknown as { TimeZone: string }).TimeZone, 'Asia/Shanghai', name);
    }
  });

  it('finds an event whose EventId needs escaping in a path', async () => {
    const { services, ask } = start();
    const eventId = '单/1?#% é'.repeat(8);
    services.eventStory = { ...services.eventStory, eventId };
    const { status, body } = await ask({
      method: 'GET',
      url: `/api/v1/tenants/demo/events/${encodeURIComponent(eventId)}`,
    });
    assert.equal(status, 200);
    assert.deepEqual(body.Data, services.eventStory);
  });

  it('answers 404 for an event nobody has heard of', async () => {
    const { ask } = start();
    const { status, body } = await ask({ method: 'GET', url: '/api/v1/tenants/demo/events/unknown' });
    assert.equal(status, 404);
    assert.equal(body.ReasonCode, 'NOT_FOUND');
    assert.match(body.Msg ?? '', /unknown/);
  });

  it('passes filters on, with a limit always', async () => {
    const { services, ask } = start();
    await ask(ROUTES.deliveries as Request);
    assert.deepEqual(services.lastArgs(), ['demo', { state: 'acked', limit: 5 }]);
    await ask({ method: 'GET', url: '/api/v1/tenants/demo/dead-letters?queue=orders' });
    assert.deepEqual(services.lastArgs(), ['demo', { state: 'dead', queue: 'orders', limit: 100 }]);
    await ask({ method: 'POST', url: '/api/v1/tenants/demo/dead-letters/replay', payload: { eventId: 'e-1' } });
    assert.deepEqual(services.lastArgs(), ['demo', { eventId: 'e-1' }]);
    const purge = { reason: 'rejected', olderThanDays: 2 };
    await ask({ method: 'POST', url: '/api/v1/tenants/demo/dead-letters/purge', payload: purge });
    assert.deepEqual(services.lastArgs(), ['demo', { reason: 'rejected', olderThanMs: 172_800_000 }]);
    await ask({ method: 'GET', url: '/api/v1/tenants/demo/dead-letters/broken-1?queue=orders&cycle=2' });
    assert.deepEqual(services.lastArgs(), ['demo', { queue: 'orders', cycle: 2, eventId: 'broken-1' }]);
  });

  it('leads from one page of dead letters to the next, and takes no place of its caller', async () => {
    const { services, ask } = start();
    services.hasNextPage = true;
    const { body } = await ask(ROUTES['dead letters'] as Request);
    const { Next, Total } = body.DataAppend as { Next: string; Total: number };
    assert.equal(Total, 2);
    await ask({ method: 'GET', url: `/api/v1/tenants/demo/dead-letters?after=${Next}` });
    const { queue, eventId, cycle, attempt, lastAt } = services.parked[0] as ParkedRow;
    const after = { lastAt, queue, eventId, cycle, attempt };
    assert.deepEqual(services.lastArgs(), ['demo', { state: 'dead', limit: 100, after }]);
    for (const bad of ['x', 'e30', Buffer.from('{"lastAt":"a"}').toString('base64url')]) {
      const refused = await ask({ method: 'GET', url: `/api/v1/tenants/demo/dead-letters?after=${bad}` });
      assert.deepEqual([refused.status, refused.body.ReasonCode], [400, 'REQUEST_INVALID'], bad);
    }
  });

  it('names the cause of a group, and why a replay was refused', async () => {
    const { services, ask } = start();
    const groups = await ask(ROUTES['dead-letter groups'] as Request);
    assert.equal((groups.body.Data as [{ pattern: string }])[0].pattern, 'The script threw: Error: no stock for <id>');
    const key = { queue: 'q', eventId: 'e-9', cycle: 1, attempt: 1 };
    services.refusedReplays = [{ ...key, error: { code: 'DEAD_LETTER_DONE', params: { eventId: 'e-9' } } }];
    const { body } = await ask(replay(), { ...AUTHORIZED, lang: 'en' });
    const message = 'e-9 was done before; a replay would not run.';
    const refused = [{ ...key, code: 'DEAD_LETTER_DONE', message }];
    assert.deepEqual(body.Data, { replayed: 1, refusedCount: 1, refused });
  });

  it('passes a trial on, with requests refused unless they were allowed', async () => {
    const { services, ask } = start();
    const { body } = await ask(ROUTES.try as Request);
    assert.equal((body.Data as { would: string }).would, 'dead');
    assert.deepEqual(services.lastArgs().slice(0, 2), ['demo', { eventId: 'broken-1', allowHttp: false }]);
    const payload = { queue: 'orders', Message: { a: 1 }, engineKey: 'k', allowHttp: true };
    await ask({ method: 'POST', url: '/api/v1/tenants/demo/try', payload });
    const wanted = { queue: 'orders', messageJson: '{"a":1}', engineKey: 'k', allowHttp: true };
    assert.deepEqual(services.lastArgs()[1], wanted);
    const refused = await ask({ method: 'POST', url: '/api/v1/tenants/demo/try', payload: {} });
    assert.deepEqual([refused.status, refused.body.ReasonCode], [400, 'REQUEST_INVALID']);
  });

  it('passes an edited message on as it was written', async () => {
    const { services, server } = start();
    const payload = '{"Message":{"Id":12345678901234567890},"EventId":"new"}';
    const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
    const url = '/api/v1/tenants/demo/dead-letters/broken-1/edit';
    const response = await server.inject({ method: 'POST', url, payload, headers });
    assert.deepEqual(response.json().Data, { EventId: 'new' });
    const change = { messageJson: '{"Id":12345678901234567890}', eventId: 'new' };
    assert.deepEqual(services.lastArgs().slice(0, 3), ['demo', { eventId: 'broken-1' }, change]);
  });

  it('shows a dead letter as text with its size', async () => {
    const { ask } = start();
    const { body } = await ask(ROUTES['dead letters'] as Request);
    const [row] = body.Data as [Record<string, unknown>];
    assert.equal(row.body, '{"EventId":"broken-1","Message":{"品名":"茶"}}');
    assert.equal(row.bytes, 49);
    assert.equal(row.state, 'dead');
    assert.equal(row.reason, 'budget-exhausted');
    assert.equal(body.DataCount, 1);
  });
});

describe('failures', () => {
  it('of unknown kind are INTERNAL, logged once, and show nothing of the inside', async () => {
    const { services, log, ask } = start();
    const cause = new TypeError('password hunter2 at /srv/host/file.ts');
    services.failure = cause;
    const { status, body } = await ask(ROUTES['list tenants'] as Request);
    assert.equal(status, 500);
    assert.equal(body.ReasonCode, 'INTERNAL');
    assert.doesNotMatch(JSON.stringify(body), /hunter2|\.ts|stack/i);
    assert.equal(log.lines.length, 1);
    assert.equal(log.lines[0]?.event, 'http.request_failed');
    assert.equal(log.lines[0]?.fields.err?.cause, cause);
    assert.equal(log.lines[0]?.fields.route, '/api/v1/tenants');
  });

  it("that are the caller's are not logged", async () => {
    const { log, ask } = start();
    await ask({ method: 'GET', url: '/api/v1/tenants/none/deliveries' });
    assert.deepEqual(log.lines, []);
  });

  it('of routes nobody has are 404 and name the route', async () => {
    const { ask } = start();
    for (const url of ['/', '/nothing', '/api/v1/nothing?x=1', '/demo/erp']) {
      const { status, body } = await ask({ method: 'POST', url });
      assert.equal(status, 404, url);
      assert.equal(body.ReasonCode, 'NOT_FOUND');
      assert.ok(body.Msg?.includes(`POST ${url.split('?')[0]}`));
    }
  });

  it('of a path that cannot be decoded are 400', async () => {
    const { ask } = start();
    const { status, body } = await ask({ method: 'GET', url: '/api/v1/tenants/%ZZ/deliveries' });
    assert.equal(status, 400);
    assert.equal(body.ReasonCode, 'REQUEST_INVALID');
  });
});

describe('bindings', () => {
  it('are made and changed as the body says, for the caller, and answered with their state', async () => {
    const { services, ask } = start();
    const draft = {
      queue: ' orders ',
      engineKey: 'stock-show',
      retryCount: 3,
      timeoutSeconds: null,
      queueType: 'quorum',
    };
    const made = await ask({ method: 'POST', url: '/api/v1/tenants/demo/bindings', payload: draft });
    assert.equal(made.status, 201);
    assert.deepEqual((made.body.Data as { state: unknown }).state, null);
    const [added] = services.calls.filter(({ method }) => method === 'addBinding');
    assert.ok(added);
    const [, origin, settings] = added.args as unknown as [string, { by: { kind: string } }, object];
    assert.equal(origin.by.kind, 'host');
    assert.deepEqual({ ...settings }, { ...draft, queue: 'orders' });
  });

  it('are refused with the field and its rule, in both languages', async () => {
    const { services, ask } = start();
    const cases: [object, string][] = [
      [{}, 'body.queue'],
      [{ queue: 'q', engineKey: 'e', prefetch: 0 }, 'body.prefetch'],
      [{ queue: 'q', engineKey: 'e', retryCount: 1.5 }, 'body.retryCount'],
      [{ queue: 'q', engineKey: 'e', timeoutSeconds: 'x' }, 'body.timeoutSeconds'],
      [{ queue: 'q', engineKey: 'e', queueType: 'stream' }, 'body.queueType'],
      [{ queue: 'q', engineKey: 'e', FailToReject: '是' }, 'body.FailToReject'],
    ];
    for (const [payload, field] of cases) {
      for (const lang of ['en', 'zh']) {
        const { status, body } = await ask({
          method: 'POST',
          url: '/api/v1/tenants/demo/bindings',
          payload,
          headers: { lang },
        });
        assert.deepEqual([status, body.ReasonCode], [400, 'REQUEST_INVALID']);
        assert.match(String(body.Msg), new RegExp(field.replace('.', '\\.')));
      }
    }
    assert.deepEqual(services.calls, []);
  });
});

describe('bindings of topics', () => {
  it('are made as the body says, for the caller', async () => {
    const { services, ask } = start();
    const draft = { filter: ' sensor/+ ', queue: ' readings ', eventIdPath: ' head.id ' };
    const made = await ask({ method: 'POST', url: '/api/v1/tenants/demo/mqtt/bindings', payload: draft });
    const { refusal: _, ...view } = TOPIC_BINDING;
    assert.deepEqual([made.status, made.body.Data], [201, { ...view, refusal: '' }]);
    const [call] = services.calls;
    assert.ok(call);
    const [, origin, settings] = call.args as unknown as [string, { by: { kind: string } }, object];
    assert.equal(origin.by.kind, 'host');
    assert.deepEqual({ ...settings }, { filter: 'sensor/+', queue: 'readings', eventIdPath: 'head.id' });
  });

  it('are refused with the field and its rule', async () => {
    const { services, ask } = start();
    const cases: [object, string][] = [
      [{ queue: 'q' }, 'body.filter'],
      [{ filter: 'a' }, 'body.queue'],
      [{ filter: ' ', queue: 'q' }, 'body.filter'],
      [{ filter: 'a'.repeat(1001), queue: 'q' }, 'body.filter'],
      [{ filter: 'a', queue: 'q', eventIdPath: 'x'.repeat(201) }, 'body.eventIdPath'],
      [{ filter: 'a', queue: 'q', enabled: 1 }, 'body.enabled'],
      [{ filter: 'a', queue: 'q', TopicFilter: 'a' }, 'body.TopicFilter'],
    ];
    for (const [payload, field] of cases) {
      const { status, body } = await ask({ method: 'POST', url: '/api/v1/tenants/demo/mqtt/bindings', payload });
      assert.deepEqual([status, body.ReasonCode], [400, 'REQUEST_INVALID'], field);
      assert.match(String(body.Msg), new RegExp(field.replace('.', '\\.')));
    }
    assert.deepEqual(services.calls, []);
  });
});

describe('health', () => {
  it('is alive without a token', async () => {
    const { ask } = start();
    const { status, body } = await ask({ method: 'GET', url: '/livez' }, {});
    assert.equal(status, 200);
    assert.equal(body.Code, 1);
  });

  it('says ready or 503 without a token, and no more', async () => {
    const { services, ask } = start();
    const ready = await ask({ method: 'GET', url: '/readyz' }, {});
    assert.deepEqual([ready.status, ready.body.Data], [200, { ready: true, phase: 'running' }]);
    services.state = { ...services.state, ready: false, phase: 'draining' };
    const down = await ask({ method: 'GET', url: '/readyz' }, {});
    assert.deepEqual([down.status, down.body.Code, down.body.Data], [503, 0, { ready: false, phase: 'draining' }]);
  });

  it('tells tenants, queue, lanes and who uses them to those who bring the token', async () => {
    const { ask } = start();
    const { body } = await ask({ method: 'GET', url: '/readyz' });
    assert.deepEqual(body.Data, {
      ready: true,
      phase: 'running',
      tenants: [{ tenant: 'demo', main: true, state: 'open', reason: null }],
      queue: { ready: true, reason: null },
      cache: { ready: true, reason: null },
      lanes: { lanes: 2, busy: 1, waiting: 0 },
      load: [{ tenant: 'demo', running: 1, waiting: 2, cpuBalanceMs: -250, quarantined: false }],
    });
  });
});

function push(): Request {
  return ROUTES.push as Request;
}

function send(): Request {
  return ROUTES.send as Request;
}

function replay(): Request {
  return ROUTES.replay as Request;
}
