/** What one host call may carry is counted in values, too: millions of tiny ones fit into few bytes. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from '../../src/core/json.ts';
import { MAX_JSON_VALUES } from '../../src/core/run-limits.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const SCRIPTS = {
  'sync.js': `
    var list = Array(V8.Param.Count).fill(0);
    var first = V8.Param.Proto ? '{"__proto__":{"a":1}}' : '0';
    list[0] = JSON.parse(first);
    var answer = V8.FormEngine.GetFormData('no_such', { Id: '1', List: list });
    return { Code: 1, Data: [answer.ReasonCode, answer.Msg, V8.FormEngine.GetFormData('no_such', {}).ReasonCode] };`,
  'async.js': `
    var answers = await Promise.all([
      V8.ApiEngine.RunAsync('echo', { List: Array(V8.Param.Count).fill(0) }),
      V8.ApiEngine.RunAsync('echo', { List: [1] }),
    ]);
    return { Code: 1, Data: answers.map(function (answer) { return answer.ReasonCode || answer.Data; }) };`,
  'echo.js': 'return { Code: 1, Data: V8.Param.List.length };',
};

describe('values in the arguments of a host call', () => {
  async function open(t: TestContext) {
    const host = await TestHost.open(tempDir(t));
    t.after(() => host.close());
    await host.push(SCRIPTS);
    // biome-ignore lint/suspicious/noExplicitAny: results of scripts have any shape
    return (key: string, param: JsonObject): Promise<any> => host.host.services.run('demo', key, param, 'en');
  }

  for (const Proto of [false, true]) {
    it(`are counted before one is made${Proto ? ', also where a __proto__ stands among them' : ''}`, async (t) => {
      const run = await open(t);
      const { Data } = await run('sync', { Count: MAX_JSON_VALUES, Proto });
      assert.equal(Data[0], 'V8_TOO_MANY_VALUES');
      assert.match(Data[1], /arguments of FormEngine\.GetFormData\(\) have more than 500000 values: send portions/);
      assert.equal(Data[2], 'TABLE_UNKNOWN', 'the run goes on');
    });
  }

  it('may be as many as the limit says', async (t) => {
    const run = await open(t);
    const { Data } = await run('sync', { Count: MAX_JSON_VALUES - 20 });
    assert.equal(Data[0], 'TABLE_UNKNOWN');
  });

  it('count for each async call by itself', async (t) => {
    const run = await open(t);
    const { Data } = await run('async', { Count: MAX_JSON_VALUES });
    assert.deepEqual(Data, ['V8_TOO_MANY_VALUES', 1]);
  });
});
