/**
 * The one error model of the product. An error is a code with parameters; its words are made late, in the reader's
 * language, from ERROR_TABLE. Code branches on the code alone.
 */
import { ERROR_TABLE, type ErrorCode } from './error-table.ts';

export type { ErrorCode } from './error-table.ts';

/** Language of a message for people. Scripts choose by `_Lang`, the CLI by LANG, everything else by configuration. */
export type Lang = 'zh' | 'en';

/** Values put into an error's template. Never a payload, a secret or a stack: the tenant sees them. */
export type ErrorParams = Readonly<Record<string, string | number>>;

/** An error as data: what crosses a process or HTTP boundary, and what a refused parse returns. */
export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
}

/** Result of a rule that may refuse its input. Refusals are values; exceptions are for broken infrastructure. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorRecord };

/** A thrown failure of ours. `cause` keeps the driver's error for the log; it never leaves the host. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly params: ErrorParams;

  constructor(code: ErrorCode, params: ErrorParams = {}, options: { cause?: unknown } = {}) {
    super(describeError({ code, params }, 'en'), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.params = params;
  }

  /** The part of this error that may cross a boundary: no stack, no cause. */
  toRecord(): ErrorRecord {
    return { code: this.code, params: this.params };
  }
}

/** Makes a refusal. */
export function refuse(code: ErrorCode, params: ErrorParams = {}): { ok: false; error: ErrorRecord } {
  return { ok: false, error: { code, params } };
}

/** Makes an accepted value. */
export function accept<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

/** The sentence for people: what happened, which field or rule, and what to change. */
export function describeError(record: ErrorRecord, lang: Lang): string {
  const template = ERROR_TABLE[record.code][lang];
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(record.params[name] ?? ''));
}

/** Unwraps a Parsed value where a refusal is exceptional. @throws AppError with the refusal's code. */
export function orThrow<T>(parsed: Parsed<T>): T {
  if (parsed.ok) return parsed.value;
  throw new AppError(parsed.error.code, parsed.error.params);
}

/** Turns anything thrown into an AppError; an unknown one becomes INTERNAL with its cause kept. */
export function coerceError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError('INTERNAL', {}, { cause: thrown });
}

/** Proves at compile time that a switch covers its union. */
export function assertNever(value: never): never {
  throw new AppError('INTERNAL', {}, { cause: new Error(`unexpected value ${String(value)}`) });
}
