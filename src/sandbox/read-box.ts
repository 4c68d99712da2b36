import type { ErrorCode, ErrorParams } from '../core/errors.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import type { ScriptBox } from './script-context.ts';
import { readScriptError, scriptFile } from './script-error.ts';

/** V8's words for a stack overflow. A script that forges them only mislabels its own failure. */
const STACK_OVERFLOW = 'Maximum call stack size exceeded';

/** How the script ended by itself; undefined while it has not, or when that was said before. */
export function readOutcome(box: ScriptBox, engineKey: string, resultBytes: number): RunOutcome | undefined {
  const [first, second, third] = box.texts;
  switch (box.state) {
    case '=': {
      const size = Buffer.byteLength(first);
      return size > resultBytes ? resultTooLarge(size, resultBytes) : { kind: 'returned', json: first };
    }
    case '0':
      return { kind: 'nothing' };
    case 'u':
      return { kind: 'unwritable', message: first };
    case 'L':
      return resultTooLarge(Number(first), resultBytes);
    case '!':
      return readThrow(engineKey, first, second, third);
    default:
      return undefined;
  }
}

/** True when the script may still have work of its own: a run that failed is over at once. */
export function isWaiting(box: ScriptBox, settled: RunOutcome | undefined): boolean {
  if (settled !== undefined && settled.kind !== 'returned' && settled.kind !== 'nothing') return false;
  return box.timerAt >= 0 || box.pendingCalls > 0;
}

export function limitOutcome(code: ErrorCode, params: ErrorParams = {}): RunOutcome {
  return { kind: 'limit', error: { code, params } };
}

function readThrow(engineKey: string, name: string, message: string, stack: string): RunOutcome {
  if (name === 'RangeError' && message === STACK_OVERFLOW) return limitOutcome('V8_RECURSION_LIMIT');
  return { kind: 'threw', error: readScriptError(scriptFile(engineKey), name, message, stack) };
}

function resultTooLarge(size: number, cap: number): RunOutcome {
  return limitOutcome('V8_RESULT_TOO_LARGE', { what: 'return', size, limit: cap });
}
