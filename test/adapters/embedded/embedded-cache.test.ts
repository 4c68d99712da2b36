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

test('what an older file holds is counted when it is opened', async (t) => {
  const file = join(tempDir(t), 'host.db');
  const older = await openCache(t, file);
  const value = 'x'.repeat(3_000);
  await older.cache.set(keyOf('text'), value);
  await older.cache.hashSet(keyOf('hash'), [['f', value]]);
  older.cache.close();
  asVersion2(file);
  const cache = await createEmbeddedCache({ file, clock: older.clock, bytesPerTenant: 9_000 });
  t.after(() => cache.close());
  await assert.rejects(cache.set(keyOf('more'), value), { code: 'CACHE_FULL' });
  await cache.hashDelete(keyOf('hash'), ['f']);
  await cache.set(keyOf('more'), value);
  assert.equal(await cache.get(keyOf('text')), value);
});

/** The file as the version before counted it: keys alone. */
function asVersion2(file: string): void {
  const owner = (row: string) =>
    `lower(substr(substr(${row}.CacheKey, 8), 1, instr(substr(${row}.CacheKey, 8), ':') - 1))`;
  const db = new DatabaseSync(file);
  const triggers = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'cache_%'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.exec(`
    DROP TABLE cache_owner;
    CREATE TABLE cache_owner (Owner TEXT PRIMARY KEY, Keys INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO cache_owner VALUES ('t1', 2);
    CREATE TRIGGER cache_key_added AFTER INSERT ON cache BEGIN
      INSERT INTO cache_owner (Owner, Keys) VALUES (${owner('new')}, 1) ON CONFLICT (Owner) DO UPDATE SET Keys = Keys + 1;
    END;
    CREATE TRIGGER cache_key_removed AFTER DELETE ON cache BEGIN
      UPDATE cache_owner SET Keys = Keys - 1 WHERE Owner = ${owner('old')};
    END;
    DELETE FROM cache_schema;
    INSERT INTO cache_schema VALUES (2);`);
  db.close();
}

test('the file stays within a few times the bound, whatever is written', async (t) => {
  const file = join(tempDir(t), 'host.db');
  const bound = 512 * 1024;
  const clock = new ManualClock();
  const cache = await createEmbeddedCache({ file, clock, bytesPerTenant: bound });
  t.after(() => cache.close());
  // Just too long for its page, so that each takes one of its own; and lives that end at once.
  const value = 'x'.repeat(1_100);
  const write = async (n: number) => {
    clock.set(clock.now() + 2);
    await cache.set(keyOf(`k${n}`), value, 1).catch(() => undefined);
    await cache.hashSet(keyOf(`h${n % 2}`), [[`f${n}`, value]]).catch(() => undefined);
  };
  for (let n = 0; n < 1_200; n++) await write(n);
  cache.close();
  const size = statSync(file).size;
  assert.ok(size < 6 * bound, `${size} bytes`);
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
