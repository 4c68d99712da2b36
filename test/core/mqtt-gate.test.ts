import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeGate } from '../../src/core/mqtt-gate.ts';
import type { RunOutcome } from '../../src/core/run-outcome.ts';

function returned(value: unknown): RunOutcome {
  return { kind: 'returned', json: JSON.stringify(value) };
}

test('results that let a message pass', () => {
  const values = [null, 'x', 0, false, [], {}, { Data: 1 }, { Code: 1 }, { Code: '1' }, { code: 1 }, { Code: true }];
  for (const value of values) assert.equal(judgeGate(returned(value), 'e').kind, 'allow', JSON.stringify(value));
  assert.equal(judgeGate({ kind: 'nothing' }, 'e').kind, 'allow');
});

test('results that block it, with the words of the script', () => {
  for (const value of [{ Code: 0 }, { Code: 2 }, { Code: null }, { Code: 'x' }, { Code: {} }, { CODE: 0 }]) {
    assert.equal(judgeGate(returned(value), 'e').kind, 'block', JSON.stringify(value));
  }
  assert.deepEqual(judgeGate(returned({ Code: 0, Msg: 'too hot' }), 'e'), { kind: 'block', message: 'too hot' });
  const long = judgeGate(returned({ Code: 0, Msg: 'x'.repeat(10_000) }), 'e');
  assert.ok(long.kind === 'block' && long.message.length === 200);
});

test('a script that fails blocks; one that the host could not run decides nothing', () => {
  const error = { code: 'V8_TIMEOUT', params: {} } as never;
  const failed: RunOutcome[] = [
    { kind: 'threw', error: { name: 'Error', message: 'x', stack: [] } },
    { kind: 'unwritable', message: 'cycle' },
    { kind: 'limit', error },
    { kind: 'crashed', error },
  ];
  for (const outcome of failed) assert.equal(judgeGate(outcome, 'e').kind, 'fail', outcome.kind);
  assert.equal(judgeGate({ kind: 'unstarted', error }, 'e').kind, 'transient');
});
