import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecretBox, newSecretKey } from '../../../src/adapters/system/secret-box.ts';
import { isSecretKey, splitKeys } from '../../../src/core/sealed-secret.ts';
import type { SealedSecret } from '../../../src/ports/secret-box.ts';

const PLACE = { tenant: 'Factory-B', name: 'MQPassword' };
const TEXT = 'pa$$wörd 密码 of the queue';

function sealedBy(key: string, text = TEXT): SealedSecret {
  return createSecretBox([key]).seal(PLACE, text) as SealedSecret;
}

test('what is sealed opens again at its place, in any case of the tenant, and holds nothing of the text', () => {
  const key = newSecretKey();
  const secret = sealedBy(key);
  const box = createSecretBox([key]);
  assert.deepEqual(box.open({ ...PLACE, tenant: 'FACTORY-b' }, secret), { ok: true, value: TEXT });
  assert.ok(!Buffer.from(secret.sealed.slice(3), 'base64url').includes(TEXT.slice(0, 8)));
  assert.notEqual(sealedBy(key).sealed, secret.sealed, 'the same text is sealed differently every time');
  assert.deepEqual(box.open(PLACE, sealedBy(key, '')), { ok: true, value: '' });
});

test('a value that was altered, cut or moved to another tenant or column does not open', () => {
  const key = newSecretKey();
  const box = createSecretBox([key]);
  const secret = sealedBy(key);
  const altered = Buffer.from(secret.sealed.slice(3), 'base64url');
  altered[14] = (altered[14] ?? 0) ^ 1;
  const broken: readonly [typeof PLACE, SealedSecret][] = [
    [{ ...PLACE, tenant: 'factory-c' }, secret],
    [{ ...PLACE, name: 'MqttPwd' }, secret],
    [PLACE, { ...secret, sealed: `v1.${altered.toString('base64url')}` }],
    [PLACE, { ...secret, sealed: secret.sealed.slice(0, 20) }],
    [PLACE, { ...secret, sealed: secret.sealed.replace('v1.', 'v2.') }],
    [PLACE, { ...secret, sealed: '' }],
  ];
  for (const [place, value] of broken) {
    const opened = box.open(place, value);
    assert.equal(opened.ok ? 'opened' : opened.error.code, 'SECRET_DAMAGED', JSON.stringify([place, value]));
  }
});

test('several keys open, the first seals; a key that is not there is named', () => {
  const [older, newer] = [newSecretKey(), newSecretKey()];
  const both = createSecretBox([newer, older]);
  assert.deepEqual(both.open(PLACE, sealedBy(older)), { ok: true, value: TEXT });
  assert.equal(both.seal(PLACE, TEXT)?.keyId, both.keyIds()[0]);
  const opened = createSecretBox([newer]).open(PLACE, sealedBy(older));
  assert.deepEqual(opened, {
    ok: false,
    error: {
      code: 'SECRET_KEY_MISSING',
      params: { tenant: 'Factory-B', field: 'MQPassword', key: both.keyIds()[1] },
    },
  });
  assert.equal(createSecretBox([]).seal(PLACE, TEXT), undefined);
});

test('a renewed box seals with the new key and still opens what the old one sealed', () => {
  const [first, second] = [newSecretKey(), newSecretKey()];
  const box = createSecretBox([first], () => second);
  const [id] = box.keyIds();
  assert.equal(box.renew(), true);
  assert.deepEqual([box.keyIds().length, box.keyIds()[1]], [2, id]);
  assert.deepEqual(box.open(PLACE, sealedBy(first)), { ok: true, value: TEXT });
  assert.equal(createSecretBox([first]).renew(), false);
});

test('keys are 32 bytes as Base64 or hexadecimal, between commas or line breaks; the same bytes are the same key', () => {
  const bytes = Buffer.alloc(32, 7);
  const forms = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')];
  assert.deepEqual(forms.map(isSecretKey), [true, true, true]);
  assert.equal(new Set(forms.flatMap((form) => createSecretBox([form]).keyIds())).size, 1);
  assert.deepEqual(splitKeys(` ${forms[0]},\n${forms[1]}\n`), forms.slice(0, 2));
  for (const text of ['', 'password', bytes.toString('hex').slice(1), `${forms[1]}A`, 'ü'.repeat(43)])
    assert.equal(isSecretKey(text), false, text);
});
