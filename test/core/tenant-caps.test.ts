import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAP_NAMES, parseTenantCap, tenantCapsOf } from '../../src/core/tenant-caps.ts';

/** [text, tenant, limit, value] */
const ACCEPTED: readonly [string, string, string, number][] = [
  ['factory.wallSeconds=30', 'factory', 'wallMs', 30_000],
  [' Factory . heapMb = 64 ', 'factory', 'heapMb', 64],
  ['a.resultKb=2', 'a', 'resultBytes', 2_048],
  ['a.hostCallsPerSecond=10', 'a', 'hostCallsPerSecond', 10],
];

for (const [text, tenant, limit, value] of ACCEPTED) {
  test(`a tenant's cap: ${text}`, () => {
    assert.deepEqual(parseTenantCap(text), { ok: true, value: { tenant, limit, value } });
  });
}

/** [text, what the refusal says] */
const REFUSED: readonly [string, RegExp][] = [
  ['', /TENANT\.NAME=NUMBER/],
  ['wallSeconds=30', /TENANT\.NAME=NUMBER/],
  ['a.wallSeconds', /TENANT\.NAME=NUMBER/],
  ['a.wallSecond=3', /no cap wallSecond; use wallSeconds/],
  ['a.constructor=3', /no cap constructor/],
  ['a.wallSeconds=0', /whole number from 1/],
  ['a.wallSeconds=1.5', /whole number/],
  ['a.wallSeconds=-1', /whole number/],
  ['a.wallSeconds=', /whole number/],
  ['a.hostCallsPerSecond=9', /from 10/],
  ['a b.wallSeconds=3', /./],
];

for (const [text, rule] of REFUSED) {
  test(`no cap of a tenant: "${text}"`, () => {
    const parsed = parseTenantCap(text);
    assert.ok(!parsed.ok);
    if (parsed.error.code === 'PARAM_INVALID') assert.match(String(parsed.error.params.rule), rule);
    else assert.equal(parsed.error.code, 'TENANT_INVALID');
  });
}

test('of two caps for one limit the lower one counts, tenants apart', () => {
  const caps = ['a.wallSeconds=9', 'A.wallSeconds=3', 'a.nesting=2', 'b.wallSeconds=5'].map((text) => {
    const parsed = parseTenantCap(text);
    assert.ok(parsed.ok);
    return parsed.value;
  });
  assert.deepEqual(
    [...tenantCapsOf(caps)],
    [
      ['a', { wallMs: 3_000, nesting: 2 }],
      ['b', { wallMs: 5_000 }],
    ],
  );
});

test('every name can be set', () => {
  for (const name of CAP_NAMES) assert.ok(parseTenantCap(`a.${name}=1000`).ok, name);
});
