import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { AppError } from '../../src/core/errors.ts';
import type { HttpRequest } from '../../src/ports/http-client.ts';
import { httpAnswer } from '../support/http-answer.ts';
import { ScriptRun, type ScriptRunOptions } from '../support/script-run.ts';

const POST = 'Http.Post';
const RESPONSE = 'Http.PostResponse';
const OK = httpAnswer('{"ok":true}', { status: 201, headers: [{ name: 'X-Id', value: '7' }] });

function open(options: ScriptRunOptions = {}): ScriptRun {
  return new ScriptRun({ send: async () => OK, ...options });
}

/** The request that `param` makes. */
async function requestOf(param: object, options: ScriptRunOptions = {}): Promise<HttpRequest> {
  const run = open(options);
  const text = await run.call(POST, { Url: 'http://erp.test/in', ...param });
  return run.requests[0] ?? assert.fail(`nothing was sent: ${String(text)}`);
}

describe('V8.Http.Post', () => {
  it('answers the body text whatever the status', async () => {
    assert.equal(await open().call(POST, { Url: 'http://erp.test/in' }), '{"ok":true}');
    const broken = open({ send: async () => httpAnswer('down', { status: 500 }) });
    assert.equal(await broken.call(POST, 'http://erp.test/in', {}), 'down');
  });

  it('answers the error text when there is no response', async () => {
    const failure = new AppError('HTTP_FAILED', { target: 'erp.test', reason: 'ECONNREFUSED' });
    const run = open({ send: () => Promise.reject(failure) });
    assert.equal(await run.call(POST, { Url: 'http://erp.test/in' }), '请求 erp.test 失败：ECONNREFUSED');
  });

  it('takes the address as first argument too', async () => {
    const run = open();
    await run.call(POST, 'http://erp.test/in', { PostParam: { a: 1 } });
    assert.equal(run.requests[0]?.url, 'http://erp.test/in');
    assert.equal(run.requests[0]?.body, 'a=1');
    assert.equal(run.requests[0]?.method, 'POST');
  });

  it('names the host for the story, never path or query', async () => {
    const run = open();
    await run.call(POST, { Url: 'http://erp.test:8080/secret?key=1' });
    assert.deepEqual(run.touched, ['erp.test:8080']);
  });
});

describe('V8.Http.PostResponse', () => {
  it('answers content, headers and status', async () => {
    assert.deepEqual(await open().call(RESPONSE, { Url: 'http://erp.test/in' }), {
      Content: '{"ok":true}',
      Headers: [{ Name: 'X-Id', Value: '7' }],
      StatusCode: 201,
      ErrorMessage: null,
    });
  });

  it('answers StatusCode 0 with the reason when there is no response', async () => {
    const denied = new AppError('HTTP_TARGET_DENIED', { target: '127.0.0.1' });
    const run = open({ lang: 'en', send: () => Promise.reject(denied) });
    const answer = (await run.call(RESPONSE, { Url: 'http://127.0.0.1/' })) as Record<string, unknown>;
    assert.equal(answer.StatusCode, 0);
    assert.equal(answer.Content, '');
    assert.deepEqual(answer.Headers, []);
    assert.equal(answer.ReasonCode, 'HTTP_TARGET_DENIED');
    assert.match(String(answer.ErrorMessage), /127\.0\.0\.1 is not allowed/);
  });
});

describe('the verbs of V8.Http', () => {
  const json = 'application/json; charset=utf-8';
  const rows: readonly [
    member: string,
    param: object,
    method: string,
    body: string | undefined,
    type: string | undefined,
  ][] = [
    ['Get', { GetParam: { a: 1 } }, 'GET', undefined, undefined],
    ['Post', { PostParam: { a: 1 } }, 'POST', 'a=1', 'application/x-www-form-urlencoded; charset=utf-8'],
    ['Patch', { PatchParam: { a: 1 }, PostParam: { b: 2 }, ParamType: 'json' }, 'PATCH', '{"a":1}', json],
    ['Patch', { PostParam: { b: 2 }, ParamType: 'json' }, 'PATCH', '{"b":2}', json],
    ['Patch', { PatchParamString: '<a/>', ParamType: 'xml' }, 'PATCH', '<a/>', 'application/xml; charset=utf-8'],
    ['Put', { PutParamString: '[1]', ParamType: 'json' }, 'PUT', '[1]', json],
    ['Delete', {}, 'DELETE', undefined, undefined],
    ['Delete', { ParamType: 'json' }, 'DELETE', undefined, undefined],
    ['Delete', { DeleteParam: { a: 1 }, ParamType: 'json' }, 'DELETE', '{"a":1}', json],
  ];

  it('sends each verb with its own parameters', async () => {
    for (const [verb, param, method, body, type] of rows) {
      for (const name of [`Http.${verb}`, `Http.${verb}Response`] as const) {
        const run = open();
        await run.call(name as 'Http.Post', { Url: 'http://erp.test/in', ...param });
        const [request] = run.requests;
        assert.deepEqual(
          [request?.method, request?.body, request?.headers['content-type']],
          [method, body, type],
          name,
        );
      }
    }
    const head = open();
    await head.call('Http.HeadResponse', 'http://erp.test/in');
    assert.deepEqual([head.requests[0]?.method, head.requests[0]?.body], ['HEAD', undefined]);
  });

  it('says so when a body is given to a verb that has none', async () => {
    const run = open({ lang: 'en' });
    await run.call('Http.Get', { Url: 'http://erp.test/in', PostParam: { a: 1 } });
    assert.equal(run.requests.length, 1);
    assert.match(run.consoleLines.join(), /PostParam is not sent; use GetParam/);
  });
});

describe('the parts of a response', () => {
  const respond = async (body: string | Uint8Array, type: string, param: object = {}) => {
    const run = open({ send: async () => httpAnswer(body, { headers: [{ name: 'content-type', value: type }] }) });
    return (await run.call('Http.GetResponse', { Url: 'http://erp.test/', ...param })) as Record<string, unknown>;
  };

  it('is text alone where its UTF-8 is the body', async () => {
    const answer = await respond('{"a":"订单"}', 'application/json');
    assert.equal(answer.Content, '{"a":"订单"}');
    assert.equal(Object.hasOwn(answer, 'RawBytes'), false);
  });

  it('is text and bytes in another charset, also in the one the script names', async () => {
    const gbk = Uint8Array.of(0xb6, 0xa9);
    assert.deepEqual((({ Content, RawBytes }) => [Content, RawBytes])(await respond(gbk, 'text/plain; charset=gbk')), [
      '订',
      'tqk=',
    ]);
    assert.equal((await respond(gbk, 'text/plain', { Encoding: 'GBK' })).Content, '订');
  });

  it('is bytes alone where it is no text', async () => {
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0xff, 0xfe, 0x00);
    const answer = await respond(png, 'image/png');
    assert.equal(answer.Content, '');
    assert.equal(answer.RawBytes, Buffer.from(png).toString('base64'));
  });

  it('keeps a text with one damaged byte', async () => {
    const damaged = Buffer.concat([Buffer.from('a long enough text '.repeat(3)), Uint8Array.of(0xff)]);
    assert.match(String((await respond(damaged, 'text/plain')).Content), /^a long enough text/);
  });
});

describe('files', () => {
  const POST_FILES = {
    PostParam: { OrderId: 'A-1' },
    FilesByteBase64: { 'a.bin': 'AP8=' },
    FilesByteString: { 'b.txt': '好' },
    FilesByte: { 'c.bin': [1, 2], 'd.bin': { 0: 3 } },
  };

  it('travel as multipart with the fields, under their names', async () => {
    const request = await requestOf(POST_FILES);
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(request.body as Uint8Array<ArrayBuffer>, { headers }).formData();
    const read: unknown[] = [];
    for (const [name, value] of form) {
      const isText = typeof value === 'string';
      read.push([
        name,
        isText ? value : value.name,
        isText ? '' : Buffer.from(await value.arrayBuffer()).toString('hex'),
      ]);
    }
    assert.deepEqual(read, [
      ['OrderId', 'A-1', ''],
      ['a.bin', 'a.bin', '00ff'],
      ['b.txt', 'b.txt', 'e5a5bd'],
      ['c.bin', 'c.bin', '0102'],
      ['d.bin', 'd.bin', '03'],
    ]);
  });

  it('make the same bytes when the message runs again', async () => {
    assert.deepEqual((await requestOf(POST_FILES)).body, (await requestOf(POST_FILES)).body);
  });

  it('keep their boundary whatever the script says', async () => {
    for (const more of [
      { ContentType: 'multipart/form-data' },
      { Headers: { 'Content-Type': 'multipart/form-data' } },
    ]) {
      const request = await requestOf({ ...POST_FILES, ...more });
      assert.match(request.headers['content-type'] ?? '', /^multipart\/form-data; boundary=v8host-[0-9a-f]{40}$/);
    }
  });

  it('are the body itself with ParamType binary', async () => {
    const request = await requestOf({
      ParamType: 'binary',
      FilesByteBase64: { 'a.png': 'AP8=' },
      ContentType: 'image/png',
    });
    assert.deepEqual(
      [request.headers['content-type'], Buffer.from(request.body as Uint8Array).toString('hex')],
      ['image/png', '00ff'],
    );
    const raw = await requestOf({ ParamType: 'binary', PostParamString: 'text' });
    assert.deepEqual([raw.headers['content-type'], raw.body], ['application/octet-stream', 'text']);
  });
});

describe('credentials', () => {
  it('are named for the host, or written as Basic', async () => {
    const named = await requestOf({ Credentials: ' erp ' });
    assert.deepEqual([named.credential, named.headers.authorization], ['erp', undefined]);
    const own = await requestOf({ Credentials: { UserName: 'Aladdin', Password: 'open sesame' } });
    assert.deepEqual([own.credential, own.headers.authorization], [undefined, 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==']);
  });

  it('belong to the run’s tenant', async () => assert.equal((await requestOf({ Credentials: 'erp' })).tenant, 'Acme'));
});

describe('bodies', () => {
  it('sends a form by default, nested values as JSON', async () => {
    const request = await requestOf({ PostParam: { Name: '张 三', Tags: ['a'], Gone: null, Flag: true } });
    assert.equal(request.headers['content-type'], 'application/x-www-form-urlencoded; charset=utf-8');
    assert.deepEqual(Object.fromEntries(new URLSearchParams(String(request.body))), {
      Name: '张 三',
      Tags: '["a"]',
      Gone: '',
      Flag: 'true',
    });
  });

  it('sends JSON from PostParam, or the text of PostParamString as it is', async () => {
    const object = await requestOf({ ParamType: 'json', PostParam: { a: [1, { b: null }] } });
    assert.equal(object.body, '{"a":[1,{"b":null}]}');
    assert.equal(object.headers['content-type'], 'application/json; charset=utf-8');
    const text = await requestOf({ ParamType: 'JSON', PostParam: { a: 1 }, PostParamString: '{ "a" : 2 }' });
    assert.equal(text.body, '{ "a" : 2 }');
    assert.equal((await requestOf({ ParamType: 'json' })).body, '{}');
  });

  it('sends XML text', async () => {
    const request = await requestOf({ ParamType: 'xml', PostParamString: '<a/>' });
    assert.equal(request.body, '<a/>');
    assert.equal(request.headers['content-type'], 'application/xml; charset=utf-8');
  });

  it('adds GetParam to the query', async () => {
    const request = await requestOf({ Url: 'http://erp.test/in?a=1', GetParam: { b: '2&3', c: ['x'] } });
    assert.deepEqual(
      [...new URL(request.url).searchParams],
      [
        ['a', '1'],
        ['b', '2&3'],
        ['c', '["x"]'],
      ],
    );
  });
});

describe('headers', () => {
  it('sends those of the script, Content-Type too, by either name', async () => {
    const request = await requestOf({ Headers: { Authorization: 'Bearer x', 'Content-Type': 'text/plain', 'X-N': 5 } });
    assert.deepEqual(request.headers, { authorization: 'Bearer x', 'content-type': 'text/plain', 'x-n': '5' });
    assert.equal((await requestOf({ Header: { 'X-A': 'b' } })).headers['x-a'], 'b');
  });

  it('drops those that belong to the host', async () => {
    const request = await requestOf({
      Headers: { TraceParent: '00-1', tracestate: 'x', Host: 'inner', 'Content-Length': '1', Connection: 'x' },
    });
    assert.deepEqual(Object.keys(request.headers), ['content-type']);
  });

  it('gives requests of a message an Idempotency-Key that a repeated run gives again', async () => {
    const event = { queue: 'microi.acme.erp', eventId: 'erp-1' };
    const key = (await requestOf({}, { event })).headers['idempotency-key'];
    const identity = 'acme|microi.acme.erp|erp-1|POST http://erp.test/in|1';
    const expected = createHash('sha256').update(identity).digest('hex').slice(0, 32);
    assert.equal(key, expected);
    assert.equal((await requestOf({}, { event })).headers['idempotency-key'], expected);
    const other = (await requestOf({}, { event: { ...event, eventId: 'erp-2' } })).headers['idempotency-key'];
    assert.notEqual(other, expected);
  });

  it('gives the second request of a run another key', async () => {
    const run = open({ event: { queue: 'q', eventId: 'e' } });
    await run.call(POST, { Url: 'http://erp.test/' });
    await run.call(POST, { Url: 'http://erp.test/' });
    const [first, second] = run.requests.map((request) => request.headers['idempotency-key']);
    assert.notEqual(first, second);
  });

  it('keeps the key of a request when another one is left out the next time', async () => {
    const event = { queue: 'q', eventId: 'e' };
    const first = open({ event });
    await first.call('Http.Get', 'http://erp.test/token');
    await first.call(POST, 'http://erp.test/in', { GetParam: { sign: 1 } });
    const again = open({ event });
    await again.call(POST, 'http://erp.test/in', { GetParam: { sign: 2 } });
    assert.equal(again.requests[0]?.headers['idempotency-key'], first.requests[1]?.headers['idempotency-key']);
  });

  it('sends UserAgent, Referer and ContentType as headers; those of Headers win', async () => {
    const request = await requestOf({
      UserAgent: 'u',
      Referer: 'r',
      ContentType: 'text/csv',
      PostParamString: 'a,b',
      Headers: { referer: 'own' },
    });
    assert.deepEqual(request.headers, { 'content-type': 'text/csv', 'user-agent': 'u', referer: 'own' });
    assert.equal(request.body, 'a,b');
  });

  it('leaves the key to the script when it sets one, and out of runs without a message', async () => {
    const event = { queue: 'q', eventId: 'e' };
    const own = await requestOf({ Headers: { 'IDEMPOTENCY-KEY': 'mine' } }, { event });
    assert.equal(own.headers['idempotency-key'], 'mine');
    assert.equal(Object.hasOwn((await requestOf({})).headers, 'idempotency-key'), false);
  });
});

describe('timeouts', () => {
  it('is the smallest of what the script asks, 600 s and what is left of the run', async () => {
    const left = { remainingMs: 900_000 };
    assert.equal((await requestOf({}, left)).timeoutMs, 600_000);
    assert.equal((await requestOf({ Timeout: 5 }, left)).timeoutMs, 5000);
    assert.equal((await requestOf({ TimeOut: '1.5' }, left)).timeoutMs, 1500);
    assert.equal((await requestOf({ Timeout: 3600 }, left)).timeoutMs, 600_000);
    assert.equal((await requestOf({ Timeout: 90 }, { remainingMs: 1234 })).timeoutMs, 1234);
    assert.equal((await requestOf({}, { remainingMs: -1 })).timeoutMs, 1);
  });
});

describe('refused requests', () => {
  const refusals: readonly [param: object, part: RegExp][] = [
    [{ Url: '' }, /Url/],
    [{ Url: 'erp.test/in' }, /Url/],
    [{ Url: 'file:///etc/passwd' }, /Url/],
    [{ Url: { a: 1 } }, /Url/],
    [{ ParamType: 'yaml' }, /ParamType/],
    [{ PostParamString: '{}' }, /PostParamString/],
    [{ PostParam: 'a=1' }, /PostParam/],
    [{ ParamType: 'xml', PostParam: { a: 1 } }, /PostParam/],
    [{ FilesByteBase64: { 'a.txt': 'no base64' } }, /FilesByteBase64 \(a.txt\)/],
    [{ FilesByteBase64: { 'a.txt': 'data:text/plain;base64,AA==' } }, /FilesByteBase64 \(a.txt\)/],
    [{ FilesByteString: { 'a.txt': 1 } }, /FilesByteString \(a.txt\)/],
    [{ FilesByte: { 'a.txt': [256] } }, /FilesByte \(a.txt\)/],
    [{ FilesStream: { 'a.txt': 1 } }, /FilesStream/],
    [{ ParamType: 'binary' }, /ParamType/],
    [{ ParamType: 'binary', FilesByteString: { a: '1', b: '2' } }, /ParamType/],
    [{ ContentType: 'a\r\nX-Evil: 1' }, /ContentType/],
    [{ UserAgent: '中文' }, /UserAgent/],
    [{ Encoding: 'gbx' }, /Encoding/],
    [{ CertPath: '/etc/key' }, /CertPath/],
    [{ CookieContainer: { a: 1 } }, /CookieContainer/],
    [{ Credentials: { UserName: 'a' } }, /Credentials/],
    [{ Credentials: 5 }, /Credentials/],
    [{ GetParam: 'a=1' }, /GetParam/],
    [{ Headers: 'X: y' }, /Headers/],
    [{ Headers: { 'X-A': 'b\r\nX-Evil: 1' } }, /Headers \(X-A\)/],
    [{ Headers: { 'X A': 'b' } }, /Headers \(X A\)/],
    [{ Header: { 'X-A': '中文' } }, /Header \(X-A\)/],
    [{ Timeout: 0 }, /Timeout/],
    [{ TimeOut: 'soon' }, /TimeOut/],
  ];
  for (const [param, part] of refusals) {
    it(`sends nothing and names the part for ${JSON.stringify(param)}`, async () => {
      const run = open();
      const answer = (await run.call(RESPONSE, { Url: 'http://erp.test/', ...param })) as Record<string, unknown>;
      assert.equal(answer.StatusCode, 0);
      assert.match(String(answer.ReasonCode), /^PARAM_/);
      assert.match(String(answer.ErrorMessage), part);
      assert.match(String(await run.call(POST, { Url: 'http://erp.test/', ...param })), part);
      assert.deepEqual(run.requests, []);
    });
  }
});
