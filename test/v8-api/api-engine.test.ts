import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptRun, TRANS } from '../support/script-run.ts';

const RUN = 'ApiEngine.Run';

describe('ApiEngine.Run', () => {
  it('takes key, key and parameters, and one object, each with or without the transaction', async () => {
    const forms: readonly [args: unknown[], param: unknown][] = [
      [['stock-show'], {}],
      [['stock-show', null], {}],
      [['stock-show', { Sku: 'P-1' }], { Sku: 'P-1' }],
      [[{ ApiEngineKey: 'stock-show', Sku: 'P-1' }], { ApiEngineKey: 'stock-show', Sku: 'P-1' }],
    ];
    for (const [args, param] of forms) {
      for (const joins of [false, true]) {
        const run = new ScriptRun();
        await run.call(RUN, ...args, ...(joins ? [TRANS] : []));
        assert.deepEqual(run.engines, [{ key: 'stock-show', param, joins }]);
        assert.deepEqual(run.touched, ['stock-show']);
      }
    }
  });

  it('names a missing or illegal key', async () => {
    for (const args of [[], [''], [{ Sku: 'P-1' }]]) {
      const result = await new ScriptRun().result(RUN, ...args);
      assert.equal(result.ReasonCode, 'PARAM_MISSING');
      assert.match(String(result.Msg), /ApiEngineKey/);
    }
    const result = await new ScriptRun().result(RUN, '../etc', {});
    assert.equal(result.ReasonCode, 'ENGINE_KEY_INVALID');
  });

  it('refuses parameters that are no object', async () => {
    const result = await new ScriptRun().result(RUN, 'stock-show', 'P-1');
    assert.equal(result.ReasonCode, 'PARAM_INVALID');
  });

  it('never runs an engine of another tenant', async () => {
    const run = new ScriptRun();
    const result = await run.result(RUN, 'stock-show', { OsClient: 'other' });
    assert.equal(result.ReasonCode, 'TENANT_MISMATCH');
    assert.deepEqual(run.engines, []);
    await run.call(RUN, 'stock-show', { OsClient: 'acme' });
    assert.equal(run.engines.length, 1);
  });
});
