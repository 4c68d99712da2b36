/** Scripts as people write them around a cache, for idempotency and for debugging, on the real host and on both databases. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { toCacheKey } from '../../src/core/cache-key.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { accepted } from '../support/parsed.ts';
import { eventually } from '../support/test-host.ts';
import { DATABASES, openPatternHost, run, scriptFiles } from './pattern-host.ts';

const TABLES = [
  {
    Name: 'article',
    Fields: [
      { Name: 'Sku', Type: 'varchar(50)', Unique: true },
      { Name: 'Name', Type: 'varchar(200)' },
    ],
    Rows: [{ Id: 'a1', Sku: 'P-1', Name: 'Pen' }],
  },
  {
    Name: 'payment',
    Fields: [
      { Name: 'PayNo', Type: 'varchar(50)', Unique: true },
      { Name: 'Phone', Type: 'varchar(200)' },
      { Name: 'Amount', Type: 'int' },
    ],
  },
];

const keyOf = (name: string) => accepted(toCacheKey('demo', name));

for (const [name, urlOf] of DATABASES) {
  const open = (t: TestContext, script: string) => openPatternHost(t, urlOf, scriptFiles(script), TABLES);

  describe(`cache-aside on ${name}`, () => {
    const PEN = { Sku: 'P-1', Name: 'Pen' };

    it('reads the table once, then the cache, and the table again after a write', async (t) => {
      const host = await open(t, 'cache-aside');
      assert.deepEqual(await run(host, 'cache-aside', { Sku: 'P-1' }), { Code: 1, Data: PEN, From: 'table' });
      assert.deepEqual(await run(host, 'cache-aside', { Sku: 'P-1' }), { Code: 1, Data: PEN, From: 'cache' });
      await host.adapters.cache.set(keyOf('article-list:1'), '[]');
      assert.equal((await run(host, 'cache-aside', { Sku: 'P-1', Name: 'Brush' })).Code, 1);
      assert.equal(await host.adapters.cache.exists(keyOf('article-list:1')), false);
      const read = await run(host, 'cache-aside', { Sku: 'P-1' });
      assert.deepEqual(read, { Code: 1, Data: { Sku: 'P-1', Name: 'Brush' }, From: 'table' });
    });

    it('keeps a placeholder for what does not exist, under the tenant’s prefix', async (t) => {
      const host = await open(t, 'cache-aside');
      assert.deepEqual(await run(host, 'cache-aside', { Sku: 'P-9' }), { Code: 1, Data: null, From: 'table' });
      assert.deepEqual(await run(host, 'cache-aside', { Sku: 'P-9' }), { Code: 1, Data: null, From: 'cache' });
      assert.equal(keyOf('article:P-9'), 'Microi:demo:article:P-9');
      assert.equal(await host.adapters.cache.get(keyOf('article:P-9')), '-');
      assert.equal(await host.adapters.cache.get(accepted(toCacheKey('other', 'article:P-9'))), undefined);
    });
  });

  describe(`pay once on ${name}`, () => {
    const PAYMENT = { PayNo: 'pay-1', Phone: '13812345678', Amount: 5 };

    it('takes a payment once, by the cache and without it', async (t) => {
      const host = await open(t, 'pay-once');
      const first = await run(host, 'pay-once', PAYMENT);
      assert.deepEqual(first, { Code: 1, Data: { Repeated: false, Phone: '138****5678', Plain: 'not encrypted' } });
      assert.deepEqual((await run(host, 'pay-once', PAYMENT)).Data, { Repeated: true, By: 'cache' });
      await host.adapters.cache.delete(keyOf('pay:pay-1'));
      assert.deepEqual((await run(host, 'pay-once', PAYMENT)).Data, { Repeated: true, By: 'table' });
      const [row, ...others] = await host.rows('payment');
      assert.deepEqual(others, []);
      assert.notEqual(row?.Phone, PAYMENT.Phone, 'the number is not stored in the clear');
    });
  });

  describe(`debug log on ${name}`, () => {
    it('comes back only when it is asked for', async (t) => {
      const host = await open(t, 'debug-log');
      assert.deepEqual(await run(host, 'debug-log', { Amount: 2 }), { Code: 1, Data: { Total: 4 } });
      const asked = await run(host, 'debug-log', { Amount: 2, _Debug: true });
      const [entry] = (asked.DataAppend as unknown as { DebugLog: JsonObject[] }).DebugLog;
      assert.deepEqual([entry?.Name, entry?.Value, typeof entry?.At], ['param', { Amount: 2, _Debug: true }, 'number']);
    });

    it('has message and stack of an error, and a line in the system log', async (t) => {
      const host = await open(t, 'debug-log');
      const failed = await run(host, 'debug-log', { _Debug: true });
      assert.deepEqual([failed.Code, failed.Msg], [0, 'Amount is missing']);
      const entries = (failed.DataAppend as unknown as { DebugLog: { Value: JsonObject }[] }).DebugLog;
      const error = entries.at(-1)?.Value;
      assert.match(String(error?.Stack), /debug-log\.js:14:/);
      assert.equal(error?.Line, null);
      await host.store.journal.flush();
      await eventually(async () => {
        const logged = (await host.rows('sys_log')).find((row) => row.Title === 'debug-log failed');
        assert.deepEqual([logged?.Content, logged?.Level], ['Amount is missing', 3]);
      });
    });
  });
}
