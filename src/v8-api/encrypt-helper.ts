/** V8.EncryptHelper: digests and ciphers (v8-surface.md 6.5). Keys and texts pass through; none is logged or kept. */
import { aesDecrypt, aesEncrypt } from './crypto-aes.ts';
import { desDecode, desEncode } from './crypto-des.ts';
import { computeHash, hmacSha256, md5Encrypt, md5EncryptWeChat, sha256Hex, upperHexDigest } from './crypto-digest.ts';
import { isRsaEncrypted, rsaDecrypt, rsaEncrypt } from './crypto-rsa.ts';
import { hostCall } from './host-call.ts';

export const ENCRYPT_HELPER = {
  'EncryptHelper.SHA1': hostCall(upperHexDigest('sha1')),
  'EncryptHelper.SHA256': hostCall(upperHexDigest('sha256')),
  'EncryptHelper.SHA512': hostCall(upperHexDigest('sha512')),
  'EncryptHelper.Sha256Hex': hostCall(sha256Hex),
  'EncryptHelper.MD5Encrypt': hostCall(md5Encrypt),
  'EncryptHelper.MD5EncryptWeChat': hostCall(md5EncryptWeChat),
  'EncryptHelper.HmacSha256': hostCall(hmacSha256),
  /** Behind System.Security.Cryptography. */
  'System.ComputeHash': hostCall(computeHash),
  'EncryptHelper.DESEncode': hostCall(desEncode),
  'EncryptHelper.DESDecode': hostCall(desDecode),
  'EncryptHelper.AESEncrypt': hostCall(aesEncrypt),
  'EncryptHelper.AESDecrypt': hostCall(aesDecrypt),
  'EncryptHelper.RSAEncrypt': hostCall(rsaEncrypt),
  'EncryptHelper.RSADecrypt': hostCall(rsaDecrypt),
  'EncryptHelper.IsRSAEncrypted': hostCall(isRsaEncrypted),
} as const;
