import { describeError, type ErrorCode, type ErrorRecord, type Lang } from './errors.ts';
import type { JsonObject, JsonValue } from './json.ts';

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

/** A failed result: the record's sentence in `lang` and its code. */
export function fail(error: ErrorRecord, lang: Lang, data: JsonValue = null): DosResult {
  return { Code: 0, Data: data, Msg: describeError(error, lang), ReasonCode: error.code };
}
