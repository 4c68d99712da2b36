import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fail } from '../../src/core/dos-result.ts';
import { ERROR_TABLE } from '../../src/core/error-table.ts';
import { isLimitCode, LIMIT_KINDS } from '../../src/core/limit-report.ts';

test('every V8_ code of the error table is reported as a limit', () => {
  const codes = Object.keys(ERROR_TABLE).filter((code) => code.startsWith('V8_'));
  assert.deepEqual(Object.keys(LIMIT_KINDS).sort(), codes.sort());
  assert.equal(isLimitCode('SCRIPT_THREW'), false);
});

test('a failure about a limit says which, how much, where, and what to change', () => {
  const place = { rootRunId: 'R1', callPath: ['outer', 'inner'], background: true };
  const result = fail({ code: 'V8_TIMEOUT', params: { limit: 5_000 } }, 'en', null, place);
  assert.deepEqual(result.DataAppend?.V8Limit, {
    Code: 'V8_TIMEOUT',
    LimitType: 'Timeout',
    Limit: 5_000,
    Unit: 'ms',
    Advice: result.Msg,
    RootExecutionId: 'R1',
    CurrentDepth: 2,
    CallPath: ['outer', 'inner'],
    IsBackgroundTask: true,
    MemoryAccounting: 'LiveHeapBytes',
  });
  assert.match(String(result.Msg), /raise TimeoutSeconds of the binding or Timeout of the engine/);
});

test('what was observed is told where it is known, and other failures carry no limit', () => {
  const params = { what: 'return', size: 9, limit: 5 };
  const tooLarge = fail({ code: 'V8_RESULT_TOO_LARGE', params }, 'zh').DataAppend?.V8Limit as Record<string, unknown>;
  assert.deepEqual([tooLarge.Observed, tooLarge.Limit, tooLarge.Unit], [9, 5, 'bytes']);
  assert.equal(fail({ code: 'DB_BUSY', params: {} }, 'zh').DataAppend, undefined);
});
