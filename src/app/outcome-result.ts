import { type DosResult, fail } from '../core/dos-result.ts';
import type { ErrorRecord, Lang } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { isLimitCode, type LimitPlace } from '../core/limit-report.ts';
import type { RunOutcome } from '../core/run-outcome.ts';
import { judgeCall } from '../core/verdict.ts';

/**
 * What the caller of an engine sees of its outcome: the script's own value, null when it returned nothing, or a
 * failed DosResult that names the line, the limit or the rule and what to change (v8-surface.md 5.4, 7.3).
 */
export function outcomeToResult(outcome: RunOutcome, engineKey: string, lang: Lang, place?: LimitPlace): JsonValue {
  if (outcome.kind === 'returned') return JSON.parse(outcome.json) as JsonValue;
  if (outcome.kind === 'nothing') return null;
  const verdict = judgeCall(outcome, engineKey);
  if (verdict.kind === 'success') return null;
  return errorToResult(verdict.error, lang, place) as unknown as JsonObject;
}

/** A failed DosResult with the script's stack, or the limit that was hit, where there is one. */
export function errorToResult(error: ErrorRecord, lang: Lang, place?: LimitPlace): DosResult {
  const result = named(fail(error, lang, null, place), error, lang, place);
  const { stack } = error.params;
  if (typeof stack !== 'string' || stack === '') return result;
  return { ...result, DataAppend: { Stack: stack.split('\n') } };
}

/** Names the nested engine that broke the limit: its caller sees the sentence and would look at himself. */
function named(result: DosResult, { code }: ErrorRecord, lang: Lang, place?: LimitPlace): DosResult {
  if (place === undefined || place.callPath.length < 2 || !isLimitCode(code)) return result;
  const engine = place.callPath.at(-1);
  return { ...result, Msg: `${lang === 'en' ? `Engine ${engine}: ` : `接口引擎 ${engine}：`}${result.Msg}` };
}
