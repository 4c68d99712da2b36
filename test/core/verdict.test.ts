import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunOutcome } from '../../src/core/run-outcome.ts';
import { judgeCall, judgeDelivery } from '../../src/core/verdict.ts';

const returned = (value: unknown): RunOutcome => ({ kind: 'returned', json: JSON.stringify(value) });
const NOTHING: RunOutcome = { kind: 'nothing' };
const STRICT = { engineKey: 'e', legacyAck: false };
const LEGACY = { engineKey: 'e', legacyAck: true };

const AT = { file: 'e.js', line: 3, column: 7 };
const TIMEOUT = { code: 'V8_TIMEOUT', params: { limit: 60_000 } } as const;
const CRASH = { code: 'V8_PROCESS_CRASH', params: {} } as const;
const BUSY = { code: 'V8_EXECUTION_QUEUE_TIMEOUT', params: { limit: 1 } } as const;

/** What the run gave, then whether strict, legacy and a plain call take it as success. */
for (const [what, outcome, strict, legacy, call] of [
  ['{Code:1}', returned({ Code: 1 }), true, true, true],
  ['{Code:1, Data}', returned({ Code: 1, Data: { x: 1 } }), true, true, true],
  ['{Code:1.0}', { kind: 'returned', json: '{"Code":1.0}' } as const, true, true, true],
  ['{Code:"1"}', returned({ Code: '1' }), true, true, true],
  ['{Code:0}', returned({ Code: 0 }), false, false, false],
  ['{Code:2}', returned({ Code: 2 }), false, false, false],
  ['{Code:"0"}', returned({ Code: '0' }), false, false, false],
  ['{Code:true}', returned({ Code: true }), false, false, false],
  ['{Code:null}', returned({ Code: null }), false, false, false],
  ['{Code:"ok"}', returned({ Code: 'ok' }), false, true, false],
  ['{Code:""}', returned({ Code: '' }), false, false, false],
  ['{}', returned({}), false, false, false],
  ['{code:1}', returned({ code: 1 }), false, false, false],
  ['{__proto__:{Code:1}}', { kind: 'returned', json: '{"__proto__":{"Code":1}}' } as const, false, false, false],
  ['null', returned(null), false, true, true],
  ['nothing', NOTHING, false, true, true],
  ['"ok"', returned('ok'), false, true, true],
  ['1', returned(1), false, true, true],
  ['true', returned(true), false, true, true],
  ['[]', returned([]), false, true, true],
  ['[{Code:1}]', returned([{ Code: 1 }]), false, true, true],
  ['a result that JSON refuses', { kind: 'unwritable', message: 'BigInt' } as const, false, false, false],
  ['a throw', { kind: 'threw', error: { name: 'Error', message: 'x', stack: [] } } as const, false, false, false],
  ['a syntax error', { kind: 'syntax', at: AT, message: 'x' } as const, false, false, false],
  ['a broken limit', { kind: 'limit', error: TIMEOUT } as const, false, false, false],
  ['a crash', { kind: 'crashed', error: CRASH } as const, false, false, false],
] as const) {
  test(`${what}: ${strict ? 'acknowledged' : 'not acknowledged'}, legacy ${legacy}, call commits ${call}`, () => {
    assert.equal(judgeDelivery(outcome, STRICT).kind === 'success', strict);
    assert.equal(judgeDelivery(outcome, LEGACY).kind === 'success', legacy);
    assert.equal(judgeCall(outcome, 'e').kind === 'success', call);
  });
}

test('a run that never began is neither success nor failure', () => {
  const outcome: RunOutcome = { kind: 'unstarted', error: BUSY };
  assert.deepEqual(judgeDelivery(outcome, STRICT), { kind: 'unstarted', error: BUSY });
  assert.deepEqual(judgeCall(outcome, 'e'), { kind: 'unstarted', error: BUSY });
});

for (const [what, outcome, code] of [
  ['no result', NOTHING, 'SCRIPT_NO_CODE'],
  ['an array', returned([]), 'SCRIPT_NO_CODE'],
  ['an object without Code', returned({}), 'SCRIPT_NO_CODE'],
  ['another Code', returned({ Code: 0, Msg: 'sold out' }), 'SCRIPT_REFUSED'],
  ['a result that JSON refuses', { kind: 'unwritable', message: 'BigInt' } as const, 'SCRIPT_RESULT_INVALID'],
  ['a syntax error', { kind: 'syntax', at: AT, message: 'x' } as const, 'SCRIPT_SYNTAX'],
  ['a broken limit', { kind: 'limit', error: TIMEOUT } as const, 'V8_TIMEOUT'],
  ['a crash', { kind: 'crashed', error: CRASH } as const, 'V8_PROCESS_CRASH'],
] as const) {
  test(`${what} fails with ${code}`, () => {
    const verdict = judgeDelivery(outcome, STRICT);
    assert.ok(verdict.kind === 'failure');
    assert.equal(verdict.error.code, code);
    assert.equal(verdict.deadReason, outcome.kind === 'crashed' ? 'sandbox-crash' : undefined);
  });
}

test('a throw is reported with its message and its own lines', () => {
  const stack = ['at save (e.js:3:7)', 'at e.js:9:1'];
  const verdict = judgeDelivery({ kind: 'threw', error: { name: 'TypeError', message: 'no', stack, at: AT } }, STRICT);
  assert.ok(verdict.kind === 'failure');
  const { message, line, column, stack: shown } = verdict.error.params;
  assert.deepEqual([message, line, column, shown], ['TypeError: no', 3, 7, stack.join('\n')]);
});

test("a script's own message is kept, but not at any length", () => {
  const verdict = judgeDelivery(returned({ Code: 0, Msg: 'x'.repeat(5000) }), STRICT);
  assert.ok(verdict.kind === 'failure');
  const message = String(verdict.error.params.message);
  assert.ok(message.startsWith('xxx') && message.length <= 501);
});
