import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedLock } from '../../src/app/keyed-lock.ts';

const never = () => new Promise<void>(() => {});

async function take(lock: KeyedLock, key: string): Promise<() => void> {
  const release = await lock.acquire(key, never);
  assert.ok(release);
  return release;
}

test('one holder at a time, in the order of asking', async () => {
  const lock = new KeyedLock();
  const order: string[] = [];
  const first = await take(lock, 'a');
  const second = take(lock, 'a').then((release) => {
    order.push('second');
    release();
  });
  const third = take(lock, 'a').then((release) => {
    order.push('third');
    release();
  });
  order.push('first');
  first();
  await Promise.all([second, third]);
  assert.deepEqual(order, ['first', 'second', 'third']);
});

test('other keys are free', async () => {
  const lock = new KeyedLock();
  await take(lock, 'a');
  const other = await take(lock, 'b');
  other();
  assert.equal(lock.isHeld('a'), true);
});

test('a waiter that gives up does not block who comes after, nor lets them in early', async () => {
  const lock = new KeyedLock();
  const release = await take(lock, 'a');
  assert.equal(await lock.acquire('a', () => Promise.resolve()), undefined);
  let entered = false;
  const next = take(lock, 'a').then((done) => {
    entered = true;
    done();
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(entered, false, 'the holder still holds');
  release();
  await next;
  assert.equal(entered, true);
});

test('a released key leaves nothing behind', async () => {
  const lock = new KeyedLock();
  (await take(lock, 'a'))();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(lock.isHeld('a'), false);
});

test('the limit is begun only for who waits, and told when the wait is over', async () => {
  const lock = new KeyedLock();
  const limits: AbortSignal[] = [];
  const limit = (over: AbortSignal) => {
    limits.push(over);
    return never();
  };
  const release = await lock.acquire('a', limit);
  assert.equal(limits.length, 0);
  const second = lock.acquire('a', limit);
  assert.deepEqual(
    limits.map(({ aborted }) => aborted),
    [false],
  );
  release?.();
  assert.ok(await second);
  assert.equal(limits[0]?.aborted, true);
});
