/** Scripts that call other systems and keep what they heard, on the real host and on both databases. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { DATABASES, openPatternHost, run } from './pattern-host.ts';

const TABLES = [
  {
    Name: 'call_log',
    Fields: [
      { Name: 'Verb', Type: 'varchar(10)' },
      { Name: 'Status', Type: 'int' },
    ],
  },
];

interface Outside {
  readonly url: string;
  readonly port: number;
  /** Verb, path with query, content type and body of what came. */
  readonly requests: string[];
  /** The trace of each, and the span in it. */
  readonly traces: string[];
}

/** Another company's API: says what it got; `/token` issues one that lives two hours, `/gone` is 404. */
async function listen(t: TestContext): Promise<Outside> {
  const requests: string[] = [];
  const traces: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const type = (request.headers['content-type'] ?? '').replace(/;.*/, '');
    traces.push(String(request.headers.traceparent));
    requests.push([request.method, request.url, type, body].join(' | '));
    response.statusCode = request.url === '/gone' ? 404 : 200;
    const answer = { access_token: `token-${requests.length}`, expires_in: 7200, got: body };
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, requests, traces };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

const VARIANTS = `
  var base = V8.Param.Url;
  var list = V8.Http.Get({ Url: base + '/list', GetParam: { page: 2, q: 'a b' }, Timeout: 5 });
  if (typeof list !== 'string') return { Code: 0, Msg: 'no text' };
  V8.Http.Post({ Url: base + '/form', PostParam: { name: 'x', qty: 2 } });
  V8.Http.Post({ Url: base + '/json', PostParamString: JSON.stringify({ deep: { list: [1, 2] } }), ParamType: 'json' });
  V8.Http.Post({ Url: base + '/xml', PostParamString: '<a>1</a>', ParamType: 'xml' });
  var patched = V8.Http.PatchResponse({ Url: base + '/item', PostParamString: '{"on":true}', ParamType: 'json' });
  var gone = await V8.Http.GetResponseAsync({ Url: base + '/gone' });
  var answers = [['PATCH', patched], ['GET', gone]];
  for (var i = 0; i < answers.length; i++) {
    V8.DbTrans.FromSql('insert into call_log (Id, Verb, Status) values (@id, @verb, @status)')
      .AddInParameter('@id', V8.Method.NewUlid()).AddInParameter('@verb', answers[i][0])
      .AddInParameter('@status', answers[i][1].StatusCode).ExecuteNonQuery();
  }
  return { Code: 1, Data: JSON.parse(patched.Content).got };
`;

const TOKEN = `
  var token = V8.Cache.Get('wechat:access_token');
  if (!token) {
    var text = V8.Http.Get({ Url: V8.Param.Url + '/token', GetParam: { grant_type: 'client_credential' } });
    var answer = JSON.parse(text);
    if (!answer.access_token) return { Code: 0, Msg: text };
    token = answer.access_token;
    V8.Cache.Set('wechat:access_token', token, answer.expires_in - 200);
    V8.Db.FromSql("insert into call_log (Id, Verb, Status) values (@id, 'TOKEN', 200)")
      .AddInParameter('@id', V8.Method.NewUlid()).ExecuteNonQuery();
  }
  return { Code: 1, Data: token };
`;

for (const [name, urlOf] of DATABASES) {
  describe(`patterns of scripts' HTTP on ${name}`, () => {
    it('sends every kind of request, and stores what came back', async (t) => {
      const outside = await listen(t);
      const options = { allow: [{ host: '127.0.0.1', port: outside.port }] };
      const host = await openPatternHost(t, urlOf, { 'variants.js': VARIANTS }, TABLES, options);
      assert.deepEqual(await run(host, 'variants', { Url: outside.url }), { Code: 1, Data: '{"on":true}' });
      assert.deepEqual(outside.requests, [
        'GET | /list?page=2&q=a+b |  | ',
        'POST | /form | application/x-www-form-urlencoded | name=x&qty=2',
        'POST | /json | application/json | {"deep":{"list":[1,2]}}',
        'POST | /xml | application/xml | <a>1</a>',
        'PATCH | /item | application/json | {"on":true}',
        'GET | /gone |  | ',
      ]);
      for (const trace of outside.traces) assert.match(trace, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      assert.equal(new Set(outside.traces.map((trace) => trace.slice(0, 35))).size, 1, 'one trace');
      assert.equal(new Set(outside.traces).size, 6, 'a span each');
      const rows = (await host.rows('call_log')).map(({ Verb, Status }) => `${Verb} ${Status}`).sort();
      assert.deepEqual(rows, ['GET 404', 'PATCH 200']);
    });

    it('asks for a token once and keeps it while it lives', async (t) => {
      const outside = await listen(t);
      const options = { allow: [{ host: '127.0.0.1', port: outside.port }] };
      const host = await openPatternHost(t, urlOf, { 'token.js': TOKEN }, TABLES, options);
      for (const _ of [1, 2, 3]) {
        assert.deepEqual(await run(host, 'token', { Url: outside.url }), { Code: 1, Data: 'token-1' });
      }
      assert.deepEqual(outside.requests, ['GET | /token?grant_type=client_credential |  | ']);
      assert.equal((await host.rows('call_log')).length, 1);
    });
  });
}
