import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toCacheKey } from '../../src/core/cache-key.ts';
import { accepted, refused } from '../support/parsed.ts';

for (const [tenant, name, expected] of [
  ['Factory-A', 'order:1', 'Microi:Factory-A:order:1'],
  ['t1', ' token ', 'Microi:t1:token'],
  ['t1', '订单 1', 'Microi:t1:订单 1'],
  ['t1', 'Order', 'Microi:t1:Order'],
  ['t1', 'Microi:t1:order', 'Microi:t1:order'],
  ['t1', 'MICROI:T1:Order', 'Microi:t1:Order'],
  ['t1', 'Microi:t1:FormData:sys_apiengine:a', 'Microi:t1:FormData:sys_apiengine:a'],
  ['t1', 'SysConfig:t1', 'Microi:t1:SysConfig'],
  ['Factory-A', 'sysconfig:factory-a', 'Microi:Factory-A:SysConfig'],
  ['t1', 'SysConfig:t2', 'Microi:t1:SysConfig:t2'],
  ['t1', 'SysConfig', 'Microi:t1:SysConfig'],
  ['t1', 'SysConfig:t1:x', 'Microi:t1:SysConfig:t1:x'],
  ['t1', 'Microi', 'Microi:t1:Microi'],
  ['t1', 'Microi_x:y', 'Microi:t1:Microi_x:y'],
] as const) {
  test(`key ${JSON.stringify(name)} of tenant ${tenant} becomes ${expected}`, () => {
    assert.equal(accepted(toCacheKey(tenant, name)), expected);
  });
}

for (const [tenant, name, code] of [
  ['t1', 'Microi:t2:order', 'CACHE_KEY_FOREIGN'],
  ['t1', 'MICROI:t2:order', 'CACHE_KEY_FOREIGN'],
  ['t1', 'Microi:t1', 'CACHE_KEY_FOREIGN'],
  ['t1', 'Microi:t11:x', 'CACHE_KEY_FOREIGN'],
  ['t1', 'Microi:', 'CACHE_KEY_FOREIGN'],
  ['t1', ' microi:t2:order', 'CACHE_KEY_FOREIGN'],
  ['t1', 'v8host:lock:t1:engine', undefined],
  ['t1', '', 'CACHE_KEY_INVALID'],
  ['t1', '  ', 'CACHE_KEY_INVALID'],
  ['t1', 'Microi:t1:', 'CACHE_KEY_INVALID'],
  ['t1', 'a\nb', 'CACHE_KEY_INVALID'],
  ['t1', 'a\0b', 'CACHE_KEY_INVALID'],
  ['t1', 'a\u0085b', 'CACHE_KEY_INVALID'],
  ['t1', 'a\ud800', 'CACHE_KEY_INVALID'],
  ['t1', 'x'.repeat(1_025), 'CACHE_KEY_INVALID'],
  ['t1', '订'.repeat(342), 'CACHE_KEY_INVALID'],
  ['t1', undefined, 'CACHE_KEY_INVALID'],
  ['t1', null, 'CACHE_KEY_INVALID'],
  ['t1', 42, 'CACHE_KEY_INVALID'],
  ['t1', ['a'], 'CACHE_KEY_INVALID'],
  ['', 'a', 'TENANT_INVALID'],
  ['a:b', 'a', 'TENANT_INVALID'],
  [undefined, 'a', 'TENANT_INVALID'],
] as const) {
  const shown = JSON.stringify(String(name)).slice(0, 30);
  if (code === undefined) {
    test(`key ${shown} stays inside the tenant`, () => {
      assert.equal(accepted(toCacheKey(tenant, name)), `Microi:${tenant}:${name}`);
    });
    continue;
  }
  test(`key ${shown} of tenant ${JSON.stringify(tenant)} is refused with ${code}`, () => {
    assert.equal(refused(toCacheKey(tenant, name)).code, code);
  });
}

const TENANT = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/);

test('every accepted key lies in its tenant and maps to itself', () => {
  fc.assert(
    fc.property(
      TENANT,
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string().map((text) => `microi:${text}`),
      ),
      (tenant, name) => {
        const parsed = toCacheKey(tenant, name);
        if (!parsed.ok) return;
        assert.ok(parsed.value.startsWith(`Microi:${tenant}:`));
        assert.equal(accepted(toCacheKey(tenant, parsed.value)), parsed.value);
      },
    ),
  );
});

test('no key of one tenant is a key of another', () => {
  fc.assert(
    fc.property(TENANT, TENANT, fc.string(), fc.string(), (first, second, a, b) => {
      fc.pre(first.toLowerCase() !== second.toLowerCase());
      const [one, two] = [toCacheKey(first, a), toCacheKey(second, b)];
      if (one.ok && two.ok) assert.notEqual(one.value, two.value);
    }),
  );
});
