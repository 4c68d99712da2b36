/** The text of a response's body. */

export interface ResponseText {
  readonly text: string;
  /** True when the text in UTF-8 is the body, byte for byte. */
  readonly exact: boolean;
}

/** Longest look for the declaration of an XML document. Bytes. */
const XML_PROLOG = 200;

/** Byte order marks, which go before every declaration (WHATWG Encoding, 6). */
const MARKS: readonly (readonly [bytes: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];

/**
 * Reads a body in the charset of its byte order mark, its Content-Type, its XML declaration or `otherwise`, the first
 * one that is there and known; else in UTF-8. Chinese business systems answer in GBK and GB18030, too. What is no text
 * in that charset becomes U+FFFD.
 */
export function decodeResponse(body: Uint8Array, contentType: string | undefined, otherwise?: string): ResponseText {
  const marked = MARKS.find(([bytes]) => bytes.every((byte, index) => body[index] === byte))?.[1];
  const charset = [marked, charsetOf(contentType), xmlCharset(body, contentType), otherwise].find(isKnownCharset);
  const decoder = new TextDecoder(charset ?? 'utf-8');
  if (decoder.encoding !== 'utf-8' || marked !== undefined) return { text: decoder.decode(body), exact: false };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(body), exact: true };
  } catch {
    // Not UTF-8: the text is only what could be read of it.
    return { text: decoder.decode(body), exact: false };
  }
}

/** True for a name that some standard knows. */
export function isKnownCharset(name: string | undefined): name is string {
  if (name === undefined) return false;
  try {
    new TextDecoder(name);
    return true;
  } catch {
    return false;
  }
}

function charsetOf(contentType = ''): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1];
}

function xmlCharset(body: Uint8Array, contentType = ''): string | undefined {
  if (!/[/+]xml\b/i.test(contentType)) return undefined;
  const start = String.fromCharCode(...body.subarray(0, XML_PROLOG));
  return /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/i.exec(start)?.[1];
}
