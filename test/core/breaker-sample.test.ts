import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breakerSample } from '../../src/core/breaker-sample.ts';
import type { CircuitSample } from '../../src/core/circuit.ts';
import type { ErrorCode } from '../../src/core/errors.ts';

/** [code of the failed run, a dependency failed under it, what that says] */
const TABLE: readonly [ErrorCode | undefined, boolean, CircuitSample][] = [
  [undefined, false, 'good'],
  // The script did what it wanted although something was away.
  [undefined, true, 'good'],
  // Bad data is refused by a script that works.
  ['SCRIPT_REFUSED', false, 'good'],
  ['SCRIPT_REFUSED', true, 'trouble'],
  ['SCRIPT_THREW', false, 'fault'],
  ['SCRIPT_THREW', true, 'trouble'],
  ['SCRIPT_SYNTAX', false, 'fault'],
  ['SCRIPT_NO_CODE', false, 'fault'],
  ['SCRIPT_RESULT_INVALID', false, 'fault'],
  ['V8_TIMEOUT', false, 'trouble'],
  ['V8_CPU_LIMIT', false, 'fault'],
  ['V8_MEMORY_LIMIT', false, 'fault'],
  ['V8_PROCESS_CRASH', false, 'fault'],
];

for (const [code, dependencyFailed, sample] of TABLE) {
  test(`${code ?? 'success'}${dependencyFailed ? ' after a failed dependency' : ''} is ${sample}`, () => {
    assert.equal(breakerSample(code, dependencyFailed), sample);
  });
}
