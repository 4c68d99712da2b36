import { fail } from '../core/dos-result.ts';
import { describeError, type ErrorRecord, type Lang } from '../core/errors.ts';
import { type Answer, statusOf } from './error-answer.ts';

/** The answer to scripts that were not stored: PUSH_REFUSED with every problem found and its place. */
export function answerRefusals(records: readonly ErrorRecord[], lang: Lang): Answer {
  const refusals = records.map((record) => presentRefusal(record, lang)).sort(byPlace);
  const error: ErrorRecord = { code: 'PUSH_REFUSED', params: { count: refusals.length } };
  const body = fail(error, lang, { refusals });
  return { status: statusOf(body), body };
}

/** `file`, `line` and `column` are null where the refusal has no place in a file. */
function presentRefusal(record: ErrorRecord, lang: Lang) {
  const { file, line, column } = record.params;
  return {
    code: record.code,
    file: file ?? null,
    line: line ?? null,
    column: column ?? null,
    message: describeError(record, lang),
  };
}

/** As an editor lists them: file by file, from the top. */
function byPlace(a: Refusal, b: Refusal): number {
  const [fileA, fileB] = [String(a.file ?? ''), String(b.file ?? '')];
  if (fileA !== fileB) return fileA < fileB ? -1 : 1;
  return Number(a.line ?? 0) - Number(b.line ?? 0);
}

type Refusal = ReturnType<typeof presentRefusal>;
