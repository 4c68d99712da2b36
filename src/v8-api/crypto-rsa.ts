/** RSAEncrypt, RSADecrypt and IsRSAEncrypted (v8-surface.md 6.5): PKCS#1 v1.5 padding, keys as PEM or bare Base64. */
import {
  constants,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto';
import { AppError } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import { decodeBase64, requiredText, textArgument } from './crypto-input.ts';
import type { Call } from './host-call.ts';
import { type ParamRule, ruleText } from './param-rules.ts';

/** Bytes of a cipher text of a 1,024- or 2,048-bit key, by which the platform knows one. */
const CIPHER_LENGTHS: readonly number[] = [128, 256];

/**
 * RSAEncrypt(text, publicKey): Base64. @throws AppError CIPHER_REFUSED. The platform returns the plain text when it
 * fails, which then is stored in place of a secret.
 */
export async function rsaEncrypt(call: Call): Promise<JsonValue> {
  const text = textArgument(call, 0, 'text');
  const key = publicKeyOf(requiredText(call, 1, 'publicKey')) ?? refuseCipher(call, 'rsaPublicKey');
  if (text === null) return null;
  try {
    return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(text, 'utf8')).toString('base64');
  } catch {
    return refuseCipher(call, 'rsaTooLong');
  }
}

/**
 * RSADecrypt(text, privateKey). What cannot be decrypted comes back as it is, as on the platform: scripts decode what
 * may be plain. A well-formed cipher text of another key gives meaningless text, which is how OpenSSL denies an
 * attacker the difference.
 */
export async function rsaDecrypt(call: Call): Promise<JsonValue> {
  const text = textArgument(call, 0, 'text');
  const bytes = text === null ? undefined : decodeBase64(text);
  if (bytes === undefined) return text;
  try {
    const key = privateKeyOf(textArgument(call, 1, 'privateKey') ?? '');
    if (bytes.length * 8 !== key.asymmetricKeyDetails?.modulusLength) return text;
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, bytes).toString('utf8');
  } catch {
    return text;
  }
}

/** IsRSAEncrypted(text): Base64 of as many bytes as a cipher text has. */
export async function isRsaEncrypted(call: Call): Promise<JsonValue> {
  const bytes = decodeBase64(textArgument(call, 0, 'text') ?? '');
  return bytes !== undefined && CIPHER_LENGTHS.includes(bytes.length);
}

/** SPKI under whatever header (the platform strips both), or PKCS#1 under its own. */
function publicKeyOf(text: string): KeyObject | undefined {
  const der = derOf(text);
  return firstKey([
    () => createPublicKey({ key: der, format: 'der', type: 'spki' }),
    () => createPublicKey({ key: der, format: 'der', type: 'pkcs1' }),
  ]);
}

/** @throws Error when the text holds no private key. */
function privateKeyOf(text: string): KeyObject {
  const der = derOf(text);
  const key = firstKey([
    () => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
    () => createPrivateKey({ key: der, format: 'der', type: 'pkcs1' }),
  ]);
  if (key === undefined) throw new Error('no private key');
  return key;
}

function firstKey(attempts: readonly (() => KeyObject)[]): KeyObject | undefined {
  for (const attempt of attempts) {
    try {
      return attempt();
    } catch {
      // Another form of key; the caller refuses what is none at all.
    }
  }
  return undefined;
}

function derOf(text: string): Buffer {
  return decodeBase64(text.replace(/-----(?:BEGIN|END) [A-Z ]+-----/g, '')) ?? Buffer.alloc(0);
}

function refuseCipher(call: Call, rule: ParamRule): never {
  throw new AppError('CIPHER_REFUSED', { member: 'EncryptHelper.RSAEncrypt', rule: ruleText(rule, call.lang) });
}
