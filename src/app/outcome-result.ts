import { type DosResult, fail } from '../core/dos-result.ts';
import type { ErrorRecord, Lang } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import { judgeCall } from '../core/verdict.ts';

/**
 * What the caller of an engine sees of its outcome: the script's own value, null when it returned nothing, or a
 * failed DosResult that names the line, the limit or the rule and what to change (v8-surface.md 5.4, 7.3).
 */
export function outcomeToResult(outcome: RunOutcome, engineKey: string, lang: Lang): JsonValue {
  if (outcome.kind === 'returned') return JSON.parse(outcome.json) as JsonValue;
  if (outcome.kind === 'nothing') return null;
  const verdict = judgeCall(outcome, engineKey);
  if (verdict.kind === 'success') return null;
  return errorToResult(verdict.error, lang) as unknown as JsonObject;
}

/** A failed DosResult with the script's stack and the broken limit where there is one. */
export function errorToResult(error: ErrorRecord, lang: Lang): DosResult {
  const append = appendixOf(error);
  const result = fail(error, lang);
  return append === undefined ? result : { ...result, DataAppend: append };
}

function appendixOf(error: ErrorRecord): JsonObject | undefined {
  const stack = error.params.stack;
  if (typeof stack === 'string' && stack !== '') return { Stack: stack.split('\n') };
  if (error.code.startsWith('V8_')) return { V8Limit: { Code: error.code, Limit: error.params.limit ?? null } };
  return undefined;
}
