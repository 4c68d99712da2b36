import { type DosResult, fail } from '../core/dos-result.ts';
import { ERROR_TABLE } from '../core/error-table.ts';
import { AppError, type ErrorCode, type ErrorParams, type ErrorRecord, type Lang } from '../core/errors.ts';

/** An HTTP answer: a real status beside the DosResult. */
export interface Answer {
  readonly status: number;
  readonly body: DosResult;
}

/** Longest body of a request: the largest message, and room for what is around it. */
export const MAX_REQUEST_BYTES = 17 * 1024 * 1024;

/** The server's own refusals, by its code. */
const SERVER_REFUSALS: Readonly<Record<string, readonly [ErrorCode, ErrorParams]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['MEDIA_TYPE_UNSUPPORTED', {}],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['REQUEST_INVALID', { field: 'Content-Length', rule: '≠ body' }],
  FST_ERR_BAD_URL: ['REQUEST_INVALID', { field: 'URL', rule: '%XX' }],
  FST_ERR_MAX_PARAM_LENGTH: ['REQUEST_INVALID', { field: 'URL', rule: '≤ 1024' }],
};

/** @param bodyLimit of the route, in bytes. Makes an AppError of whatever a route threw; what nobody expected is INTERNAL and keeps its cause for the log. */
export function requestError(thrown: unknown, bodyLimit: number): AppError {
  if (thrown instanceof AppError) return thrown;
  if (codeOf(thrown) === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('REQUEST_TOO_LARGE', { limit: bodyLimit });
  // Whoever sent it is gone, or ended it early: nothing that an operator could mend.
  if (isCutOff(thrown)) return new AppError('REQUEST_INVALID', { field: 'body', rule: 'Content-Length' });
  const refusal = SERVER_REFUSALS[serverCode(thrown)];
  return refusal === undefined ? new AppError('INTERNAL', {}, { cause: thrown }) : new AppError(...refusal);
}

/**
 * The answer to a failed request. `DataAppend` holds the error's parameters (a script's file, line and own stack),
 * which are safe to show the tenant; causes and stacks of the host stay in its log.
 */
export function answerError(record: ErrorRecord, lang: Lang): Answer {
  const body = fail(record, lang);
  const append = { ...record.params, ...body.DataAppend };
  const hasParams = Object.keys(append).length > 0;
  return { status: ERROR_TABLE[record.code].http, body: hasParams ? { ...body, DataAppend: append } : body };
}

/** The status that a result's own code stands for. */
export function statusOf(result: DosResult): number {
  if (result.ReasonCode !== undefined) return ERROR_TABLE[result.ReasonCode].http;
  return result.Code === 1 ? 200 : 422;
}

function serverCode(thrown: unknown): string {
  const code = codeOf(thrown);
  return typeof code === 'string' && Object.hasOwn(SERVER_REFUSALS, code) ? code : '';
}

/** The error of a request whose connection ended before its body did. */
function isCutOff(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === 'aborted' && codeOf(thrown) === 'ECONNRESET';
}

function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}
