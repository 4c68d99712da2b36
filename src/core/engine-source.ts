import { utf8 } from './json-text.ts';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A script that is worth storing has one of these. */
const SOURCE_LIKE = /[;(){}=]|\breturn\b/;

const CONTROL = /(?![\t\r\n])\p{Cc}/u;

/**
 * The source of `ApiV8Code`: plain text, or strict Base64 of UTF-8 as older editors saved it (v8-surface.md 8.1).
 * Text that merely looks like Base64 (`debugger`) stays as it is unless it decodes to something like a script.
 */
export function decodeEngineSource(text: string): string {
  const packed = text.trim();
  if (packed.length % 4 !== 0 || !BASE64.test(packed)) return text;
  const bytes = Uint8Array.from(atob(packed), (byte) => byte.charCodeAt(0));
  const source = utf8(bytes);
  return source !== undefined && SOURCE_LIKE.test(source) && !CONTROL.test(source) ? source : text;
}
