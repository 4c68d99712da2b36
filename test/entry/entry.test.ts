import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify';
import { BodyMemory } from '../../src/admin/body-memory.ts';
import { createAdminServer } from '../../src/admin/server.ts';
import { EntryRates } from '../../src/app/entry-rates.ts';
import { coerceError } from '../../src/core/errors.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

/*
 * The HTTP entry as the platform has it (v8-surface.md 5.3, 5.5, 8.3): real scripts in the real sandbox over SQLite,
 * and requests without a socket.
 */

const HOST_TOKEN = 'token-of-the-whole-host';
const TOKENS = {
  admin: 'token-admin-of-demo',
  developer: 'token-developer-of-demo',
  viewer: 'token-viewer-of-demo',
  foreign: 'token-developer-of-other',
};

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]).toString('base64');

const engine = (tags: string, source: string): string => `/**\n${tags.replaceAll(/^(?=@)/gm, ' * ')}\n */\n${source}\n`;

const SCRIPTS: Readonly<Record<string, string>> = {
  'echo.js': engine(
    '@anonymous',
    `return { Code: 1, Data: { Param: V8.Param, Header: V8.Header, Files: V8.FilesByteBase64,
    User: V8.CurrentUser, Tenant: V8.OsClient, Key: V8.ApiEngineKey, Type: V8.InvokeType, Event: V8.EventName, MQTT: V8.MQTT } };`,
  ),
  'inner.js': 'return { Code: 1, Data: [V8.InvokeType, V8.CurrentUser.Id] };',
  'calls-inner.js': engine('@anonymous', `return V8.ApiEngine.Run('stopped', {});`),
  'private.js': 'return { Code: 1, Data: V8.CurrentUser.Id };',
  'sales-only.js': engine('@roles sales', 'return { Code: 1 };'),
  'developers.js': engine('@roles developer, viewer', 'return { Code: 1 };'),
  'stopped.js': engine('@stopHttp', 'return { Code: 1, Data: V8.InvokeType };'),
  'text.js': engine('@anonymous', `return 'plain <b>text</b>';`),
  'page.js': engine('@anonymous\n@response html', `return '<h1>' + V8.Param.Name + '</h1>';`),
  'array.js': engine('@anonymous', 'return [1, null, "中"];'),
  'number.js': engine('@anonymous', 'return 42;'),
  'nothing.js': engine('@anonymous', 'V8.Param;'),
  'codeless.js': engine(
    '@anonymous',
    `V8.FormEngine.AddFormData('effect', { EventId: 'codeless' }, V8.DbTrans); return { a: 1 };`,
  ),
  'writes.js': engine(
    '@anonymous',
    `V8.FormEngine.AddFormData('effect', { EventId: V8.Param.Id }, V8.DbTrans);
    return { Code: V8.Param.Ok === 'yes' ? 1 : 0, Msg: 'as asked' };`,
  ),
  'throws.js': engine('@anonymous', `throw new Error('no stock for ' + V8.Param.Sku);`),
  'endless.js': engine('@anonymous', 'for (;;) {}'),
  'picture.js': engine(
    '@anonymous\n@response file',
    `return { Code: 1, Data: { FileName: '图.png', ContentType: 'image/png',
    FileByteBase64: V8.Param.Bad ? 'PGh0bWw+' : '${PNG}' } };`,
  ),
  'csv.js': engine(
    '@anonymous\n@response file',
    `return { Code: 1, Data: { FileName: 'a.csv', ContentType: 'text/csv', FileByteBase64: 'YTti' } };`,
  ),
  'no-file.js': engine('@anonymous\n@response file', `return { Code: 1, Data: 'no file today' };`),
  'redirect.js': engine('@anonymous', `V8.Result = { RedirectUrl: V8.Param.To };`),
  'addressed.js': engine(
    '@anonymous\n@address /erp/orders',
    `return { Code: 1, Data: [V8.Param.ApiAddress, V8.Param.ApiEngineKey] };`,
  ),
  'copy-table.js': engine('@anonymous\n@address /api/FormEngine/copy-table', 'return { Code: 1 };'),
};

let host: TestHost;
let server: FastifyInstance;
let dir: string;
const ends: (() => void)[] = [];

before(async () => {
  dir = tempDir({ after: (end) => ends.push(end) });
  host = await TestHost.open(dir, {
    limits: { cpuMs: 1_000, paramBytes: 1024 * 1024 },
  });
  await host.push(SCRIPTS);
  await host.host.services.addTenant('other', undefined);
  await host.push({ 'whose.js': engine('@anonymous', 'return { Code: 1, Data: V8.OsClient };') }, [], 'other');
  await host.push({ 'whose.js': engine('@anonymous', 'return { Code: 1, Data: V8.OsClient };') }, []);
  const key = (tenant: string, role: 'admin' | 'developer' | 'viewer', token: string) => ({
    ...{ tenant, role, sha256: createHash('sha256').update(token).digest('hex'), expiresAt: undefined },
  });
  server = createAdminServer({
    services: host.host.services,
    identity: host.host.identity,
    token: HOST_TOKEN,
    keys: [
      key('demo', 'admin', TOKENS.admin),
      key('demo', 'developer', TOKENS.developer),
      key('demo', 'viewer', TOKENS.viewer),
      key('other', 'developer', TOKENS.foreign),
      { ...key('demo', 'admin', 'token-of-yesterday'), expiresAt: 1 },
    ],
    lang: 'en',
    timezone: 'Asia/Shanghai',
    log: SILENT_LOG,
  });
});

after(async () => {
  await server.close();
  await host.close();
  for (const end of ends) end();
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: answers of scripts have any shape
  readonly json: any;
}

async function ask(request: InjectOptions | string, token?: string): Promise<Answer> {
  const options = typeof request === 'string' ? { method: 'GET' as const, url: request } : request;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await server.inject({ ...options, headers: { ...authorization, ...options.headers } });
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    bytes: response.rawPayload,
    json: isJson ? response.json() : undefined,
  };
}

const codeOf = (thrown: unknown): string => coerceError(thrown).code;

const at = (key: string, query = ''): string => `/apiengine/${key}?OsClient=demo${query}`;

describe('where an engine answers', () => {
  it('at /apiengine/{key}, in any case, with every method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const { status, json } = await ask({ method, url: '/ApiEngine/ECHO?OsClient=demo' });
      assert.deepEqual([status, json.Data.Key, json.Data.Type], [200, 'echo', 'Client'], method);
    }
  });

  it('at an address of its own', async () => {
    assert.deepEqual((await ask('/erp/orders?OsClient=demo')).json.Data, ['/erp/orders', 'addressed']);
    assert.equal((await ask('/ERP/Orders/?OsClient=demo')).json.Code, 1);
    assert.equal((await ask('/api/FormEngine/copy-table?OsClient=demo')).json.Code, 1);
    assert.equal((await ask('/erp/orders?OsClient=other')).status, 404);
  });

  it('at /api/ApiEngine/Run, and anywhere with the header apiengine: 1', async () => {
    const payload = { OsClient: 'demo', ApiEngineKey: 'echo', a: 1 };
    for (const [url, headers] of [
      ['/api/ApiEngine/Run', {}],
      ['/anywhere', { apiengine: '1' }],
    ] as const) {
      const { json } = await ask({ method: 'POST', url, payload, headers });
      assert.equal(json.Data.Param.a, 1);
      assert.equal(json.Data.Param.ApiEngineKey, 'echo');
    }
    const login = { authorization: `Bearer ${TOKENS.developer}` };
    const run = { method: 'POST' as const, url: '/api/ApiEngine/Run', payload: { OsClient: 'demo' } };
    const missing = await ask({ ...run, headers: login });
    assert.deepEqual([missing.status, missing.json.Code, missing.json.ReasonCode], [200, 0, 'ENGINE_MISSING']);
  });

  it('nowhere else: unknown engines are Code 0, unknown paths 404', async () => {
    const unknown = await ask(at('nobody'), TOKENS.developer);
    assert.deepEqual([unknown.status, unknown.json.Code, unknown.json.ReasonCode], [200, 0, 'ENGINE_MISSING']);
    for (const url of ['/nothing', '/nothing?OsClient=demo']) {
      assert.equal((await ask(url)).status, 404, url);
    }
    assert.equal((await ask({ method: 'OPTIONS', url: at('echo') })).status, 404);
  });
});

describe('the tenant', () => {
  const whose = async (request: InjectOptions | string, token?: string) => (await ask(request, token)).json;
  const headers = { osclient: 'demo' };

  it('is that of the path, before query, form, body, token and header', async () => {
    const json = { method: 'POST' as const, payload: { OsClient: 'demo' } };
    assert.equal((await whose('/apiengine/whose--OsClient--other--?OsClient=demo')).Data, 'other');
    assert.equal((await whose({ ...json, url: '/apiengine/whose?osclient=OTHER' })).Data, 'other');
    assert.equal(
      (await whose({ ...json, url: '/apiengine/whose', payload: { OsClient: 'other' }, headers })).Data,
      'other',
    );
    assert.equal((await whose({ ...json, url: '/apiengine/whose' }, TOKENS.foreign)).Data, 'demo');
    assert.equal((await whose({ method: 'GET', url: '/apiengine/whose', headers }, TOKENS.foreign)).Data, 'other');
    assert.equal((await whose({ method: 'GET', url: '/apiengine/whose', headers })).Data, 'demo');
    const form = { method: 'POST' as const, url: '/apiengine/whose', payload: 'OsClient=other' };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal((await whose({ ...form, headers: { ...type, ...headers } })).Data, 'other');
  });

  it('is never one by default, and an unknown one is told in the words of a missing login', async () => {
    const none = await whose('/apiengine/whose');
    assert.deepEqual([none.Code, none.ReasonCode], [1001, 'ENTRY_TENANT']);
    const [missing, invalid, closed] = [
      await whose('/apiengine/whose?OsClient=nobody'),
      await whose('/apiengine/whose?OsClient=../demo'),
      await whose(at('private')),
    ];
    assert.deepEqual(missing, closed);
    assert.deepEqual(invalid, closed);
    assert.equal(closed.Code, 1001);
  });

  it('is not found out without a login: every address answers the same where there is no such tenant', async () => {
    const addresses: readonly (InjectOptions & { url: string })[] = [
      ...['private', 'stopped', 'nobody', 'sales-only', 'bad%20key'].map((key) => ({ url: `/apiengine/${key}` })),
      { method: 'POST', url: '/api/ApiEngine/Run', payload: { ApiEngineKey: 'nobody' } },
      { method: 'POST', url: '/api/ApiEngine/Run' },
      ...['get-table-data', 'getTableDataAnonymous', 'get-table-data-anonymous'].map((name) => ({
        method: 'POST' as const,
        url: `/api/FormEngine/${name}`,
        payload: { FormEngineKey: 'effect' },
      })),
      { method: 'POST', url: '/apiengine/platform-mq', payload: { Action: 'Send' } },
      { method: 'POST', url: '/apiengine/platform-mqtt', payload: { Action: 'Status' } },
      ...['/api/mq/nothing', '/nothing', '/api/nothing'].map((url) => ({ url })),
    ];
    for (const token of [undefined, TOKENS.foreign]) {
      for (const address of addresses) {
        const answers = ['demo', 'no-such-tenant'].map(async (tenant) => {
          const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
          const { status, json } = await ask({
            method: 'GET',
            ...address,
            url: `${address.url}?OsClient=${tenant}`,
            headers,
          });
          return JSON.stringify([status, json]).replaceAll(tenant, 'TENANT');
        });
        const [known, unknown] = await Promise.all(answers);
        assert.equal(known, unknown, address.url);
      }
    }
  });
});

describe('who calls', () => {
  it('is nobody without a valid token of this tenant, and then Code 1001 unless the engine is open to all', async () => {
    for (const token of [undefined, 'wrong', 'token-of-yesterday', TOKENS.foreign]) {
      const { status, json } = await ask(at('private'), token);
      assert.deepEqual([status, json.Code, json.ReasonCode], [200, 1001, 'ENTRY_LOGIN']);
      assert.deepEqual((await ask(at('echo'), token)).json.Data.User, {});
    }
  });

  it('is the token in Authorization, in Token, or in a form field', async () => {
    assert.equal((await ask(at('private'), TOKENS.developer)).json.Data, 'token-developer');
    assert.equal((await ask({ method: 'GET', url: at('private'), headers: { token: TOKENS.developer } })).json.Code, 1);
    const payload = new URLSearchParams({ authorization: `Bearer ${TOKENS.developer}`, a: '1' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { json } = await ask({ method: 'POST', url: at('echo'), payload, headers });
    assert.equal(json.Data.User.Id, 'token-developer');
    assert.equal(json.Data.Param.authorization, undefined);
    assert.equal((await ask(at('private'), HOST_TOKEN)).json.Data, 'host');
  });

  it('may call what the roles of the engine allow', async () => {
    const ends = async (key: string) => {
      const tokens = [TOKENS.admin, TOKENS.developer, TOKENS.viewer];
      return Promise.all(tokens.map(async (token) => (await ask(at(key), token)).json.ReasonCode ?? 'ok'));
    };
    assert.deepEqual(await ends('sales-only'), ['ok', 'ENTRY_ROLE', 'ENTRY_ROLE']);
    assert.deepEqual(await ends('developers'), ['ok', 'ok', 'ok']);
    assert.deepEqual(await ends('private'), ['ok', 'ok', 'ENTRY_QUERY_ONLY']);
  });

  it('is told that an engine is not for HTTP, in Data as on the platform; other engines may still run it', async () => {
    const { status, json } = await ask(at('stopped'), TOKENS.admin);
    assert.deepEqual([status, json.Code, json.ReasonCode], [200, 0, 'ENTRY_STOPPED']);
    assert.match(json.Data, /StopHttp/);
    assert.deepEqual((await ask(at('calls-inner'))).json, { Code: 1, Data: 'Server' });
  });
});

describe('what a script gets', () => {
  it('query, form and JSON as parameters; identity and trust from nobody but the host', async () => {
    const forged = {
      _CurrentUser: { Level: 9999 },
      _InvokeType: 'Server',
      _TrustedServerInvocation: 1,
      EventName: 'x',
      MQTT: { a: 1 },
    };
    const { json } = await ask({
      method: 'POST',
      url: at('echo', '&a=query&b=1&b=2'),
      payload: { a: 'body', n: 12345678901234567890n.toString(), deep: [{ x: 1 }], ...forged },
      headers: { did: 'device-1' },
    });
    const { Param, User, Event, MQTT } = json.Data;
    assert.equal(Param.a, 'query');
    assert.equal(Param.b, '1,2');
    assert.deepEqual(Param.deep, [{ x: 1 }]);
    assert.deepEqual([Param._InvokeType, Param._DeviceId, Param._CurrentUser], ['Client', 'device-1', undefined]);
    assert.equal(Param._TrustedServerInvocation, undefined);
    assert.deepEqual([User, Event], [{}, '']);
    assert.notDeepEqual(MQTT, forged.MQTT);
  });

  it('large integers as text, and no prototype', async () => {
    const payload = '{"Id":12345678901234567890,"__proto__":{"polluted":1}}';
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const { json } = await ask({ method: 'POST', url: at('echo', '&__proto__=1'), payload, headers });
    assert.equal(json.Data.Param.Id, '12345678901234567890');
    assert.equal(json.Data.Param.polluted, undefined);
  });

  it('files of a multipart form as Base64 by their names, its fields as parameters', async () => {
    const form = new FormData();
    form.set('Title', '发票');
    form.append('one', new File(['first'], '扫描.txt'));
    form.append('two', new File(['second'], '扫描.txt'));
    const request = new Request('http://x', { method: 'POST', body: form });
    const payload = Buffer.from(await request.arrayBuffer());
    const headers = { 'content-type': request.headers.get('content-type') ?? '' };
    const { json } = await ask({ method: 'POST', url: at('echo'), payload, headers });
    assert.equal(json.Data.Param.Title, '发票');
    assert.deepEqual(json.Data.Files, { '扫描.txt': btoa('first'), '扫描 (2).txt': btoa('second') });
  });

  it('XML of one level as parameters', async () => {
    const payload = '<xml><ToUserName><![CDATA[me]]></ToUserName><CreateTime>1</CreateTime></xml>';
    const { json } = await ask({ method: 'POST', url: at('echo'), payload, headers: { 'content-type': 'text/xml' } });
    assert.deepEqual([json.Data.Param.ToUserName, json.Data.Param.CreateTime], ['me', '1']);
  });

  it('headers, but never a token of this host or a cookie', async () => {
    const sent = { 'X-Sign': 'abc', cookie: 'session=1' };
    const own = await ask({ method: 'GET', url: at('echo'), headers: { ...sent, authorization: 'Basic bWU6cHc=' } });
    assert.equal(own.json.Data.Header['x-sign'], 'abc');
    assert.equal(own.json.Data.Header.authorization, 'Basic bWU6cHc=');
    for (const token of [HOST_TOKEN, TOKENS.foreign, TOKENS.developer, 'token-of-yesterday']) {
      const { json } = await ask({ method: 'GET', url: at('echo'), headers: sent }, token);
      const text = JSON.stringify(json.Data);
      assert.ok(!text.includes(token) && !text.includes('session=1'), text);
      const inForm = await ask({ method: 'GET', url: at('echo'), headers: { Token: token } });
      assert.ok(!JSON.stringify(inForm.json.Data).includes(token));
      const both = { authorization: 'Basic bWU6cHc=', Token: token };
      const beside = await ask({ method: 'GET', url: at('echo'), headers: both });
      assert.ok(!JSON.stringify(beside.json.Data).includes(token));
    }
  });
});

describe('what a caller gets', () => {
  it('text, a page in a sandbox, or JSON as it is', async () => {
    const text = await ask(at('text'));
    assert.deepEqual([text.headers['content-type'], text.text], ['text/plain; charset=utf-8', 'plain <b>text</b>']);
    const page = await ask(at('page', '&Name=Li'));
    assert.deepEqual([page.headers['content-type'], page.text], ['text/html; charset=utf-8', '<h1>Li</h1>']);
    assert.match(String(page.headers['content-security-policy']), /^sandbox(?!.*allow-same-origin)/);
    assert.deepEqual((await ask(at('array'))).json, [1, null, '中']);
    assert.equal((await ask(at('number'))).text, '42');
    assert.equal((await ask(at('nothing'))).text, 'null');
    assert.deepEqual((await ask(at('codeless'))).json, { a: 1 });
  });

  it('what the transaction kept: Code 1 commits, everything else with an object rolls back', async () => {
    await ask(at('writes', '&Id=kept&Ok=yes'));
    const refused = await ask(at('writes', '&Id=gone'));
    assert.deepEqual([refused.status, refused.json], [200, { Code: 0, Msg: 'as asked' }]);
    assert.deepEqual(await host.effects(), ['kept']);
  });

  it('an exception as Code 0 with its place, a limit with its report, both with status 200', async () => {
    const threw = await ask(at('throws', '&Sku=P-1'));
    assert.deepEqual([threw.status, threw.json.Code, threw.json.ReasonCode], [200, 0, 'SCRIPT_THREW']);
    assert.match(threw.json.Msg, /no stock for P-1 \[行:\d+, 列:\d+\]/);
    assert.equal(JSON.stringify(threw.json).includes('stack'), false);
    const endless = await ask(at('endless'));
    assert.deepEqual([endless.status, endless.json.Code], [200, 0]);
    assert.ok(endless.json.DataAppend.V8Limit.Code.startsWith('V8_'));
  });

  it('files: pictures to look at, others to save, wrong ones not at all', async () => {
    const picture = await ask(at('picture'));
    assert.equal(picture.headers['content-type'], 'image/png');
    assert.equal(picture.bytes.toString('base64'), PNG);
    assert.match(String(picture.headers['content-disposition']), /^inline; .*filename\*=UTF-8''%E5%9B%BE\.png$/);
    const csv = await ask(at('csv'));
    assert.match(String(csv.headers['content-disposition']), /^attachment/);
    assert.equal(csv.text, 'a;b');
    const bad = await ask(at('picture', '&Bad=1'));
    assert.deepEqual([bad.json.Code, bad.json.ReasonCode], [0, 'ENTRY_FILE_INVALID']);
    assert.deepEqual((await ask(at('no-file'))).json, { Code: 1, Data: 'no file today' });
  });

  it('redirects to safe places, but none for programs', async () => {
    const good = await ask(at('redirect', '&To=https://open.example.com/oauth'));
    assert.deepEqual([good.status, good.headers.location], [302, 'https://open.example.com/oauth']);
    const bad = await ask(at('redirect', '&To=javascript:alert(1)'));
    assert.deepEqual([bad.status, bad.json.Code], [400, 0]);
    const program = await ask({ method: 'POST', url: at('redirect'), payload: { To: '/x' } });
    assert.deepEqual([program.status, program.json], [200, { RedirectUrl: '/x' }]);
  });
});

describe('what is refused', () => {
  const post = (payload: string | Buffer, type: string) =>
    ask({ method: 'POST', url: at('echo'), payload, headers: { 'content-type': type } });

  it('bodies that cannot be read, with the reason', async () => {
    const refusals = [
      await post('{"a":', 'application/json'),
      await post('3', 'application/json'),
      await post('x', 'application/octet-stream'),
      await post('--x', 'multipart/form-data; boundary=x'),
      await post('<a', 'text/xml'),
      await post(Buffer.from([0xff, 0xfe, 0xfd]), 'application/json'),
    ];
    assert.deepEqual(
      refusals.map(({ status, json }) => [status, json.Code, json.ReasonCode]),
      [
        [400, 0, 'JSON_INVALID'],
        [400, 0, 'REQUEST_INVALID'],
        [415, 0, 'ENTRY_MEDIA_TYPE'],
        [400, 0, 'REQUEST_INVALID'],
        [400, 0, 'REQUEST_INVALID'],
        [400, 0, 'REQUEST_INVALID'],
      ],
    );
    for (const { json } of refusals) assert.ok(json.Msg.length > 10);
  });

  it('bodies that are too large for a script, and for the host', async () => {
    const large = await post(`{"a":"${'x'.repeat(1024 * 1024)}"}`, 'application/json');
    assert.deepEqual([large.status, large.json.ReasonCode], [413, 'V8_RESULT_TOO_LARGE']);
    const huge = await post(`{"a":"${'x'.repeat(17 * 1024 * 1024)}"}`, 'application/json');
    assert.deepEqual([huge.status, huge.json.ReasonCode], [413, 'REQUEST_TOO_LARGE']);
  });

  it('in the language of the caller', async () => {
    assert.match((await ask(at('private', '&_Lang=zh'))).json.Msg, /未登录/);
    assert.match((await ask(at('private'))).json.Msg, /Not logged in/);
  });
});

describe('a caller who floods', () => {
  it('is slowed, then refused, while others are served', async () => {
    const clock = new ManualClock();
    const rates = new EntryRates(10, clock);
    const stop = new AbortController().signal;
    const turns = Array.from({ length: 25 }, () => rates.take('demo', 'a', stop).then(() => 'ok', codeOf));
    await rates.take('demo', 'b', stop);
    await rates.take('other', 'a', stop);
    await clock.advance(1_000);
    const ended = await Promise.all(turns);
    assert.deepEqual([ended.filter((end) => end === 'ok').length, ended.at(-1)], [20, 'ENTRY_RATE']);
  });

  it('cannot fill the memory with bodies', () => {
    const memory = new BodyMemory({ most: 25, perAddress: 25, perRequest: 10 });
    const request = (headers: FastifyRequest['headers']) => ({ headers, ip: '10.0.0.1' });
    const give = memory.take(request({ 'content-length': '10' }));
    memory.take(request({ 'transfer-encoding': 'chunked' }));
    memory.take(request({}));
    assert.throws(() => memory.take(request({ 'content-length': '11' })), { code: 'REQUEST_TOO_LARGE' });
    assert.throws(() => memory.take(request({ 'content-length': '6' })), { code: 'ENTRY_BUSY' });
    give();
    memory.take(request({ 'content-length': '6' }));
  });

  it('cannot keep others out with bodies that never end', () => {
    const memory = new BodyMemory({ most: 40, perAddress: 20, perRequest: 10 });
    const from = (ip: string) => ({ headers: { 'transfer-encoding': 'chunked' }, ip });
    const [give] = [memory.take(from('10.0.0.1')), memory.take(from('10.0.0.1'))];
    assert.throws(() => memory.take(from('10.0.0.1')), { code: 'ENTRY_BUSY' });
    memory.take(from('10.0.0.2'));
    give();
    memory.take(from('10.0.0.1'));
  });
});

describe('the header block of a script', () => {
  it('opens an engine, and closes it again when it says so no longer; settings made by hand stay', async () => {
    const push = (tags: string) => host.push({ 'toggled.js': engine(tags, `return 'x';`) }, []);
    await push('@anonymous\n@response html');
    assert.equal((await ask(at('toggled'))).headers['content-type'], 'text/html; charset=utf-8');
    await push('@apiName toggled');
    assert.equal((await ask(at('toggled'))).json.Code, 1001);
    const byHand = new DatabaseSync(join(dir, 'tenants/demo.db'));
    byHand.exec(`UPDATE sys_apiengine SET AllowAnonymous = 1 WHERE ApiEngineKey = 'toggled'`);
    byHand.close();
    await push('@apiName toggled by hand');
    assert.equal((await ask(at('toggled'))).text, 'x');
  });
});

describe("FormEngine's twins", () => {
  const call = (method: string, payload: object, token?: string) =>
    ask({ method: 'POST', url: `/api/formengine/${method}`, payload, headers: { osclient: 'demo' } }, token);

  it('read and write as a script does', async () => {
    const row = { FormEngineKey: 'onward', EventId: 'http-1', Note: 'a', OsClient: 'demo' };
    const added = await call('AddFormData', row, TOKENS.developer);
    assert.equal(added.json.Code, 1, JSON.stringify(added.json));
    const { Id } = added.json.Data;
    assert.equal(added.json.Data.UserId, 'token-developer');
    assert.equal(
      (await call('UptFormData-onward'.toLowerCase(), { Id, Note: 'b' }, TOKENS.developer)).json.DataCount,
      1,
    );
    const read = await call('get-formdata-onward', { Id }, TOKENS.developer);
    assert.equal(read.json.Data.Note, 'b');
    const where = { FormEngineKey: 'onward', _Where: [['EventId', '=', 'http-1']] };
    assert.equal((await call('GetTableData', where, TOKENS.developer)).json.DataCount, 1);
    const rows = [
      { FormEngineKey: 'onward', EventId: 'http-2' },
      { FormEngineKey: 'onward', EventId: 'http-3' },
    ];
    const batch = await call('AddTableData', rows, TOKENS.developer);
    assert.equal(batch.json.Code, 1);
    assert.equal((await call('DelFormData', { FormEngineKey: 'onward', Id }, TOKENS.developer)).json.DataCount, 1);
    const lists = { AddList: [{ EventId: 'http-4' }], UptList: [{ Id: batch.json.Data[0], Note: 'saved' }] };
    const saved = await call('savebatch', { FormEngineKey: 'onward', ...lists }, TOKENS.developer);
    assert.deepEqual([saved.json.Code, saved.json.DataCount], [1, 2]);
    assert.deepEqual(await host.effects('onward'), ['http-2', 'http-3', 'http-4']);
  });

  it('are for roles that work with data', async () => {
    const row = { OsClient: 'demo', FormEngineKey: 'onward', EventId: 'never' };
    const codes = async (method: string, token?: string) => (await call(method, row, token)).json;
    assert.equal((await codes('AddFormData')).Code, 1001);
    assert.equal((await codes('AddFormData', TOKENS.foreign)).Code, 1001);
    assert.equal((await codes('AddFormData', TOKENS.viewer)).ReasonCode, 'ENTRY_FORM_ROLE');
    assert.equal((await codes('GetTableData', TOKENS.viewer)).ReasonCode, 'ENTRY_FORM_ROLE');
    assert.equal((await codes('GetTableDataAnonymous')).ReasonCode, 'ENTRY_FORM_ANONYMOUS');
  });

  it('reach what a script reaches, and no more', async () => {
    for (const table of ['sys_osclients', 'mq_inbox']) {
      const { json } = await call('GetTableData', { FormEngineKey: table }, TOKENS.admin);
      assert.deepEqual([json.Code, json.ReasonCode], [0, 'TABLE_UNKNOWN'], table);
    }
    const engines = await call('UptFormData', { FormEngineKey: 'sys_apiengine', Id: '1', ApiV8Code: '' }, TOKENS.admin);
    assert.equal(engines.json.ReasonCode, 'TABLE_READ_ONLY');
  });
});
