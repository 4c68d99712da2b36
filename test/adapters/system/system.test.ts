import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { systemIds } from '../../../src/adapters/system/system-ids.ts';

describe('system clock', () => {
  it('writes local text in its time zone, midnight as 00', () => {
    const evening = Date.UTC(2026, 10, 29, 16, 5, 9);
    assert.equal(systemClock('Asia/Shanghai').localText(evening), '2026-11-30 00:05:09');
    assert.equal(systemClock('America/New_York').localText(evening), '2026-11-29 11:05:09');
  });

  it('refuses an unknown time zone', () => {
    assert.throws(() => systemClock('Asia/Nowhere'), RangeError);
  });

  it('wakes early on abort, and at once when aborted before', async () => {
    const clock = systemClock('UTC');
    const abort = new AbortController();
    const started = clock.now();
    const sleeping = clock.sleep(60_000, abort.signal);
    abort.abort();
    await sleeping;
    await clock.sleep(60_000, abort.signal);
    assert.ok(clock.now() - started < 10_000);
  });

  it('sleeps at least its time', async () => {
    const clock = systemClock('UTC');
    const started = performance.now();
    await clock.sleep(20);
    assert.ok(performance.now() - started >= 19);
  });

  it('does not take a very long sleep for a short one', async () => {
    const clock = systemClock('UTC');
    const abort = new AbortController();
    let awake = false;
    const sleeping = clock.sleep(2 ** 40, abort.signal).then(() => {
      awake = true;
    });
    await clock.sleep(20);
    assert.equal(awake, false);
    abort.abort();
    await sleeping;
  });
});

describe('system ids', () => {
  it('makes ULIDs that rise', () => {
    const ids = systemIds();
    const ulids = Array.from({ length: 1_000 }, () => ids.ulid());
    assert.match(ulids[0] ?? '', /^[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.deepEqual([...new Set(ulids)].sort(), ulids);
  });

  it('makes lower-case GUIDs, digests and numbers below one', () => {
    const ids = systemIds();
    assert.match(ids.guid(), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(ids.sha256Hex(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    assert.equal(ids.sha256Hex('订单'), ids.sha256Hex(new TextEncoder().encode('订单')));
    const random = ids.random();
    assert.ok(random >= 0 && random < 1);
  });
});
