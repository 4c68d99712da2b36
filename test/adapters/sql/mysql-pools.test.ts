import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { PoolUse } from '../../../src/ports/metrics.ts';
import { openShop, WAIT_MS } from './mysql-shop.ts';

it('tells how many connections of each kind are used, how many there may be and who waits for one', async (t) => {
  const { store } = await openShop(t);
  const poolOf = (use: PoolUse['use']) => store.pools().find((pool) => pool.use === use) as PoolUse;
  assert.deepEqual(
    store.pools().map(({ use }) => use),
    ['run', 'script', 'system'],
  );
  const { size, used } = poolOf('run');
  assert.ok(size > 0);
  assert.equal(used, 0);
  const held = await Promise.all(Array.from({ length: size }, () => store.begin(WAIT_MS)));
  assert.deepEqual(poolOf('run'), { use: 'run', used: size, size, waiting: 0 });
  const next = store.begin(WAIT_MS);
  assert.deepEqual(poolOf('run'), { use: 'run', used: size, size, waiting: 1 });
  for (const tx of held) await tx.rollback();
  await (await next).rollback();
  assert.deepEqual(poolOf('run'), { use: 'run', used: 0, size, waiting: 0 });
});
