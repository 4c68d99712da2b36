import { describeError, type ErrorCode, type ErrorRecord, type Lang } from './errors.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { type LimitPlace, limitReport } from './limit-report.ts';

/**
 * What every host call returns to a script and every platform route answers (v8-surface.md 1). Code 1 is success,
 * 0 failure, 2 a single-row look-up that found nothing.
 */
export interface DosResult {
  readonly Code: number;
  readonly Data?: JsonValue;
  readonly DataCount?: number;
  readonly Msg?: string | null;
  readonly DataAppend?: JsonObject;
  /** Stable error code, the same in both languages. Only on failures. */
  readonly ReasonCode?: ErrorCode;
}

/** A successful result. */
export function succeed(data: JsonValue = null, extra: Pick<DosResult, 'DataCount' | 'Msg'> = {}): DosResult {
  return { Code: 1, Data: data, Msg: null, ...extra };
}

/**
 * A failed result: the record's sentence in `lang` and its code; of a limit also what it is, as `DataAppend.V8Limit`.
 */
export function fail(error: ErrorRecord, lang: Lang, data: JsonValue = null, place?: LimitPlace): DosResult {
  const message = describeError(error, lang);
  const report = limitReport(error, message, place);
  const result: DosResult = { Code: 0, Data: data, Msg: message, ReasonCode: error.code };
  return report === undefined ? result : { ...result, DataAppend: { V8Limit: report } };
}
