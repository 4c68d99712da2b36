import type { ErrorRecord } from './errors.ts';
import { isJsonObject, type JsonValue } from './json.ts';
import type { DeadReason } from './parked.ts';
import type { RunOutcome } from './run-outcome.ts';

/**
 * What a run's outcome means for its message and its transaction. One verdict decides commit, acknowledgement and
 * outbox together (G2).
 *
 * - `success`: commit and acknowledge.
 * - `failure`: roll back; the binding's budget decides about another attempt. `deadReason` names a dead letter that
 *   has a reason of its own.
 * - `unstarted`: the script never began; it comes again uncounted.
 */
export type Verdict =
  | { readonly kind: 'success' }
  | { readonly kind: 'failure'; readonly error: ErrorRecord; readonly deadReason?: DeadReason }
  | { readonly kind: 'unstarted'; readonly error: ErrorRecord };

/** The engine's name in messages to its author, and how the binding wants results read. */
export interface VerdictContext {
  readonly engineKey: string;
  /** Reads results by the original platform's table (mq-mqtt.md 4.4) instead of demanding an explicit Code. */
  readonly legacyAck: boolean;
}

/** Judges a run of a queue message. */
export function judgeDelivery(outcome: RunOutcome, context: VerdictContext): Verdict {
  if (outcome.kind === 'returned') return judgeResult(parseResult(outcome.json), context);
  if (outcome.kind === 'nothing') {
    return context.legacyAck ? SUCCESS : noCode('undefined', context);
  }
  return judgeEnd(outcome, context.engineKey);
}

/**
 * Judges the platform transaction of a run that no message started (v8-surface.md 5.4): primitives, arrays and
 * nothing commit, an object commits only with Code 1.
 */
export function judgeCall(outcome: RunOutcome, engineKey: string): Verdict {
  if (outcome.kind === 'nothing') return SUCCESS;
  if (outcome.kind !== 'returned') return judgeEnd(outcome, engineKey);
  const result = parseResult(outcome.json);
  if (!isJsonObject(result)) return SUCCESS;
  return judgeResult(result, { engineKey, legacyAck: false });
}

const SUCCESS: Verdict = Object.freeze({ kind: 'success' });

/** The isolate wrote this text with JSON.stringify; anything else is a broken lane. */
function parseResult(json: string): JsonValue {
  return JSON.parse(json) as JsonValue;
}

function judgeResult(result: JsonValue, context: VerdictContext): Verdict {
  if (!isJsonObject(result)) return context.legacyAck ? SUCCESS : noCode(kindOf(result), context);
  const code = Object.hasOwn(result, 'Code') ? result.Code : undefined;
  if (code === 1 || code === '1') return SUCCESS;
  if (context.legacyAck && isUnconvertible(code)) return SUCCESS;
  if (code === undefined || code === null) return noCode('{} without Code', context);
  return {
    kind: 'failure',
    error: { code: 'SCRIPT_REFUSED', params: { code: shortText(code), message: shortText(result.Msg ?? '') } },
  };
}

/** The platform swallowed the conversion error of such a Code and acknowledged. */
function isUnconvertible(code: JsonValue | undefined): boolean {
  return typeof code === 'string' && code.trim() !== '' && Number.isNaN(Number(code));
}

function noCode(kind: string, context: VerdictContext): Verdict {
  return { kind: 'failure', error: { code: 'SCRIPT_NO_CODE', params: { engine: context.engineKey, kind } } };
}

function judgeEnd(outcome: Exclude<RunOutcome, { kind: 'returned' | 'nothing' }>, engineKey: string): Verdict {
  switch (outcome.kind) {
    case 'unwritable':
      return { kind: 'failure', error: { code: 'SCRIPT_RESULT_INVALID', params: { message: outcome.message } } };
    case 'threw':
      return { kind: 'failure', error: describeThrow(outcome.error, engineKey) };
    case 'syntax': {
      const { file, line, column } = outcome.at;
      return {
        kind: 'failure',
        error: { code: 'SCRIPT_SYNTAX', params: { file, line, column, message: outcome.message } },
      };
    }
    case 'limit':
      return { kind: 'failure', error: outcome.error };
    case 'crashed':
      return { kind: 'failure', error: outcome.error, deadReason: 'sandbox-crash' };
    case 'unstarted':
      return { kind: 'unstarted', error: outcome.error };
  }
}

function describeThrow(error: Extract<RunOutcome, { kind: 'threw' }>['error'], engineKey: string): ErrorRecord {
  return {
    code: 'SCRIPT_THREW',
    params: {
      message: error.name === '' ? error.message : `${error.name}: ${error.message}`,
      line: error.at?.line ?? '?',
      column: error.at?.column ?? '?',
      file: error.at?.file ?? `${engineKey}.js`,
      stack: error.stack.join('\n'),
    },
  };
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function shortText(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
