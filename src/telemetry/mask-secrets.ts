/**
 * The last net before a line is written: secrets are `Secret` objects and never reach the log; what still comes under
 * a telling name, or inside a URL, is masked here.
 */

const MASK = '[secret]';

/** Names that carry secrets, in any case and spelling (`accessToken`, `db_password`, `X-Api-Key`). */
const SECRET_NAME =
  /pass(word|wd|phrase)?$|pwd|secret|token$|authorization|cookie|credential|api[-_]?key|private[-_]?key/i;

/**
 * `scheme://user:password@` of a URL, wherever it stands in a text; up to the last `@`, because people do not escape
 * the one in their password. The scheme is bounded, or a long word would be searched again from each of its letters.
 */
const CREDENTIALS = /([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/]+@/gi;

/** The value of a field as it may be written. */
export function maskField(name: string, value: unknown): unknown {
  if (SECRET_NAME.test(name) && value !== undefined && value !== null) return MASK;
  return typeof value === 'string' ? withoutCredentials(value) : value;
}

/** Masks user and password of URLs in a text. */
export function withoutCredentials(text: string): string {
  return text.replace(CREDENTIALS, `$1${MASK}@`);
}
