import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTenantId, sameTenant, tenantKey } from '../../src/core/tenant.ts';
import { accepted, refused } from '../support/parsed.ts';

for (const [raw, tenant] of [
  ['demo', 'demo'],
  ['  Factory-A\n', 'Factory-A'],
  ['9', '9'],
  ['a_b-c', 'a_b-c'],
  ['t'.repeat(50), 't'.repeat(50)],
] as const) {
  test(`tenant ${JSON.stringify(raw)} is accepted with its case`, () => {
    assert.equal(accepted(parseTenantId(raw)), tenant);
  });
}

for (const raw of ['', ' ', null, undefined, 1, {}, '_a', '-a', 'a.b', 'a:b', 'a b', '租户', 't'.repeat(51), 'a\nb']) {
  test(`tenant ${JSON.stringify(raw)} is refused`, () => {
    assert.equal(refused(parseTenantId(raw)).code, 'TENANT_INVALID');
  });
}

test('tenants differ by more than the case of ASCII letters', () => {
  assert.ok(sameTenant('Factory-A', 'factory-a'));
  assert.ok(!sameTenant('factory-a', 'factory_a'));
  assert.ok(!sameTenant('k', '\u212a'), 'the Kelvin sign is not a k');
  assert.equal(tenantKey('Factory-A'), 'factory-a');
});
