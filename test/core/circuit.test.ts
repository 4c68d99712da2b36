import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  askTurn,
  type Circuit,
  type CircuitPolicy,
  type CircuitSample,
  CLOSED_CIRCUIT,
  forgoTurn,
  ratesOf,
  recordSample,
} from '../../src/core/circuit.ts';

const POLICY: CircuitPolicy = {
  windowMs: 60_000,
  minRuns: 20,
  troublePercent: 50,
  faultPercent: 90,
  pauseMs: 2_000,
  maxPauseMs: 8_000,
};

function feed(samples: readonly CircuitSample[], policy = POLICY, circuit: Circuit = CLOSED_CIRCUIT): Circuit {
  return samples.reduce((state, sample, index) => recordSample(state, policy, sample, index), circuit);
}

const many = (count: number, sample: CircuitSample): CircuitSample[] => Array(count).fill(sample);

/** [what, samples, policy, phase afterwards] */
const TABLE: readonly [string, readonly CircuitSample[], Partial<CircuitPolicy>, Circuit['phase']][] = [
  ['good runs', many(1_000, 'good'), {}, 'closed'],
  ['too few runs to judge', many(19, 'trouble'), {}, 'closed'],
  ['a good run that makes enough of them', [...many(19, 'trouble'), 'good'], {}, 'closed'],
  ['every run in trouble', many(20, 'trouble'), {}, 'open'],
  ['half of the runs in trouble', [...many(10, 'good'), ...many(10, 'trouble')], {}, 'open'],
  ['less than half', [...many(11, 'good'), ...many(9, 'trouble')], {}, 'closed'],
  ['faults need a higher rate', [...many(4, 'good'), ...many(16, 'fault')], {}, 'closed'],
  ['nearly every run a fault', [...many(2, 'good'), ...many(18, 'fault')], {}, 'open'],
  ['faults that never open it', many(500, 'fault'), { faultPercent: 0 }, 'closed'],
  ['trouble that never opens it', many(500, 'trouble'), { troublePercent: 0, faultPercent: 0 }, 'closed'],
  ['trouble and faults together', [...many(2, 'good'), ...many(9, 'fault'), ...many(9, 'trouble')], {}, 'open'],
];

for (const [what, samples, policy, phase] of TABLE) {
  test(`circuit: ${what}: ${phase}`, () => {
    assert.equal(feed(samples, { ...POLICY, ...policy }).phase, phase);
  });
}

test('three bad messages among ten thousand open nothing, wherever they are', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(9_999), { minLength: 3, maxLength: 3 }), (bad) => {
      let circuit: Circuit = CLOSED_CIRCUIT;
      for (let run = 0; run < 10_000; run++) {
        circuit = recordSample(circuit, POLICY, bad.includes(run) ? 'trouble' : 'good', run * 5);
        if (circuit.phase !== 'closed') return false;
      }
      return true;
    }),
    { numRuns: 20 },
  );
});

test('old trouble is forgotten', () => {
  const before = feed(many(19, 'trouble'));
  assert.equal(recordSample(before, POLICY, 'trouble', 70_000).phase, 'closed');
  assert.deepEqual(ratesOf(before, POLICY, 70_000).runs, 0);
  assert.deepEqual(ratesOf(before, POLICY, 20), { runs: 19, troublePercent: 100, faultPercent: 0 });
});

test('it opens, waits, gives one probe at a time, and closes after a good one', () => {
  const open = feed(many(20, 'trouble'));
  assert.ok(open.phase === 'open');
  assert.deepEqual([open.until - open.since, open.pauses], [2_000, 1]);
  const early = askTurn(open, open.since + 500);
  assert.ok(!early.pass);
  assert.equal(early.waitMs, 1_500);
  const first = askTurn(open, open.until);
  assert.ok(first.pass);
  assert.equal(first.circuit.phase, 'probing');
  assert.equal(askTurn(first.circuit, open.until + 1).pass, false);
  assert.equal(askTurn(forgoTurn(first.circuit), open.until + 1).pass, true);
  assert.deepEqual(recordSample(first.circuit, POLICY, 'good', open.until + 2), CLOSED_CIRCUIT);
});

test('a bad probe makes the pause longer, up to the longest; how long it has been open stays known', () => {
  let circuit = feed(many(20, 'trouble'));
  const pauses: number[] = [];
  for (let probe = 0; probe < 5; probe++) {
    assert.ok(circuit.phase === 'open');
    const { until } = circuit;
    const turn = askTurn(circuit, until);
    circuit = recordSample(turn.circuit, POLICY, probe % 2 === 0 ? 'trouble' : 'fault', until);
    assert.ok(circuit.phase === 'open');
    assert.equal(circuit.since, 19);
    pauses.push(circuit.until - until);
  }
  assert.deepEqual(pauses, [4_000, 8_000, 8_000, 8_000, 8_000]);
});

test('what began before it opened changes an open circuit no more', () => {
  const open = feed(many(20, 'trouble'));
  assert.equal(recordSample(open, POLICY, 'good', 100), open);
  assert.equal(recordSample(open, POLICY, 'trouble', 100), open);
});

test('a fault counts against a probe only where faults count at all', () => {
  const policy = { ...POLICY, faultPercent: 0 };
  const open = feed(many(20, 'trouble'), policy);
  assert.ok(open.phase === 'open');
  const { circuit } = askTurn(open, open.until);
  assert.equal(recordSample(circuit, policy, 'fault', open.until).phase, 'closed');
});

test('a probe whose end was lost does not keep the circuit for ever', () => {
  const open = feed(many(20, 'trouble'));
  assert.ok(open.phase === 'open');
  const { circuit } = askTurn(open, open.until);
  assert.equal(askTurn(circuit, open.until + 899_999).pass, false);
  assert.equal(askTurn(circuit, open.until + 900_000).pass, true);
});

test('whatever happens: its memory is bounded, a pause is never longer than the longest, and it can always close', () => {
  const sample = fc.constantFrom<CircuitSample>('good', 'trouble', 'fault');
  const step = fc.record({ sample, ms: fc.integer({ min: -5_000, max: 20_000 }), asks: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      let circuit: Circuit = CLOSED_CIRCUIT;
      let now = 1_000_000;
      for (const { sample: end, ms, asks } of steps) {
        now += ms;
        if (asks) circuit = askTurn(circuit, now).circuit;
        const before = circuit;
        circuit = recordSample(circuit, POLICY, end, now);
        if (circuit.phase === 'closed') assert.ok(circuit.slices.length <= 11);
        if (circuit.phase === 'open' && circuit !== before) {
          assert.ok(circuit.until - now >= POLICY.pauseMs && circuit.until - now <= POLICY.maxPauseMs);
          assert.notEqual(end, 'good');
        }
      }
      const late = now + POLICY.maxPauseMs + 1_000_000;
      const turn = askTurn(circuit, late);
      assert.ok(turn.pass);
      assert.equal(recordSample(turn.circuit, POLICY, 'good', late).phase, 'closed');
    }),
  );
});
