import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EmbeddedLocks } from '../../src/adapters/embedded/embedded-locks.ts';
import { LockKeeper, type LockOptions } from '../../src/app/lock-keeper.ts';
import { AppError } from '../../src/core/errors.ts';
import type { LockName, Locks } from '../../src/ports/locks.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RecordingLog } from '../support/recording-log.ts';

const LOCK: LockName = { tenant: 't1', name: 'engine:a' };
const LEASE_MS = 15_000;

/** Locks that the test takes away. */
class SwitchedLocks implements Locks {
  readonly #inner: Locks;
  isAway = false;
  asked = 0;

  constructor(inner: Locks) {
    this.#inner = inner;
  }
  async take(lock: LockName, owner: string, leaseMs: number): Promise<boolean> {
    this.asked++;
    this.#check();
    return this.#inner.take(lock, owner, leaseMs);
  }
  async extend(lock: LockName, owner: string, leaseMs: number): Promise<boolean> {
    this.#check();
    return this.#inner.extend(lock, owner, leaseMs);
  }
  async drop(lock: LockName, owner: string): Promise<void> {
    this.#check();
    await this.#inner.drop(lock, owner);
  }
  #check(): void {
    if (this.isAway) throw new AppError('CACHE_UNAVAILABLE', { reason: 'away' });
  }
}

/** Two hosts over the same leases. */
function setUp() {
  const clock = new ManualClock();
  const leases = new EmbeddedLocks(clock);
  const log = new RecordingLog();
  let made = 0;
  const ids = { random: () => 0.5, ulid: () => `u${++made}` };
  const host = () => {
    const locks = new SwitchedLocks(leases);
    return { locks, keeper: new LockKeeper({ locks, clock, log, ids }) };
  };
  return { clock, leases, log, here: host(), there: host() };
}

const by = (owner: string, waitMs = 0, more: Partial<LockOptions> = {}): LockOptions => ({ owner, waitMs, ...more });

test('one owner at a time over all hosts', async () => {
  const { here, there } = setUp();
  const held = await here.keeper.acquire(LOCK, by('a'));
  assert.ok(held);
  assert.equal(held.isHeld(), true);
  assert.equal(await here.keeper.acquire(LOCK, by('b')), undefined);
  assert.equal(await there.keeper.acquire(LOCK, by('c')), undefined);
  await held.release();
  assert.equal(held.isHeld(), false);
  assert.ok(await there.keeper.acquire(LOCK, by('c')));
});

test('waiters of a host are served in the order they came, and only the first asks', async () => {
  const { clock, here } = setUp();
  const first = await here.keeper.acquire(LOCK, by('a'));
  const order: string[] = [];
  const waiters = ['b', 'c', 'd'].map(async (owner) => {
    const held = await here.keeper.acquire(LOCK, by(owner, 60_000));
    order.push(owner);
    await held?.release();
  });
  await clock.advance(10_000);
  assert.equal(here.locks.asked, 1);
  await first?.release();
  await Promise.all(waiters);
  assert.deepEqual(order, ['b', 'c', 'd']);
  assert.equal(here.locks.asked, 4);
});

test('a waiter of another host gets the lock soon after it is free', async () => {
  const { clock, here, there } = setUp();
  const held = await here.keeper.acquire(LOCK, by('a'));
  const waiting = there.keeper.acquire(LOCK, by('b', 60_000));
  await clock.advance(30_000);
  assert.equal(held?.isHeld(), true, 'renewed past its first lease');
  await held?.release();
  await clock.advance(300);
  assert.equal((await waiting)?.isHeld(), true);
});

test('a wait ends at its deadline, here and at the other host', async () => {
  const { clock, here, there } = setUp();
  await here.keeper.acquire(LOCK, by('a'));
  const waiting = [here.keeper.acquire(LOCK, by('b', 1_000)), there.keeper.acquire(LOCK, by('c', 1_000))];
  const answers: unknown[] = [];
  for (const each of waiting) void each.then((held) => answers.push(held));
  await clock.advance(600);
  assert.deepEqual(answers, []);
  await clock.advance(400);
  assert.deepEqual(answers, [undefined, undefined]);
});

test('a wait ends when its signal aborts, and who comes after is served', async () => {
  const { clock, here, there } = setUp();
  const held = await here.keeper.acquire(LOCK, by('a'));
  const stop = new AbortController();
  const given = [here, there].map(({ keeper }) => keeper.acquire(LOCK, by('b', 60_000, { signal: stop.signal })));
  const after = here.keeper.acquire(LOCK, by('c', 60_000));
  await clock.advance(100);
  stop.abort();
  assert.deepEqual(await Promise.all(given), [undefined, undefined]);
  await held?.release();
  assert.ok(await after);
});

test('the same owner enters again without waiting, and the last exit frees the lock', async () => {
  const { here, there } = setUp();
  const outer = await here.keeper.acquire(LOCK, by('a'));
  const inner = await here.keeper.acquire(LOCK, by('a'));
  assert.ok(inner);
  await inner.release();
  await inner.release();
  assert.equal(inner.isHeld(), false);
  assert.equal(outer?.isHeld(), true);
  assert.equal(await there.keeper.acquire(LOCK, by('b')), undefined);
  await outer?.release();
  assert.ok(await there.keeper.acquire(LOCK, by('b')));
});

test('a lock that cannot be renewed is lost at the end of its lease, not before', async () => {
  const { clock, log, here, there } = setUp();
  const held = await here.keeper.acquire(LOCK, by('a'));
  assert.ok(held);
  here.locks.isAway = true;
  await clock.advance(LEASE_MS - 1);
  assert.deepEqual([held.isHeld(), held.lost.aborted], [true, false]);
  await clock.advance(1);
  assert.deepEqual([held.isHeld(), held.lost.aborted], [false, true]);
  assert.equal(log.of('lock.lost').length, 1);
  assert.ok(await there.keeper.acquire(LOCK, by('b')));
  here.locks.isAway = false;
  await held.release();
  assert.equal(await here.keeper.acquire(LOCK, by('c')), undefined, 'the other host has it');
});

test('a short outage costs nothing', async () => {
  const { clock, here } = setUp();
  const held = await here.keeper.acquire(LOCK, by('a'));
  here.locks.isAway = true;
  await clock.advance(10_000);
  here.locks.isAway = false;
  await clock.advance(60_000);
  assert.equal(held?.isHeld(), true);
});

test('a lease that somebody else took is lost at the next renewal', async () => {
  const { clock, leases, here } = setUp();
  const held = await here.keeper.acquire(LOCK, by('a'));
  await leases.drop(LOCK, 'a:u1');
  assert.equal(await leases.take(LOCK, 'x', 60_000), true);
  await clock.advance(LEASE_MS / 3);
  assert.deepEqual([held?.isHeld(), held?.lost.aborted], [false, true]);
});

test('a host that was stopped past its lease knows before its timers do', async () => {
  const { clock, here } = setUp();
  const held = await here.keeper.acquire(LOCK, by('a'));
  clock.set(clock.now() + LEASE_MS);
  assert.equal(held?.isHeld(), false);
  await clock.advance(0);
  assert.equal(held?.lost.aborted, true);
});

test('an owner does not enter a lock that it has lost; others of the host wait until it left', async () => {
  const { clock, here } = setUp();
  const held = await here.keeper.acquire(LOCK, by('a'));
  clock.set(clock.now() + LEASE_MS);
  assert.equal(await here.keeper.acquire(LOCK, by('a', 60_000)), undefined);
  const next = here.keeper.acquire(LOCK, by('b', 60_000));
  await clock.advance(1_000);
  assert.equal(here.locks.asked, 1);
  await held?.release();
  assert.ok(await next);
});

test('locks that come back during the wait are used', async () => {
  const { clock, here } = setUp();
  here.locks.isAway = true;
  const waiting = here.keeper.acquire(LOCK, by('a', 5_000));
  await clock.advance(3_000);
  here.locks.isAway = false;
  await clock.advance(300);
  assert.equal((await waiting)?.isHeld(), true);
});

test('locks that are away until the end of the wait are an error, and leave the line free', async () => {
  const { clock, here } = setUp();
  here.locks.isAway = true;
  const waiting = assert.rejects(here.keeper.acquire(LOCK, by('a', 1_000)), { code: 'CACHE_UNAVAILABLE' });
  await clock.advance(1_000);
  await waiting;
  here.locks.isAway = false;
  assert.ok(await here.keeper.acquire(LOCK, by('b')));
});

test('a release while the locks are away does not fail, and is made good when they are back', async () => {
  const { clock, log, here, there } = setUp();
  const held = await here.keeper.acquire(LOCK, by('a'));
  here.locks.isAway = true;
  await held?.release();
  await clock.advance(4_000);
  assert.equal(log.of('lock.release_failed').length, 1);
  assert.equal(await there.keeper.acquire(LOCK, by('b')), undefined);
  here.locks.isAway = false;
  await clock.advance(LEASE_MS / 10);
  assert.ok(await there.keeper.acquire(LOCK, by('b')));
});

test('a late release never ends the next lease of the same owner', async () => {
  const { clock, here, there } = setUp();
  const held = await here.keeper.acquire(LOCK, by('a'));
  here.locks.isAway = true;
  await held?.release();
  const again = here.keeper.acquire(LOCK, by('a', 60_000));
  here.locks.isAway = false;
  await clock.advance(LEASE_MS);
  assert.equal((await again)?.isHeld(), true);
  assert.equal(await there.keeper.acquire(LOCK, by('b')), undefined);
});

test('other locks are free', async () => {
  const { here } = setUp();
  assert.ok(await here.keeper.acquire(LOCK, by('a')));
  assert.ok(await here.keeper.acquire({ tenant: 't2', name: LOCK.name }, by('b')));
  assert.ok(await here.keeper.acquire({ tenant: 't1', name: 'engine:b' }, by('c')));
});
