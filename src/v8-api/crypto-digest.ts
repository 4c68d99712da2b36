/** Digests and signatures of V8.EncryptHelper and V8.Method (v8-surface.md 6.3, 6.5). */
import { createHash, createHmac } from 'node:crypto';
import type { JsonValue } from '../core/json.ts';
import { bytesArgument, isByteArgument, textArgument } from './crypto-input.ts';
import { encodeGbk } from './gbk-text.ts';
import type { Call, Member } from './host-call.ts';
import { refuseParam } from './param-rules.ts';

type DigestName = 'md5' | 'sha1' | 'sha256' | 'sha512';

/** SHA1(text) and its kin: upper-case hex; what is empty or missing comes back as it is. */
export function upperHexDigest(algorithm: DigestName): Member {
  return async (call) => {
    const text = textArgument(call, 0, 'text');
    return text === null || text === '' ? text : hexOf(algorithm, Buffer.from(text, 'utf8')).toUpperCase();
  };
}

/** Sha256Hex(text): lower-case hex, of an empty text too. */
export async function sha256Hex(call: Call): Promise<JsonValue> {
  return hexOf('sha256', bytesArgument(call, 0, 'text'));
}

/** MD5Encrypt(text, 16 | 32): lower-case hex; 16 gives the middle half, anything else all 32 digits. */
export async function md5Encrypt(call: Call): Promise<JsonValue> {
  const hex = hexOf('md5', bytesArgument(call, 0, 'text'));
  return Number(call.args[1]) === 16 ? hex.slice(8, 24) : hex;
}

/** MD5EncryptWeChat(text, charset): upper-case hex of the text in UTF-8, or in GB2312, GBK. */
export async function md5EncryptWeChat(call: Call): Promise<JsonValue> {
  const charset = (textArgument(call, 1, 'charset') ?? '').trim().toLowerCase();
  const bytes = bytesArgument(call, 0, 'text');
  if (charset === '' || charset === 'utf-8' || charset === 'utf8') return hexOf('md5', bytes).toUpperCase();
  if (charset !== 'gb2312' && charset !== 'gbk') return refuseParam('charset', 'charset', call.lang);
  return hexOf('md5', encodeGbk(bytes.toString('utf8'))).toUpperCase();
}

/**
 * HmacSha256(key, message). Bytes give bytes, as on the platform; a message given as text, which its documentation
 * shows and its signature does not take, gives lower-case hex.
 */
export async function hmacSha256(call: Call): Promise<JsonValue> {
  const key = bytesArgument(call, 0, 'key');
  const digest = createHmac('sha256', key)
    .update(bytesArgument(call, 1, 'message'))
    .digest();
  return isByteArgument(call.args[1]) ? [...digest] : digest.toString('hex');
}

/** HmacSha1Sign(data, key) and HmacSha256Sign(data, key): Base64. */
export function hmacSign(algorithm: 'sha1' | 'sha256'): Member {
  return async (call) => {
    const key = bytesArgument(call, 1, 'key');
    return createHmac(algorithm, key)
      .update(bytesArgument(call, 0, 'data'))
      .digest('base64');
  };
}

/** Md5Sign(data) as Base64, Md5SignHex(data) as lower-case hex. */
export function md5Sign(encoding: 'base64' | 'hex'): Member {
  return async (call) =>
    createHash('md5')
      .update(bytesArgument(call, 0, 'data'))
      .digest(encoding);
}

/** ComputeHash(algorithm, key, data) behind System.Security.Cryptography: bytes; a null key is a plain digest. */
export async function computeHash(call: Call): Promise<JsonValue> {
  const algorithm = DOTNET_ALGORITHMS.get(String(call.args[0]));
  if (algorithm === undefined) return refuseParam('algorithm', 'digestName', call.lang);
  const data = bytesArgument(call, 2, 'buffer');
  if (call.args[1] === null) return [...createHash(algorithm).update(data).digest()];
  return [
    ...createHmac(algorithm, bytesArgument(call, 1, 'key'))
      .update(data)
      .digest(),
  ];
}

const DOTNET_ALGORITHMS: ReadonlyMap<string, DigestName> = new Map([
  ['MD5', 'md5'],
  ['SHA1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA512', 'sha512'],
]);

function hexOf(algorithm: DigestName, bytes: Buffer): string {
  return createHash(algorithm).update(bytes).digest('hex');
}
