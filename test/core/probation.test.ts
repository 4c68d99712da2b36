import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBATION_RUNS, Probation, QUARANTINE_MS } from '../../src/core/probation.ts';

const V1 = { tenant: 'a', engine: 'x', version: '1' };
const V2 = { ...V1, version: '2' };

test('a version is new for its first runs, each engine for itself', () => {
  const probation = new Probation();
  for (let run = 0; run < PROBATION_RUNS; run++) {
    assert.equal(probation.isNew(V1), true, `before run ${run}`);
    probation.count(V1);
  }
  assert.equal(probation.isNew(V1), false);
  assert.equal(probation.isNew({ ...V1, engine: 'y' }), true);
  assert.equal(probation.isNew({ ...V1, tenant: 'b' }), true);
});

test('another version begins anew, also the one before', () => {
  const probation = new Probation();
  for (let run = 0; run < PROBATION_RUNS; run++) probation.count(V1);
  probation.count(V2);
  assert.equal(probation.isNew(V2), true);
  assert.equal(probation.isNew(V1), true);
});

test('what is remembered is bounded: the oldest engine is forgotten', () => {
  const probation = new Probation();
  for (let run = 0; run < PROBATION_RUNS; run++) probation.count(V1);
  for (let n = 0; n < 10_000; n++) probation.count({ ...V1, engine: `e${n}` });
  assert.equal(probation.isNew(V1), true);
});

test('a tenant that cost a lane is quarantined for a while, from the last time on', () => {
  const probation = new Probation();
  probation.blame('a', 0);
  probation.blame('a', 1000);
  assert.deepEqual(probation.quarantined(QUARANTINE_MS), ['a']);
  assert.equal(probation.isQuarantined('a', 1000 + QUARANTINE_MS - 1), true);
  assert.equal(probation.isQuarantined('b', 0), false);
  assert.equal(probation.isQuarantined('a', 1000 + QUARANTINE_MS), false);
  assert.deepEqual(probation.quarantined(0), []);
});
