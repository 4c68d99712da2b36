import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemIds } from '../../src/adapters/system/system-ids.ts';
import { ulidTime } from '../../src/core/ulid-time.ts';

test('a ULID tells when it was made', () => {
  const before = Date.now();
  const time = ulidTime(systemIds().ulid());
  assert.ok(time !== undefined && time >= before && time <= Date.now());
  assert.equal(ulidTime('01ARYZ6S41TSV4RRFFQ69G5FAV'), 1469918176385);
});

test('other text has no time', () => {
  for (const text of ['', '01ARYZ6S41', 'u'.repeat(26), '01ARYZ6S4!TSV4RRFFQ69G5FAV']) {
    assert.equal(ulidTime(text), undefined, text);
  }
});
