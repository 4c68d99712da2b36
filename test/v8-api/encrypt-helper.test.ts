import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { HostCallName } from '../../src/protocol/host-call-names.ts';
import { ScriptRun } from '../support/script-run.ts';

type Row = readonly [member: string, args: readonly unknown[], value: unknown, source: string];

const call = (member: string, ...args: unknown[]) =>
  new ScriptRun().call(`EncryptHelper.${member}` as HostCallName, ...args);

const bytes = (hex: string) => [...Buffer.from(hex, 'hex')];

const RFC_TEXT = 'what do ya want for nothing?';

/** Expected values are published ones, or made with OpenSSL's command and Python's hmac, never with the code under test. */
const KNOWN: readonly Row[] = [
  ['MD5Encrypt', ['abc'], '900150983cd24fb0d6963f7d28e17f72', 'RFC 1321'],
  ['MD5Encrypt', [''], 'd41d8cd98f00b204e9800998ecf8427e', 'RFC 1321'],
  ['MD5Encrypt', ['abc', 16], '3cd24fb0d6963f7d', 'digits 9 to 24 of it'],
  ['MD5Encrypt', ['abc', '16'], '3cd24fb0d6963f7d', 'digits 9 to 24 of it'],
  ['MD5Encrypt', ['abc', 32], '900150983cd24fb0d6963f7d28e17f72', 'RFC 1321'],
  ['MD5EncryptWeChat', ['abc'], '900150983CD24FB0D6963F7D28E17F72', 'RFC 1321'],
  ['MD5EncryptWeChat', ['中文'], 'A7BAC2239FCDCB3A067903D8077C4A07', 'Python'],
  ['MD5EncryptWeChat', ['中文', 'GB2312'], 'BCCE109775E8E1972E9F5FCDA3E12895', 'Python'],
  ['MD5EncryptWeChat', ['a𝄞', 'gbk'], '771D1F0F5E79495265522D3392FFBADB', 'Python: a character without a code is ?'],
  ['SHA1', ['abc'], 'A9993E364706816ABA3E25717850C26C9CD0D89D', 'FIPS 180'],
  ['SHA256', ['abc'], 'BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD', 'FIPS 180'],
  [
    'SHA512',
    ['abc'],
    'DDAF35A193617ABACC417349AE20413112E6FA4E89A97EA20A9EEEE64B55D39A2192992A274FC1A836BA3C23A3FEEBBD454D4423643CE80E2A9AC94FA54CA49F',
    'FIPS 180',
  ],
  ['SHA256', [''], '', 'empty in, empty out'],
  ['SHA1', [null], null, 'empty in, empty out'],
  ['Sha256Hex', ['abc'], 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'FIPS 180'],
  ['Sha256Hex', [''], 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'FIPS 180'],
  ['Sha256Hex', [12], '6b51d431df5d7f141cbececcf79edf3dd861c3b4069f0b11661a3eefacbba918', 'sha256sum of 12'],
  [
    'HmacSha256',
    [bytes('0b'.repeat(20)), [...Buffer.from('Hi There')]],
    bytes('b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'),
    'RFC 4231, 1',
  ],
  ['HmacSha256', ['Jefe', RFC_TEXT], '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'RFC 4231, 2'],
  ['DESEncode', ['你好, hello'], 'z/y81Q3BwfXga5P9cfaZHw==', 'openssl enc -des-ecb, key itdoscom'],
  ['DESEncode', ['你好, hello', 'short'], 'z/y81Q3BwfXga5P9cfaZHw==', 'a key without 8 characters is not taken'],
  ['DESEncode', ['hello', '12345678'], 'uhbGoCVxJa8=', 'openssl enc -des-ecb'],
  ['DESDecode', ['z/y81Q3BwfXga5P9cfaZHw=='], '你好, hello', 'openssl enc -des-ecb, key itdoscom'],
  ['DESDecode', ['uhbGoCVxJa8=', '12345678'], 'hello', 'openssl enc -des-ecb'],
  ['DESDecode', ['uhbGoCVxJa8='], 'uhbGoCVxJa8=', 'another key: the input'],
  ['DESDecode', ['plain text'], 'plain text', 'plain text: the input'],
  ['DESDecode', [null], null, 'the input'],
  ['DESEncode', [null], null, 'the input'],
  [
    'AESDecrypt',
    ['aes1:AQABAgMEBQYHCAkKCwwNDg8DVZ49nvH+8MivLOTKVsxgl+wzu0vqkSlB9OVWUwR06Pdgr4FNggJOvOZfxE6Yr1c=', '钥匙 key'],
    '库存 stock 10',
    'openssl enc -aes-256-cbc and Python hmac',
  ],
  ['AESDecrypt', [null, 'key'], null, 'nothing in, nothing out'],
  ['IsRSAEncrypted', [Buffer.alloc(256).toString('base64')], true, 'bytes of a 2,048-bit key'],
  ['IsRSAEncrypted', [Buffer.alloc(128).toString('base64')], true, 'bytes of a 1,024-bit key'],
  ['IsRSAEncrypted', ['abcd'], false, 'too short'],
  ['IsRSAEncrypted', ['x'.repeat(344)], false, 'no Base64 of that many bytes'],
];

describe('EncryptHelper gives known answers', () => {
  for (const [member, args, value, source] of KNOWN) {
    it(`${member}(${JSON.stringify(args).slice(1, -1).slice(0, 60)}): ${source}`, async () => {
      assert.deepEqual(await call(member, ...args), value);
    });
  }
});

const REFUSALS: readonly [member: string, args: readonly unknown[], code: string, says: RegExp][] = [
  ['MD5Encrypt', [], 'PARAM_MISSING', /text/],
  ['SHA256', [{ a: 1 }], 'PARAM_INVALID', /text/],
  ['HmacSha256', ['key', { 0: 1, 2: 3 }], 'PARAM_INVALID', /message/],
  ['HmacSha256', ['key', [256]], 'PARAM_INVALID', /message/],
  ['MD5EncryptWeChat', ['a', 'big5'], 'PARAM_INVALID', /gb2312/],
  ['AESEncrypt', ['text', ''], 'PARAM_MISSING', /key/],
  ['AESDecrypt', ['plain', 'key'], 'CIPHER_REFUSED', /aes1:/],
  ['AESDecrypt', ['aes1:AQ==', 'key'], 'CIPHER_REFUSED', /aes1:/],
  ['RSAEncrypt', ['text', 'no key'], 'CIPHER_REFUSED', /PEM/],
];

describe('EncryptHelper refuses by Code 0', () => {
  for (const [member, args, code, says] of REFUSALS) {
    it(`${member}(${JSON.stringify(args)}) is ${code}`, async () => {
      const result = await new ScriptRun().result(`EncryptHelper.${member}` as HostCallName, ...args);
      assert.deepEqual([result.Code, result.ReasonCode], [0, code]);
      assert.match(String(result.Msg), says);
    });
  }
});

describe('AES', () => {
  it('gives back every text, and never the same cipher text twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), async (text, secret) => {
        const key = `k${secret}`;
        const sealed = await call('AESEncrypt', text, key);
        assert.equal(await call('AESDecrypt', sealed, key), text);
        assert.notEqual(sealed, await call('AESEncrypt', text, key));
      }),
      { numRuns: 50 },
    );
  });

  it('refuses another key and every altered byte', async () => {
    const sealed = String(await call('AESEncrypt', 'amount 100', 'key'));
    const payload = Buffer.from(sealed.slice(5), 'base64');
    const other = await new ScriptRun().result('EncryptHelper.AESDecrypt', sealed, 'other');
    assert.equal(other.ReasonCode, 'CIPHER_REFUSED');
    for (let i = 0; i < payload.length; i++) {
      const altered = Buffer.from(payload);
      altered[i] = (altered[i] ?? 0) ^ 1;
      const text = `aes1:${altered.toString('base64')}`;
      const result = await new ScriptRun().result('EncryptHelper.AESDecrypt', text, 'key');
      assert.equal(result.ReasonCode, 'CIPHER_REFUSED', `byte ${i}`);
    }
  });
});

const RSA_PRIVATE = `-----BEGIN RSA PRIVATE KEY-----
MIICXgIBAAKBgQDlmxG77QCqLa4rbge9hwQIgP3D1wtCkbTjV2b3nv+7Kblgp0js
7LAx9lIxsTWFhebY3GFKnv6ggNW06RKC9wWbR36kq+PGCx4A7NXACugN6zAnuMkD
tX1qTodfjAyzyuV8NmkeFTe3ZdG1N7wdHPUt+77KHtjRjoclKg/0AHurowIDAQAB
AoGBAOJEVs2jWaxbJ/CUlfwoOclHlMyR9v67KE+Bqm8LuWhwTcb6E9unxFr4Kzfd
MqlKs5uyUg5/cN4rGG8X4K4/UL0+/FfZaFiSX4ZCC+O74+d6JCaceHKpyvPK0V5L
h95Q8+e/YI2GGO1sr74+2ODYc4i68xbjP27z2MSvbq85EbUBAkEA/ZC05biDgg5i
5T9xeQfBf9LTd01rnIG5lqmuygIJ+3e1AYEJbXqMbhVazGMf7V35G7TvTWOVHRji
ieeoD2i5UQJBAOfPd6GjNqIUj8kLlOenpmPl74I1O02p+0deLXTdgAMr+c3ISYWw
Fs8oSNtyvUCBu9d2I6oEPgwdxst19hoamLMCQQC7apHKma7aGjgOqe39PzZOfE3B
CIBZlajPK2v987PdIoWvLukA+muBklciasHWeHb/e6TE1q4Ia7RFqewWN5mBAkB4
K08DFg8eWrZnLH/Wz0wsgWh2AY5qpnHC/4llCeZwvn1TNj8W9L/+SA3s5UBCjn6I
JZA7dNONiGoj01TvF1aNAkEAqxRVKxfGmfzClC/VY9aqX08RjtW/v9ZPEW3SZDwa
wTfStYzabRiNdU12fKY6ZToj1V1etyBJH3ZqZuexdKi6uQ==
-----END RSA PRIVATE KEY-----`;

const RSA_SEALED =
  'qr0JYhmZVt76ha1nMm5g+ThDkgbCjrJRqbXxeo2R3j18/xSKKT9GPDkNgMzP23K9ZQDaUSIOBzQtrOWUk1xSgc5si81nG0uaKEQ7iq7rgnMWkf0TSB6foQ4xE80dpawTpYulvN8ZofEjgzGFNzx3Qbhq9ADKlGXRQGkAuu74rX8=';

describe('RSA', () => {
  it('decrypts what OpenSSL’s command encrypted', async () => {
    assert.equal(await call('RSADecrypt', RSA_SEALED, RSA_PRIVATE), 'P-1 数量');
    assert.equal(await call('IsRSAEncrypted', RSA_SEALED), true);
  });

  it('takes keys in every form', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const bare = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '');
    const spki = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const pkcs1 = publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const old = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    for (const publicForm of [spki, pkcs1, bare(spki), spki.replaceAll('PUBLIC', 'RSA PUBLIC')]) {
      for (const privateForm of [pkcs8, old, bare(pkcs8)]) {
        assert.equal(await call('RSADecrypt', await call('RSAEncrypt', '密码 pw', publicForm), privateForm), '密码 pw');
      }
    }
    const long = await new ScriptRun().result('EncryptHelper.RSAEncrypt', 'x'.repeat(246), spki);
    assert.equal(long.ReasonCode, 'CIPHER_REFUSED');
    assert.doesNotMatch(String(long.Msg), /xxx/);
  });

  it('gives back what it cannot decrypt', async () => {
    assert.equal(await call('RSADecrypt', 'plain', RSA_PRIVATE), 'plain');
    assert.equal(await call('RSADecrypt', 'AAAA', RSA_PRIVATE), 'AAAA');
    assert.equal(await call('RSADecrypt', RSA_SEALED, 'no key'), RSA_SEALED);
    assert.equal(await call('RSADecrypt', null, RSA_PRIVATE), null);
  });
});
