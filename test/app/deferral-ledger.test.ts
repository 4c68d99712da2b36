import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeferralLedger } from '../../src/app/deferral-ledger.ts';

test('holds double from 0.3 to 15 s and start over after a settlement', () => {
  const ledger = new DeferralLedger();
  const holds = Array.from({ length: 8 }, () => ledger.nextHoldMs('e', 1));
  assert.deepEqual(holds, [600, 1200, 2400, 4800, 9600, 15_000, 15_000, 15_000]);
  ledger.settled('e');
  assert.equal(ledger.nextHoldMs('e', 0), 300, 'jitter takes up to half');
});

test('events are held apart', () => {
  const ledger = new DeferralLedger();
  ledger.nextHoldMs('a', 1);
  ledger.nextHoldMs('a', 1);
  assert.equal(ledger.nextHoldMs('b', 1), 600);
});
