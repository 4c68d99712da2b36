/** The Idempotency-Key of requests on the real host: nested engines, parallel requests, a run that comes again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpRequest } from '../../src/ports/http-client.ts';
import { httpAnswer } from '../support/http-answer.ts';
import { intercept } from '../support/intercept.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, TestHost } from '../support/test-host.ts';

const SCRIPTS = {
  'outer.js': `/**
 * @queue outer
 * @retry 2
 * @backoff fixed:100ms
 */
V8.Http.PostResponse({ Url: 'http://erp.test/order', PostParam: { at: Date.now() } });
var nested = V8.ApiEngine.Run('inner');
var answers = await Promise.all([1, 2, 3].map((n) => V8.Http.PostResponseAsync({ Url: 'http://erp.test/line/' + n })));
if (V8.Cache.Get('token') === null) {
  V8.Http.Get('http://erp.test/token');
  V8.Cache.Set('token', 't', 60);
}
var last = V8.Http.PostResponse({ Url: 'http://erp.test/order', GetParam: { sign: Math.random() } });
return last.Content === 'again' ? { Code: 0, Msg: 'fail once' } : { Code: 1, Data: [nested.Code, answers.length] };
`,
  'inner.js': `V8.Http.Post({ Url: 'http://erp.test/order', PostParam: { inner: 1 } });\nreturn { Code: 1 };\n`,
};

test('a message that runs again sends each request under the key it had before', async (t) => {
  const requests: HttpRequest[] = [];
  let orders = 0;
  const host = await TestHost.open(tempDir(t), {
    decorate: (adapters) => ({
      ...adapters,
      http: intercept(adapters.http, 'send', async (_, request) => {
        requests.push(request);
        if (request.url.includes('/order')) orders += 1;
        return httpAnswer(orders === 3 ? 'again' : 'done');
      }),
    }),
  });
  t.after(() => host.close());
  await host.push(SCRIPTS);
  await host.host.start();
  await host.send('outer', 'e-1', {});
  await eventually(async () => {
    const story = await host.host.services.story('demo', 'e-1');
    assert.equal(JSON.stringify(story).includes('"done"'), true);
  });
  const seen = requests.map(({ method, url, headers }) => ({
    target: `${method} ${new URL(url).pathname}`,
    key: headers['idempotency-key'] ?? assert.fail('a request without a key'),
  }));
  const first = seen.slice(0, 7);
  const again = seen.slice(7);
  assert.equal(first.filter(({ target }) => target === 'GET /token').length, 1);
  assert.equal(again.filter(({ target }) => target === 'GET /token').length, 0, 'the token is cached by now');
  assert.equal(new Set(first.map(({ key }) => key)).size, 7, 'every request of a run has a key of its own');
  const sorted = (list: typeof seen) => list.map(({ target, key }) => `${target} ${key}`).sort();
  assert.deepEqual(sorted(again), sorted(first.filter(({ target }) => target !== 'GET /token')));
});
