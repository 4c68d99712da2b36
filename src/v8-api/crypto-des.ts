/** DESEncode and DESDecode (v8-surface.md 6.5): DES in ECB mode, kept because stored values are in it. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { JsonValue } from '../core/json.ts';
import { decodeBase64, textArgument } from './crypto-input.ts';
import type { Call } from './host-call.ts';

/** The platform's own key, for calls without one and with one that has not eight characters. */
const DEFAULT_KEY = 'itdoscom';

/** OpenSSL 3 has single DES in its legacy provider only; triple DES with three equal keys is the same function. */
const CIPHER = 'des-ede3';

/** DESEncode(text, key?): Base64. A missing text comes back as it is. */
export async function desEncode(call: Call): Promise<JsonValue> {
  const text = textArgument(call, 0, 'text');
  if (text === null) return null;
  const cipher = createCipheriv(CIPHER, keyOf(call), null);
  return Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]).toString('base64');
}

/** DESDecode(text, key?). What is no cipher text of this key comes back as it is: scripts decode what may be plain. */
export async function desDecode(call: Call): Promise<JsonValue> {
  const text = textArgument(call, 0, 'text');
  const bytes = text === null ? undefined : decodeBase64(text);
  if (bytes === undefined) return text;
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(call), null);
    return Buffer.concat([decipher.update(bytes), decipher.final()]).toString('utf8');
  } catch {
    return text;
  }
}

function keyOf(call: Call): Buffer {
  const given = textArgument(call, 1, 'key') ?? '';
  const key = given.trim() === '' || given.length !== 8 ? DEFAULT_KEY : given;
  // .NET's ASCII: a character outside it is written as a question mark.
  const single = Buffer.from([...key].map((c) => (c.charCodeAt(0) < 0x80 ? c.charCodeAt(0) : 0x3f)));
  return Buffer.concat([single, single, single]);
}
