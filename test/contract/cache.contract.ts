/** What every cache adapter promises (ports/cache.ts). Run against each adapter by test/adapters. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type CacheKey, toCacheKey } from '../../src/core/cache-key.ts';
import { MAX_HASH_FIELDS, MAX_HASH_READ_BYTES } from '../../src/core/cache-limits.ts';
import { AppError, describeError } from '../../src/core/errors.ts';
import type { Cache } from '../../src/ports/cache.ts';
import { accepted } from '../support/parsed.ts';

/** A life that ends within a test, and one that does not. Milliseconds. */
const SHORT_MS = 500;
const LONG_MS = 60_000;

export interface CachePlace {
  readonly cache: Cache;
  /** Another host's view of the same data. */
  another(room?: CacheRoom): Promise<Cache>;
  dispose(): Promise<void>;
}

const keyOf = (name: string, tenant = 't1'): CacheKey => accepted(toCacheKey(tenant, name));

const isMismatch = (key: string) => (error: unknown) =>
  error instanceof AppError && error.code === 'CACHE_VALUE_MISMATCH' && error.params.key === key;

const isFull = (limit: number) => (error: unknown) =>
  error instanceof AppError && error.code === 'CACHE_FULL' && error.params.limit === limit;

/** What one tenant may have, when the test is about it. */
export interface CacheRoom {
  readonly keysPerTenant?: number;
  readonly bytesPerTenant?: number;
}

/** @param makePlace a fresh, empty cache for one test. */
export function cacheContract(adapter: string, makePlace: (room: CacheRoom) => Promise<CachePlace>): void {
  describe(`cache contract: ${adapter}`, () => {
    let place: CachePlace;
    let cache: Cache;
    const key = keyOf('order:1');

    beforeEach(async () => {
      place = await makePlace({});
      cache = place.cache;
    });
    afterEach(() => place.dispose());

    for (const text of ['', '订单 🚚', '{"a":1}', 'a\0b', ' padded ', '\r\n', 'x'.repeat(1_000_000)]) {
      it(`keeps ${JSON.stringify(text).slice(0, 20)} as it is`, async () => {
        await cache.set(key, text);
        assert.equal(await cache.get(key), text);
        assert.equal(await cache.exists(key), true);
      });
    }

    it('answers undefined for a key that holds nothing', async () => {
      assert.equal(await cache.get(key), undefined);
      assert.equal(await cache.exists(key), false);
    });

    it('tells keys apart by case, accent, trailing blank and tenant', async () => {
      const keys = [keyOf('a'), keyOf('A'), keyOf('á'), keyOf('a.'), keyOf('a', 't2')];
      for (const [index, each] of keys.entries()) await cache.set(each, String(index));
      assert.deepEqual(await Promise.all(keys.map((each) => cache.get(each))), ['0', '1', '2', '3', '4']);
    });

    it('shows a value to another host', async () => {
      await cache.set(key, 'shared');
      assert.equal(await (await place.another()).get(key), 'shared');
    });

    it('forgets a value when its life ends', async () => {
      await cache.set(key, 'v', SHORT_MS);
      assert.equal(await cache.get(key), 'v');
      await delay(SHORT_MS + 20);
      assert.equal(await cache.get(key), undefined);
      assert.equal(await cache.exists(key), false);
      assert.equal(await cache.delete(key), false);
    });

    it('replaces value and life together', async () => {
      await cache.set(key, 'short', SHORT_MS);
      await cache.set(key, 'for ever');
      await delay(SHORT_MS + 20);
      assert.equal(await cache.get(key), 'for ever');
    });

    it('replaces a hash by a string', async () => {
      await cache.hashSet(key, [['f', '1']]);
      await cache.set(key, 'text');
      assert.equal(await cache.get(key), 'text');
      await cache.delete(key);
      assert.deepEqual(await cache.hashGetAll(key), []);
    });

    it('sets once what is absent', async () => {
      assert.equal(await cache.setIfAbsent(key, 'first'), true);
      assert.equal(await cache.setIfAbsent(key, 'second', LONG_MS), false);
      assert.equal(await cache.get(key), 'first');
    });

    it('lets one of many win an absent key', async () => {
      const other = await place.another();
      const tries = Array.from({ length: 20 }, (_, n) => (n % 2 ? cache : other).setIfAbsent(key, `${n}`, LONG_MS));
      assert.equal((await Promise.all(tries)).filter(Boolean).length, 1);
    });

    it('takes an expired key for absent', async () => {
      await cache.setIfAbsent(key, 'first', SHORT_MS);
      await delay(SHORT_MS + 20);
      assert.equal(await cache.setIfAbsent(key, 'second', LONG_MS), true);
      assert.equal(await cache.get(key), 'second');
    });

    it('takes a hash for present', async () => {
      await cache.hashSet(key, [['f', '1']]);
      assert.equal(await cache.setIfAbsent(key, 'text'), false);
    });

    it('deletes strings and hashes and says whether there was one', async () => {
      await cache.set(key, 'v');
      assert.equal(await cache.delete(key), true);
      assert.equal(await cache.delete(key), false);
      await cache.hashSet(key, [['f', '1']]);
      assert.equal(await cache.delete(key), true);
      assert.equal(await cache.exists(key), false);
    });

    it('gives a key that is there a new life', async () => {
      assert.equal(await cache.expire(key, LONG_MS), false);
      await cache.set(key, 'v');
      assert.equal(await cache.expire(key, SHORT_MS), true);
      await delay(SHORT_MS + 20);
      assert.equal(await cache.get(key), undefined);
    });

    it('gives a hash a life as well', async () => {
      await cache.hashSet(key, [['f', '1']]);
      assert.equal(await cache.expire(key, SHORT_MS), true);
      await delay(SHORT_MS + 20);
      assert.deepEqual(await cache.hashGetAll(key), []);
      await cache.hashSet(key, [['g', '2']]);
      assert.deepEqual(await cache.hashGetAll(key), [['g', '2']]);
    });

    it('counts without losing a step', async () => {
      const other = await place.another();
      await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 ? cache : other).increment(key, 2)));
      assert.equal(await cache.increment(key, -10), 50);
      assert.equal(await cache.get(key), '50');
    });

    it('gives a counter its life once, when it is new', async () => {
      assert.equal(await cache.increment(key, 1, SHORT_MS), 1);
      assert.equal(await cache.increment(key, 1, LONG_MS), 2);
      await delay(SHORT_MS + 20);
      assert.equal(await cache.increment(key, 1, LONG_MS), 1);
    });

    it('counts on from a number that was set, its life unchanged', async () => {
      await cache.set(key, '41', SHORT_MS);
      assert.equal(await cache.increment(key, 1, LONG_MS), 42);
      await delay(SHORT_MS + 20);
      assert.equal(await cache.get(key), undefined);
    });

    it('adds fractions in decimal', async () => {
      assert.equal(await cache.increment(key, 0.1), 0.1);
      assert.equal(await cache.increment(key, 0.2), 0.3);
    });

    it('counts exactly up to the largest safe integer', async () => {
      await cache.set(key, String(Number.MAX_SAFE_INTEGER - 1));
      assert.equal(await cache.increment(key, 1), Number.MAX_SAFE_INTEGER);
      assert.equal(await cache.get(key), String(Number.MAX_SAFE_INTEGER));
    });

    for (const text of ['', 'abc', '1x', 'NaN']) {
      it(`refuses to count on from ${JSON.stringify(text)}`, async () => {
        await cache.set(key, text);
        await assert.rejects(cache.increment(key, 1), isMismatch(key));
        assert.equal(await cache.get(key), text);
      });
    }

    it('removes what starts with a prefix and nothing else', async () => {
      const inside = ['list:', 'list:1', 'list:2*', 'list:[x]'].map((name) => keyOf(name));
      const outside = [keyOf('list'), keyOf('lisp:1'), keyOf('List:1'), keyOf('list:1', 't2')];
      for (const each of [...inside, ...outside]) await cache.set(each, 'v');
      await cache.hashSet(keyOf('list:hash'), [['f', '1']]);
      assert.equal(await cache.deletePrefix(keyOf('list:')), 5);
      assert.deepEqual(await Promise.all(outside.map((each) => cache.exists(each))), [true, true, true, true]);
      assert.equal(await cache.deletePrefix(keyOf('list:')), 0);
    });

    it('takes wildcards in a prefix for what they are', async () => {
      for (const name of ['a*b1', 'axb1', 'a?1', 'ax1', 'a[b]1', 'ab1', 'a\\1']) await cache.set(keyOf(name), 'v');
      for (const name of ['a*b', 'a?', 'a[b]', 'a\\']) assert.equal(await cache.deletePrefix(keyOf(name)), 1, name);
    });

    it('removes thousands of keys by prefix', async () => {
      const keys = Array.from({ length: 2_500 }, (_, index) => keyOf(`many:${index}`));
      await Promise.all(keys.map((each) => cache.set(each, 'v')));
      assert.equal(await cache.deletePrefix(keyOf('many:')), 2_500);
    });

    it('keeps the fields of a hash', async () => {
      const fields = [
        ['name', '张三'],
        ['', 'empty name'],
        ['__proto__', 'p'],
        ['1', ''],
      ] as const;
      assert.equal(await cache.hashSet(key, fields), 4);
      assert.deepEqual([...(await cache.hashGetAll(key))].sort(), [...fields].sort());
      for (const [name, value] of fields) assert.equal(await cache.hashGet(key, name), value);
      assert.equal(await cache.hashLength(key), 4);
    });

    it('reads no hash as a whole that is too large, and says how large it is', async () => {
      // Two bytes each in UTF-8.
      const value = 'é'.repeat(MAX_HASH_READ_BYTES / 16 - 1);
      for (const name of 'abcdefgh') await cache.hashSet(key, [[name, value]]);
      assert.equal((await cache.hashGetAll(key)).length, 8);
      await cache.hashSet(key, [['more', 'x'.repeat(10)]]);
      const size = 8 * (2 * value.length + 1) + 14;
      await assert.rejects(cache.hashGetAll(key), (error: AppError) => {
        assert.deepEqual([error.code, error.params], ['CACHE_VALUE_TOO_LARGE', { size, limit: MAX_HASH_READ_BYTES }]);
        return true;
      });
      assert.equal(await cache.hashGet(key, 'a'), value);
    });

    it('counts the fields that are new', async () => {
      await cache.hashSet(key, [['a', '1']]);
      const fields = [
        ['a', '2'],
        ['b', '1'],
        ['b', '3'],
      ] as const;
      assert.equal(await cache.hashSet(key, fields), 1);
      assert.deepEqual([await cache.hashGet(key, 'a'), await cache.hashGet(key, 'b')], ['2', '3']);
    });

    it('answers for a hash that is not there', async () => {
      assert.equal(await cache.hashGet(key, 'f'), undefined);
      assert.equal(await cache.hashExists(key, 'f'), false);
      assert.equal(await cache.hashLength(key), 0);
      assert.equal(await cache.hashDelete(key, ['f']), 0);
      assert.equal(await cache.hashSet(key, []), 0);
      assert.equal(await cache.exists(key), false);
    });

    it('keeps the life of a hash when a field is set', async () => {
      await cache.hashSet(key, [['a', '1']]);
      await cache.expire(key, SHORT_MS);
      await cache.hashSet(key, [['b', '1']]);
      await cache.hashIncrement(key, 'c', 1);
      await delay(SHORT_MS + 20);
      assert.equal(await cache.hashLength(key), 0);
    });

    it('removes fields, and the hash with its last one', async () => {
      const fields = [
        ['a', '1'],
        ['b', '2'],
      ] as const;
      await cache.hashSet(key, fields);
      assert.equal(await cache.hashDelete(key, ['a', 'nothing', 'a']), 1);
      assert.equal(await cache.hashExists(key, 'a'), false);
      assert.equal(await cache.hashExists(key, 'b'), true);
      assert.equal(await cache.hashDelete(key, ['b']), 1);
      assert.equal(await cache.exists(key), false);
    });

    it('counts in a field, also downwards and in fractions', async () => {
      assert.equal(await cache.hashIncrement(key, 'n', 5), 5);
      assert.equal(await cache.hashIncrement(key, 'n', -1.5), 3.5);
      assert.equal(await cache.hashGet(key, 'n'), '3.5');
      await cache.hashSet(key, [['n', 'text']]);
      await assert.rejects(cache.hashIncrement(key, 'n', 1), isMismatch(key));
    });

    it('refuses to read a hash as a string and a string as a hash', async () => {
      await cache.hashSet(key, [['f', '1']]);
      await assert.rejects(cache.get(key), isMismatch(key));
      await assert.rejects(cache.increment(key, 1), isMismatch(key));
      await cache.set(key, 'text');
      await assert.rejects(cache.hashGet(key, 'f'), isMismatch(key));
      await assert.rejects(cache.hashGetAll(key), isMismatch(key));
      await assert.rejects(cache.hashSet(key, [['f', '1']]), isMismatch(key));
      await assert.rejects(cache.hashDelete(key, ['f']), isMismatch(key));
      await assert.rejects(cache.hashIncrement(key, 'f', 1), isMismatch(key));
      assert.equal(await cache.get(key), 'text');
    });
  });

  describe(`limits of the cache: ${adapter}`, () => {
    /** A cache with room for three keys of a tenant. */
    async function withRoom(work: (cache: Cache, place: CachePlace) => Promise<void>): Promise<void> {
      const place = await makePlace({ keysPerTenant: 3 });
      try {
        await work(place.cache, place);
      } finally {
        await place.dispose();
      }
    }

    const fill = (cache: Cache) => Promise.all(['1', '2', '3'].map((name) => cache.set(keyOf(name), name)));

    it('refuses a key too many by every way to make one, and changes nothing', () =>
      withRoom(async (cache, place) => {
        await fill(cache);
        const other = await place.another();
        const makers: ((at: Cache, key: CacheKey) => Promise<unknown>)[] = [
          (at, key) => at.set(key, 'v'),
          (at, key) => at.set(key, 'v', LONG_MS),
          (at, key) => at.setIfAbsent(key, 'v', LONG_MS),
          (at, key) => at.increment(key, 1),
          (at, key) => at.hashSet(key, [['f', 'v']]),
          (at, key) => at.hashIncrement(key, 'f', 1),
        ];
        for (const make of makers) {
          await assert.rejects(make(cache, keyOf('4')), isFull(3));
          await assert.rejects(make(other, keyOf('4')), isFull(3));
        }
        assert.equal(await cache.exists(keyOf('4')), false);
      }));

    it('lets keys that are there be written, and turned into hashes', () =>
      withRoom(async (cache) => {
        await fill(cache);
        await cache.set(keyOf('1'), 'new', LONG_MS);
        assert.equal(await cache.setIfAbsent(keyOf('1'), 'x', LONG_MS), false);
        await cache.delete(keyOf('2'));
        await cache.hashSet(keyOf('2'), [['f', '1']]);
        await cache.hashIncrement(keyOf('2'), 'f', 1);
        assert.equal(await cache.increment(keyOf('3'), 1), 4);
      }));

    it('counts each tenant by itself, in any case of its name', () =>
      withRoom(async (cache) => {
        await fill(cache);
        await Promise.all(['1', '2', '3'].map((name) => cache.set(keyOf(name, 't2'), name)));
        await assert.rejects(cache.set(keyOf('4', 'T2'), 'v'), isFull(3));
      }));

    it('has room again after a removal, whatever way', () =>
      withRoom(async (cache) => {
        await fill(cache);
        await cache.delete(keyOf('1'));
        await cache.hashSet(keyOf('h'), [['f', '1']]);
        await assert.rejects(cache.set(keyOf('4'), 'v'), isFull(3));
        await cache.hashDelete(keyOf('h'), ['f']);
        await cache.set(keyOf('pre:1'), 'v');
        assert.equal(await cache.deletePrefix(keyOf('pre:')), 1);
        await cache.set(keyOf('4'), 'v');
      }));

    it('has room again when a life ended', () =>
      withRoom(async (cache) => {
        await fill(cache);
        await cache.set(keyOf('1'), 'v', SHORT_MS);
        await cache.expire(keyOf('2'), SHORT_MS);
        await assert.rejects(cache.set(keyOf('4'), 'v'), isFull(3));
        await delay(SHORT_MS + 20);
        await cache.set(keyOf('4'), 'v');
        await cache.set(keyOf('5'), 'v');
        await assert.rejects(cache.set(keyOf('6'), 'v'), isFull(3));
      }));

    it('never passes the limit when many write at once', () =>
      withRoom(async (cache, place) => {
        const other = await place.another();
        const tries = Array.from({ length: 20 }, (_, n) => (n % 2 ? cache : other).set(keyOf(`k${n}`), 'v'));
        const outcomes = await Promise.allSettled(tries);
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3);
      }));

    it('names the limit and what to do, in both languages', () =>
      withRoom(async (cache) => {
        await fill(cache);
        const refused = await cache.set(keyOf('4'), 'v').catch((error: unknown) => error);
        assert.ok(refused instanceof AppError);
        assert.match(describeError(refused, 'en'), /its limit of 3 .*keys.* raise cache\.keysPerTenant/);
        assert.match(describeError(refused, 'zh'), /键的数量.*上限 3.*提高 cache\.keysPerTenant/);
      }));

    it('bounds the fields of a hash and changes nothing beyond', () =>
      withRoom(async (cache) => {
        const fields = (from: number, to: number) =>
          Array.from({ length: to - from }, (_, n) => [`f${from + n}`, 'v'] as const);
        await cache.hashSet(keyOf('h'), fields(0, MAX_HASH_FIELDS - 1));
        await assert.rejects(
          cache.hashSet(keyOf('h'), fields(MAX_HASH_FIELDS - 2, MAX_HASH_FIELDS + 1)),
          isFull(MAX_HASH_FIELDS),
        );
        assert.equal(await cache.hashLength(keyOf('h')), MAX_HASH_FIELDS - 1);
        await cache.hashIncrement(keyOf('h'), 'last', 1);
        await assert.rejects(cache.hashIncrement(keyOf('h'), 'more', 1), isFull(MAX_HASH_FIELDS));
        await cache.hashSet(keyOf('h'), [['f0', 'again']]);
        assert.equal(await cache.hashGet(keyOf('h'), 'f0'), 'again');
        assert.equal(await cache.hashLength(keyOf('h')), MAX_HASH_FIELDS);
      }));
  });
}

/** A place where a tenant has room for names and values of so many bytes in all. */
const ROOM_BYTES = 10_000;

/** Bytes that a string counts, or one field of a hash beside the hash itself. */
const sizeOf = (key: CacheKey, ...texts: readonly string[]) => Buffer.byteLength([key, ...texts].join(''));

/**
 * What a cache that can weigh promises beside that: a write that would make a tenant's names and values larger than its
 * bound rejects with CACHE_FULL and changes nothing.
 */
export function cacheBytesContract(adapter: string, makePlace: (room: CacheRoom) => Promise<CachePlace>): void {
  describe(`bytes of the cache: ${adapter}`, () => {
    let place: CachePlace;
    let cache: Cache;
    const key = keyOf('k');
    /** A value that fills all that is left beside so many bytes. */
    const rest = (at: CacheKey, taken = 0) => 'x'.repeat(ROOM_BYTES - taken - sizeOf(at));

    beforeEach(async () => {
      place = await makePlace({ bytesPerTenant: ROOM_BYTES });
      cache = place.cache;
    });
    afterEach(() => place.dispose());

    it('takes all that fits to the byte and refuses one more by every way to write', async () => {
      const counter = keyOf('n');
      await cache.set(counter, '9');
      const hash = keyOf('h');
      await cache.hashSet(hash, [['f', '9']]);
      const taken = sizeOf(counter, '9') + sizeOf(hash) + sizeOf(hash, 'f', '9');
      await cache.set(key, rest(key, taken));
      const more: ((at: Cache) => Promise<unknown>)[] = [
        (at) => at.set(key, `${rest(key, taken)}x`),
        (at) => at.set(keyOf('new'), ''),
        (at) => at.setIfAbsent(keyOf('new'), '', LONG_MS),
        (at) => at.increment(counter, 1),
        (at) => at.hashSet(hash, [['f', '10']]),
        (at) => at.hashSet(hash, [['g', '']]),
        (at) => at.hashIncrement(hash, 'f', 1),
        (at) => at.hashSet(keyOf('new'), [['f', '']]),
      ];
      const other = await place.another();
      for (const write of more) {
        await assert.rejects(write(cache), isFull(ROOM_BYTES));
        await assert.rejects(write(other), isFull(ROOM_BYTES));
      }
      assert.deepEqual(
        [
          await cache.get(key),
          await cache.get(counter),
          await cache.hashGetAll(hash),
          await cache.exists(keyOf('new')),
        ],
        [rest(key, taken), '9', [['f', '9']], false],
      );
    });

    it('counts bytes of UTF-8, each tenant by itself', async () => {
      const value = '订'.repeat(2_000);
      await cache.set(key, value);
      await assert.rejects(cache.set(keyOf('k2'), value), isFull(ROOM_BYTES));
      await cache.set(keyOf('k', 't2'), value);
      await assert.rejects(cache.set(keyOf('k2', 'T2'), value), isFull(ROOM_BYTES));
    });

    it('has the same room again after whatever removes or shortens', async () => {
      const half = 'x'.repeat(ROOM_BYTES / 2);
      const removals: (() => Promise<unknown>)[] = [
        () => cache.delete(key),
        () => cache.deletePrefix(keyOf('k')),
        () => cache.set(key, ''),
        () => cache.hashSet(key, [['f', half]]).catch(() => cache.delete(key)),
      ];
      for (const remove of removals) {
        await cache.set(key, half);
        await remove();
        await cache.set(keyOf('other'), half);
        await cache.delete(keyOf('other'));
        await cache.delete(key);
      }
      const hash = keyOf('h');
      await cache.hashSet(hash, [
        ['a', half],
        ['b', ''],
      ]);
      await cache.hashDelete(hash, ['a']);
      await cache.set(key, half);
      await cache.delete(key);
      await cache.hashSet(hash, [['b', half]]);
      await cache.set(hash, '');
      await cache.delete(hash);
      await cache.set(key, rest(key));
    });

    it('gives the room of what expired to the next write at once', async () => {
      const hash = keyOf('h');
      await cache.set(key, 'x'.repeat(ROOM_BYTES / 2), SHORT_MS);
      await cache.hashSet(hash, [['f', 'x'.repeat(ROOM_BYTES / 4)]]);
      await cache.expire(hash, SHORT_MS);
      await assert.rejects(cache.set(keyOf('k2'), rest(key)), isFull(ROOM_BYTES));
      await delay(SHORT_MS + 20);
      await cache.set(keyOf('2'), rest(key));
      assert.equal(await cache.get(keyOf('2')), rest(key));
    });

    it('lets what is over a bound that was lowered be written smaller, not larger', async () => {
      const larger = await place.another({ bytesPerTenant: 2 * ROOM_BYTES });
      await larger.set(key, 'x'.repeat(1.5 * ROOM_BYTES));
      await cache.set(key, 'y'.repeat(1.4 * ROOM_BYTES));
      await assert.rejects(cache.set(key, 'z'.repeat(1.45 * ROOM_BYTES)), isFull(ROOM_BYTES));
      assert.equal(await cache.get(key), 'y'.repeat(1.4 * ROOM_BYTES));
    });

    it('never passes the bound when many write at once', async () => {
      const other = await place.another();
      const value = 'x'.repeat(ROOM_BYTES / 4);
      const tries = Array.from({ length: 20 }, (_, n) => (n % 2 ? cache : other).set(keyOf(`k${n}`), value));
      const outcomes = await Promise.allSettled(tries);
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3);
    });

    it('names the bound and its setting in both languages', async () => {
      const refused = await cache.set(key, 'x'.repeat(ROOM_BYTES)).catch((error: unknown) => error);
      assert.ok(refused instanceof AppError);
      assert.match(describeError(refused, 'en'), /its limit of 10000 .*bytes.* raise cache\.mbPerTenant/);
      assert.match(describeError(refused, 'zh'), /字节数.*上限 10000.*提高 cache\.mbPerTenant/);
    });
  });
}
