import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineTempo, QUICK_RUN_MS } from '../../src/core/engine-tempo.ts';
import { PROBATION_RUNS } from '../../src/core/probation.ts';

const ENGINE = { tenant: 't', engine: 'e', version: '1' };

function noted(count: number, tookMs: number): EngineTempo {
  const tempo = new EngineTempo();
  for (let i = 0; i < count; i++) tempo.note(ENGINE, tookMs);
  return tempo;
}

test('a version is quick when enough of its runs were', () => {
  assert.equal(noted(PROBATION_RUNS - 1, 0.1).isQuick(ENGINE), false);
  assert.equal(noted(PROBATION_RUNS, 0.1).isQuick(ENGINE), true);
  assert.equal(noted(PROBATION_RUNS, QUICK_RUN_MS).isQuick(ENGINE), false);
});

test('one slow run is remembered for a while, another version or engine begins anew', () => {
  const tempo = noted(100, 0.1);
  tempo.note(ENGINE, 100);
  assert.equal(tempo.isQuick(ENGINE), false);
  for (let i = 0; i < 30; i++) tempo.note(ENGINE, 0.1);
  assert.equal(tempo.isQuick(ENGINE), true);
  assert.equal(tempo.isQuick({ ...ENGINE, engine: 'f' }), false);
  assert.equal(tempo.isQuick({ ...ENGINE, tenant: 'u' }), false);
  tempo.note({ ...ENGINE, version: '2' }, 0.1);
  assert.equal(tempo.isQuick({ ...ENGINE, version: '2' }), false);
  assert.equal(tempo.isQuick(ENGINE), false);
});
