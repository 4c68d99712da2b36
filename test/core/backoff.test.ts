import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Backoff, backoffDelayMs, DEFAULT_BACKOFF, formatBackoff, parseBackoff } from '../../src/core/backoff.ts';
import { accepted, refused } from '../support/parsed.ts';

for (const [text, backoff] of [
  ['none', { kind: 'none' }],
  ['fixed:500ms', { kind: 'fixed', delayMs: 500 }],
  [' Fixed:5S ', { kind: 'fixed', delayMs: 5000 }],
  ['exp:2s..5m', { kind: 'exponential', baseMs: 2000, capMs: 300_000 }],
  ['exp:1h..1h', { kind: 'exponential', baseMs: 3_600_000, capMs: 3_600_000 }],
  ['', DEFAULT_BACKOFF],
  [null, DEFAULT_BACKOFF],
  [undefined, DEFAULT_BACKOFF],
] as const) {
  test(`Backoff ${JSON.stringify(text)} is read`, () => assert.deepEqual(accepted(parseBackoff(text)), backoff));
}

for (const text of [
  '5s',
  'fixed',
  'fixed:',
  'fixed:5',
  'fixed:-5s',
  'fixed:0s',
  'fixed:1.5s',
  'fixed:61m',
  'exp:1s',
  'exp:1s..2h',
  'exp:2s..1s',
  'exp:1s..2s..3s',
  'linear:1s',
  5,
  {},
]) {
  test(`Backoff ${JSON.stringify(text)} is refused with the forms that work`, () => {
    const { code, params } = refused(parseBackoff(text));
    assert.equal(code, 'PARAM_INVALID');
    assert.equal(params.field, 'Backoff');
    assert.match(String(params.rule), /exp:1s\.\.60s/);
  });
}

test('an exponential wait doubles up to its cap and keeps at least half', () => {
  const steps = [1, 2, 3, 7, 100].map((attempt) => backoffDelayMs(DEFAULT_BACKOFF, attempt, 0));
  assert.deepEqual(steps, [500, 1000, 2000, 30_000, 30_000]);
  assert.equal(backoffDelayMs(DEFAULT_BACKOFF, 1, 0.5), 750);
  assert.equal(backoffDelayMs(DEFAULT_BACKOFF, 10_000, 0.999999), 60_000);
});

test('none does not wait and fixed always waits the same', () => {
  assert.equal(backoffDelayMs({ kind: 'none' }, 3, 0.9), 0);
  assert.deepEqual(
    [1, 2, 9].map((attempt) => backoffDelayMs({ kind: 'fixed', delayMs: 5000 }, attempt, 0.3)),
    [5000, 5000, 5000],
  );
});

test('the default is written as the documentation writes it', () =>
  assert.equal(formatBackoff(DEFAULT_BACKOFF), 'exp:1s..60s'));

const waits = fc.integer({ min: 1, max: 3_600_000 });
const backoffs: fc.Arbitrary<Backoff> = fc.oneof(
  fc.constant<Backoff>({ kind: 'none' }),
  waits.map((delayMs): Backoff => ({ kind: 'fixed', delayMs })),
  fc
    .tuple(waits, waits)
    .map(([a, b]): Backoff => ({ kind: 'exponential', baseMs: Math.min(a, b), capMs: Math.max(a, b) })),
);

test('what is written reads back the same', () => {
  fc.assert(
    fc.property(backoffs, (backoff) => assert.deepEqual(accepted(parseBackoff(formatBackoff(backoff))), backoff)),
  );
});

test('no wait is negative or above its cap', () => {
  const jitters = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(backoffs, fc.integer({ min: 1, max: 5000 }), jitters, (backoff, attempt, jitter) => {
      const delay = backoffDelayMs(backoff, attempt, jitter);
      const cap = backoff.kind === 'none' ? 0 : backoff.kind === 'fixed' ? backoff.delayMs : backoff.capMs;
      assert.ok(Number.isInteger(delay) && delay >= 0 && delay <= cap);
    }),
  );
});
