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
