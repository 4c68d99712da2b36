import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fullAllowance, LONGEST_CALL_WAIT_MS, takeCall } from '../../src/core/call-rate.ts';

test('a second of calls is free at once; the next ones wait for their turn', () => {
  let allowance = fullAllowance(10, 0);
  const waits: number[] = [];
  for (let call = 0; call < 13; call++) {
    const turn = takeCall(allowance, 10, 0);
    assert.equal(turn.refused, false);
    if (!turn.refused) waits.push(turn.waitMs);
    allowance = turn.allowance;
  }
  assert.deepEqual(waits, [...Array(10).fill(0), 100, 200, 300]);
});

test('a call that would wait too long is refused and costs nothing', () => {
  const deep = { balance: -(LONGEST_CALL_WAIT_MS / 1000) * 10, at: 5 };
  assert.deepEqual(takeCall(deep, 10, 5), { refused: true, allowance: deep });
  assert.equal(takeCall(deep, 10, 5 + 100).refused, false, 'a tenth of a second later there is room for one');
});

test('over any span no more calls begin than the rate allows', () => {
  const gaps = fc.array(fc.integer({ min: -50, max: 300 }), { minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), gaps, (rate, steps) => {
      let now = 0;
      let latest = 0;
      let allowance = fullAllowance(rate, now);
      const begins: number[] = [];
      for (const step of steps) {
        now += step;
        latest = Math.max(latest, now);
        const turn = takeCall(allowance, rate, now);
        allowance = turn.allowance;
        if (!turn.refused) begins.push(Math.max(0, now + turn.waitMs));
      }
      // What a clock gives back after it was set back is at most what it then passes a second time.
      const passed = steps.reduce((sum, step) => sum + Math.max(0, step), 0) + LONGEST_CALL_WAIT_MS;
      assert.ok(begins.length <= rate + (passed / 1000) * rate + 1e-6, `${begins.length} calls in ${latest} ms`);
    }),
  );
});
