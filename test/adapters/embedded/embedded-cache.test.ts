import assert from 'node:assert/strict';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { createEmbeddedCache } from '../../../src/adapters/embedded/embedded-cache.ts';
import { createEmbeddedQueue } from '../../../src/adapters/embedded/embedded-queue.ts';
import { toCacheKey } from '../../../src/core/cache-key.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { accepted } from '../../support/parsed.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';
import { tempDir } from '../../support/temp-dir.ts';

const keyOf = (name: string) => accepted(toCacheKey('t1', name));

async function openCache(t: TestContext, file: string, clock = new ManualClock()) {
  const cache = await createEmbeddedCache({ file, clock });
  t.after(() => cache.close());
  return { cache, clock };
}

test('values outlive the host and keep their end', async (t) => {
  const file = join(tempDir(t), 'sub', 'host.db');
  const first = await openCache(t, file);
  await first.cache.set(keyOf('stays'), 'v');
  await first.cache.set(keyOf('ends'), 'v', 1_000);
  await first.cache.hashSet(keyOf('hash'), [['f', '1']]);
  first.cache.close();
  const { cache, clock } = await openCache(t, file, first.clock);
  assert.equal(await cache.get(keyOf('ends')), 'v');
  clock.set(clock.now() + 1_000);
  assert.deepEqual(
    [await cache.get(keyOf('stays')), await cache.get(keyOf('ends')), await cache.hashGet(keyOf('hash'), 'f')],
    ['v', undefined, '1'],
  );
});

test('expired keys are removed from the file, more than one step of them', async (t) => {
  const file = join(tempDir(t), 'host.db');
  const { cache, clock } = await openCache(t, file);
  for (let index = 0; index < 1_500; index++) await cache.set(keyOf(`k${index}`), 'v', 1_000);
  await cache.hashSet(keyOf('hash'), [['f', '1']]);
  await cache.expire(keyOf('hash'), 1_000);
  await cache.set(keyOf('stays'), 'v');
  await clock.advance(120_000);
  const db = new DatabaseSync(file, { readOnly: true });
  t.after(() => db.close());
  const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
  assert.deepEqual([count('cache'), count('cache_field')], [1, 0]);
});

test('it shares its file with the queue', async (t) => {
  const file = join(tempDir(t), 'host.db');
  const { cache, clock } = await openCache(t, file);
  const queue = await createEmbeddedQueue({ file, log: SILENT_LOG, clock });
  t.after(() => queue.close());
  const message = { queue: 'microi.t1.q', body: Buffer.from('m'), props: { headers: {} } };
  const work = Array.from({ length: 50 }, (_, n) => [
    queue.publish('t1', [message]),
    cache.set(keyOf(`k${n}`), 'v'),
    cache.increment(keyOf('n'), 1),
  ]);
  await Promise.all(work.flat());
  assert.equal(await cache.get(keyOf('n')), '50');
  assert.equal((await queue.depth('t1', 'microi.t1.q')).ready, 50);
});

test('a file that another program holds is refused at once and used again later', async (t) => {
  const file = join(tempDir(t), 'host.db');
  const { cache } = await openCache(t, file);
  const other = new DatabaseSync(file);
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const startedAt = performance.now();
  await assert.rejects(cache.set(keyOf('k'), 'v'), { code: 'CACHE_UNAVAILABLE' });
  assert.ok(performance.now() - startedAt < 3_000);
  other.exec('ROLLBACK');
  await eventually(() => cache.set(keyOf('k'), 'v'));
});

test('a file that is no database is refused with the reason', async (t) => {
  const file = join(tempDir(t), 'host.db');
  writeFileSync(file, 'no database at all, but long enough to be looked at as one'.repeat(20));
  await assert.rejects(openCache(t, file), (error: { code?: string; message?: string }) => {
    assert.equal(error.code, 'CACHE_UNAVAILABLE');
    assert.match(String(error.message), /not a database/);
    return true;
  });
});

test('the tables of a newer program are refused', async (t) => {
  const file = join(tempDir(t), 'host.db');
  (await openCache(t, file)).cache.close();
  const db = new DatabaseSync(file);
  db.exec('UPDATE cache_schema SET Version = 99');
  db.close();
  await assert.rejects(openCache(t, file), { code: 'SCHEMA_NEWER' });
});

test('nobody but the host reads the file', async (t) => {
  const dir = tempDir(t);
  chmodSync(dir, 0o755);
  const file = join(dir, 'host.db');
  const { cache } = await openCache(t, file);
  await cache.set(keyOf('k'), 'v');
  for (const name of ['host.db', 'host.db-wal']) assert.equal(statSync(join(dir, name)).mode & 0o077, 0, name);
});

test('after its end it refuses', async (t) => {
  const { cache } = await openCache(t, join(tempDir(t), 'host.db'));
  cache.close();
  cache.close();
  await assert.rejects(cache.get(keyOf('k')), { code: 'CACHE_UNAVAILABLE' });
});
