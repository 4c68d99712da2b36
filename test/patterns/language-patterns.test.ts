/** Scripts that wait, set timers and look for what there is (patterns 36 to 39), on the real host, on both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCacheKey } from '../../src/core/cache-key.ts';
import { accepted } from '../support/parsed.ts';
import type { TestHost } from '../support/test-host.ts';
import { DATABASES, openOutside, openPatternHost, run, scriptFiles, tableOf } from './pattern-host.ts';

const STOCK = tableOf(
  'stock',
  ['Sku'],
  ['Qty'],
  [
    { Id: 's1', Sku: 'P-1', Qty: 5 },
    { Id: 's2', Sku: 'P-2', Qty: 0 },
  ],
);

async function cached(host: TestHost, key: string): Promise<string | undefined> {
  return host.adapters.cache.get(accepted(toCacheKey('demo', key)));
}

for (const [name, urlOf] of DATABASES) {
  describe(`patterns of the language on ${name}`, () => {
    it('waits for several at once, and what is returned after the last await decides', async (t) => {
      const outside = await openOutside(t, ({ path }) => ({ body: path.slice(1) }));
      const scripts = scriptFiles('fan-out', 'fan-out-note');
      const host = await openPatternHost(t, urlOf, scripts, [STOCK, tableOf('note', ['Text'])], outside.options);
      const failed = await run(host, 'fan-out', { Url: outside.url, Fail: true });
      assert.deepEqual([failed.Code, failed.Data.Rows], [0, 1]);
      assert.deepEqual(await host.rows('note'), []);
      assert.deepEqual(await run(host, 'fan-out', { Url: outside.url }), {
        Code: 1,
        Data: { Rows: 1, Heard: '200 200' },
      });
      const [note, ...others] = await host.rows('note');
      assert.deepEqual([note?.Text, others], ['abc', []]);
    });

    it('does its work in a timer before the run is over, in the transaction of its result', async (t) => {
      const scripts = scriptFiles('tenant-create', 'tenant-create-step');
      const host = await openPatternHost(t, urlOf, scripts, [tableOf('shop', ['Key'])]);
      const made = await run(host, 'tenant-create', { Key: 'Alpha' });
      assert.deepEqual([made.Code, made.Data.Key], [1, 'alpha']);
      const old = await run(host, 'tenant-create', { Key: 'beta', OldCaller: true });
      assert.deepEqual(old, { Code: 1, Msg: 'queued' });
      assert.deepEqual((await host.rows('shop')).map(({ Key }) => Key).sort(), ['alpha', 'beta']);
      assert.equal(JSON.parse(String(await cached(host, 'create-progress:beta'))).Step, 'done');
      assert.equal(await cached(host, 'create-lock:beta'), undefined);
      await host.adapters.cache.set(accepted(toCacheKey('demo', 'create-lock:gamma')), '{"By":7}');
      const busy = await run(host, 'tenant-create', { Key: 'gamma' });
      assert.deepEqual(busy, { Code: 2, Msg: 'busy', Data: 7 });
      assert.match((await run(host, 'tenant-create', { Key: '9' })).Msg, /^Key: /);
    });

    it('keeps rows of engines in the cache under their names, and forgets an old one', async (t) => {
      const host = await openPatternHost(t, urlOf, scriptFiles('engine-cache', 'feature-detection'), []);
      await host.adapters.cache.set(accepted(toCacheKey('demo', 'FormData:sys_apiengine:gone')), 'x');
      const answer = await run(host, 'engine-cache', { Key: 'feature-detection', OldKey: 'Gone' });
      assert.deepEqual(answer, { Code: 1, Data: { Written: 2, Same: true, Key: 'feature-detection' } });
      assert.equal(await cached(host, 'FormData:sys_apiengine:gone'), undefined);
      assert.match(String(await cached(host, 'FormData:sys_apiengine:feature-detection')), /NeverHeardOf/);
      assert.equal((await run(host, 'feature-detection')).Code, 1, 'what scripts cache is not what the host runs');
    });

    it('finds what is missing as undefined, and what is refused as an error', async (t) => {
      const host = await openPatternHost(t, urlOf, scriptFiles('feature-detection'), []);
      assert.deepEqual((await run(host, 'feature-detection')).Data, {
        Known: true,
        Unknown: 'undefined',
        UnknownFamily: 'undefined',
        Dates: 'function',
        MissingGlobal: 'undefined',
        Browser: 'undefined,undefined,undefined',
        Now: true,
        Files: true,
        Thrown: 'TypeError',
      });
    });
  });
}
