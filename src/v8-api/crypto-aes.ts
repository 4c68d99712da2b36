/**
 * AESEncrypt and AESDecrypt (v8-surface.md 6.5). A value is `aes1:` and Base64 of: byte 1, 16 bytes of IV, AES-256-CBC
 * with PKCS#7 padding, 32 bytes of HMAC-SHA256 over all before it. The halves of the key's SHA-512 are cipher key and
 * MAC key. Values of the original platform can be read, and it can read these.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import { decodeBase64, requiredText, textArgument } from './crypto-input.ts';
import type { Call } from './host-call.ts';
import { ruleText } from './param-rules.ts';

const PREFIX = 'aes1:';
const VERSION = 1;
const IV_BYTES = 16;
const MAC_BYTES = 32;
const CIPHER = 'aes-256-cbc';

/** AESEncrypt(text, key); null for a missing text. */
export async function aesEncrypt(call: Call): Promise<JsonValue> {
  const text = textArgument(call, 0, 'text');
  const { cipherKey, macKey } = keysOf(call);
  if (text === null) return null;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, cipherKey, iv);
  const signed = Buffer.concat([Buffer.of(VERSION), iv, cipher.update(text, 'utf8'), cipher.final()]);
  return PREFIX + Buffer.concat([signed, macOf(macKey, signed)]).toString('base64');
}

/** AESDecrypt(text, key); null for a missing text. @throws AppError CIPHER_REFUSED: not such a value, or altered. */
export async function aesDecrypt(call: Call): Promise<JsonValue> {
  const text = textArgument(call, 0, 'text');
  const { cipherKey, macKey } = keysOf(call);
  if (text === null) return null;
  const payload = text.startsWith(PREFIX) ? decodeBase64(text.slice(PREFIX.length)) : undefined;
  if (payload === undefined || payload.length <= 1 + IV_BYTES + MAC_BYTES || payload[0] !== VERSION) {
    return refuseCipher(call, 'aesFormat');
  }
  const signed = payload.subarray(0, -MAC_BYTES);
  if (!timingSafeEqual(macOf(macKey, signed), payload.subarray(-MAC_BYTES))) return refuseCipher(call, 'aesAltered');
  const decipher = createDecipheriv(CIPHER, cipherKey, signed.subarray(1, 1 + IV_BYTES));
  return Buffer.concat([decipher.update(signed.subarray(1 + IV_BYTES)), decipher.final()]).toString('utf8');
}

function refuseCipher(call: Call, rule: 'aesFormat' | 'aesAltered'): never {
  throw new AppError('CIPHER_REFUSED', { member: 'EncryptHelper.AESDecrypt', rule: ruleText(rule, call.lang) });
}

function keysOf(call: Call): { cipherKey: Buffer; macKey: Buffer } {
  const digest = createHash('sha512')
    .update(requiredText(call, 1, 'key'), 'utf8')
    .digest();
  return { cipherKey: digest.subarray(0, 32), macKey: digest.subarray(32) };
}

function macOf(key: Buffer, signed: Buffer): Buffer {
  return createHmac('sha256', key).update(signed).digest();
}
