/** What every adapter of locks promises (ports/locks.ts). Run against each adapter by test/adapters. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Locks } from '../../src/ports/locks.ts';

/** Milliseconds. */
const SHORT_MS = 500;
const LONG_MS = 60_000;

export interface LocksPlace {
  readonly locks: Locks;
  /** Another host's view; the same one where there can be no other host. */
  readonly other: Locks;
  dispose(): Promise<void>;
}

/** @param makePlace fresh locks that nobody holds. */
export function locksContract(adapter: string, makePlace: () => Promise<LocksPlace>): void {
  describe(`locks contract: ${adapter}`, () => {
    let place: LocksPlace;
    const lock = { tenant: 't1', name: 'engine:订单 1' };

    beforeEach(async () => {
      place = await makePlace();
    });
    afterEach(() => place.dispose());

    it('gives a lock to one owner at a time', async () => {
      assert.equal(await place.locks.take(lock, 'a', LONG_MS), true);
      assert.equal(await place.other.take(lock, 'b', LONG_MS), false);
      await place.locks.drop(lock, 'a');
      assert.equal(await place.other.take(lock, 'b', LONG_MS), true);
    });

    it('gives a lock to one of many that ask at once', async () => {
      const asked = Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? place.locks : place.other).take(lock, `o${n}`, LONG_MS),
      );
      assert.equal((await Promise.all(asked)).filter(Boolean).length, 1);
    });

    it('lets its owner take it again', async () => {
      assert.equal(await place.locks.take(lock, 'a', SHORT_MS), true);
      assert.equal(await place.locks.take(lock, 'a', LONG_MS), true);
      await delay(SHORT_MS + 30);
      assert.equal(await place.other.take(lock, 'b', LONG_MS), false);
    });

    it('gives a lock away when its lease ran out', async () => {
      await place.locks.take(lock, 'a', SHORT_MS);
      await delay(SHORT_MS + 30);
      assert.equal(await place.locks.extend(lock, 'a', LONG_MS), false);
      assert.equal(await place.other.take(lock, 'b', LONG_MS), true);
    });

    it('extends a lease that lasts', async () => {
      await place.locks.take(lock, 'a', SHORT_MS);
      assert.equal(await place.locks.extend(lock, 'a', LONG_MS), true);
      await delay(SHORT_MS + 30);
      assert.equal(await place.other.take(lock, 'b', LONG_MS), false);
    });

    it('neither extends nor drops the lock of another owner', async () => {
      await place.locks.take(lock, 'a', LONG_MS);
      assert.equal(await place.other.extend(lock, 'b', LONG_MS), false);
      await place.other.drop(lock, 'b');
      assert.equal(await place.other.take(lock, 'c', LONG_MS), false);
      assert.equal(await place.locks.extend(lock, 'a', LONG_MS), true);
    });

    it('takes a drop of nothing', async () => {
      await place.locks.drop(lock, 'a');
      assert.equal(await place.locks.extend(lock, 'a', LONG_MS), false);
    });

    it('tells locks apart by tenant and by name, tenants in any case being one', async () => {
      await place.locks.take(lock, 'a', LONG_MS);
      assert.equal(await place.other.take({ tenant: 't2', name: lock.name }, 'b', LONG_MS), true);
      assert.equal(await place.other.take({ tenant: 't1', name: 'Engine:订单 1' }, 'b', LONG_MS), true);
      assert.equal(await place.other.take({ tenant: 'T1', name: lock.name }, 'b', LONG_MS), false);
    });
  });
}
