import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WriterLock } from '../../../src/adapters/sql/writer-lock.ts';
import { AppError } from '../../../src/core/errors.ts';

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

describe('the writer lock', () => {
  it('is given in the order of asking, to one at a time', async () => {
    const lock = new WriterLock();
    const order: string[] = [];
    const release = await lock.acquire(100);
    const others = ['b', 'c'].map(async (name) => {
      const done = await lock.acquire(1_000);
      order.push(name);
      done();
    });
    order.push('a');
    release();
    await Promise.all(others);
    assert.deepEqual(order, ['a', 'b', 'c']);
    assert.equal(lock.held, false);
  });

  it('refuses with DB_BUSY after the wait, and passes the refused one over', async () => {
    const lock = new WriterLock();
    const release = await lock.acquire(100);
    const patient = lock.acquire(1_000);
    await assert.rejects(lock.acquire(5), hasCode('DB_BUSY'));
    release();
    (await patient)();
    assert.equal(lock.held, false);
  });

  it('stops waiting when the caller gives up', async () => {
    const lock = new WriterLock();
    const release = await lock.acquire(100);
    const abort = new AbortController();
    const waiting = assert.rejects(lock.acquire(60_000, abort.signal), hasCode('DB_BUSY'));
    abort.abort();
    await waiting;
    await assert.rejects(lock.acquire(60_000, AbortSignal.abort()), hasCode('DB_BUSY'));
    release();
    assert.equal(lock.held, false);
  });

  it('is not given twice when a holder gives it back twice', async () => {
    const lock = new WriterLock();
    const release = await lock.acquire(100);
    const second = lock.acquire(100);
    release();
    await second;
    release();
    assert.equal(lock.held, true);
    await assert.rejects(lock.acquire(5), hasCode('DB_BUSY'));
  });

  it('refuses all who wait when it is closed, and waits for the holder', async () => {
    const lock = new WriterLock();
    const release = await lock.acquire(100);
    const waiting = assert.rejects(lock.acquire(60_000), hasCode('DB_UNAVAILABLE'));
    let closed = false;
    const closing = lock.close(60_000).then(() => {
      closed = true;
    });
    await waiting;
    await assert.rejects(lock.acquire(100), hasCode('DB_UNAVAILABLE'));
    assert.equal(closed, false);
    release();
    await closing;
  });

  it('is closed under a holder that never gives it back, after the wait', async () => {
    const lock = new WriterLock();
    await lock.acquire(100);
    await lock.close(5);
  });
});
