import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseLogicalQueue, toLogicalQueue, toPhysicalQueue } from '../../src/core/queue-name.ts';
import { readCases } from '../support/cases.ts';
import { accepted, refused } from '../support/parsed.ts';

const CODES: Readonly<Record<string, string>> = {
  '!tenant': 'TENANT_INVALID',
  '!foreign': 'QUEUE_FOREIGN',
  '!invalid': 'QUEUE_INVALID',
  '!reserved': 'QUEUE_RESERVED',
};

interface NameCase {
  readonly tenant: string;
  readonly input: string | null;
  readonly expect: string;
}

const shorten = (text: string | null) => JSON.stringify(text && text.length > 40 ? `${text.length} characters` : text);

for (const { tenant, input, expect } of readCases<NameCase>('queue-names.json')) {
  test(`queue ${shorten(input)} of tenant ${shorten(tenant)} becomes ${shorten(expect)}`, () => {
    const parsed = toPhysicalQueue(tenant, input);
    if (expect.startsWith('!')) assert.equal(refused(parsed).code, CODES[expect]);
    else assert.equal(accepted(parsed), expect);
  });
}

for (const [tenant, name, code] of [
  ['tenant_a', 'microi.tenant_ab.x', 'QUEUE_FOREIGN'],
  ['tenant_a', 'MICROI.tenant_b.x', 'QUEUE_FOREIGN'],
  ['tenant_a', 'microi.tenant_a.microi.tenant_b.x', 'QUEUE_FOREIGN'],
  ['tenant_a', '-orders', 'QUEUE_INVALID'],
  ['tenant_a', 'or\tders', 'QUEUE_INVALID'],
  ['tenant_a', 'or\u0085ders', 'QUEUE_INVALID'],
  ['tenant_a', undefined, 'QUEUE_INVALID'],
  ['tenant_a', 42, 'QUEUE_INVALID'],
  ['tenant_a', ['orders'], 'QUEUE_INVALID'],
  ['t'.repeat(50), 'a'.repeat(198), 'QUEUE_INVALID'],
  ['tenant_a', 'DLQ', 'QUEUE_RESERVED'],
  ['tenant_a', 'a.DLQ', 'QUEUE_RESERVED'],
  ['tenant_a', 'retry', 'QUEUE_RESERVED'],
  ['tenant_a', 'a.retry', 'QUEUE_RESERVED'],
  ['tenant_a', 'microi.tenant_a.orders.dlq', 'QUEUE_RESERVED'],
  [undefined, 'orders', 'TENANT_INVALID'],
] as const) {
  test(`queue ${shorten(String(name))} of ${shorten(tenant ?? null)} is refused with ${code}`, () => {
    assert.equal(refused(toPhysicalQueue(tenant, name)).code, code);
  });
}

for (const name of ['my-dlq', 'retry.x', 'orders.retry.5x', 'dlq.orders', 'xdlq']) {
  test(`${name} only looks like a reserved name`, () => {
    assert.equal(accepted(toPhysicalQueue('a', name)), `microi.a.${name}`);
  });
}

test('a message about a bad name neither repeats it at length nor breaks the line', () => {
  const { params } = refused(toPhysicalQueue('a', `x\n${'y'.repeat(500)}`));
  assert.ok(String(params.queue).length < 100);
  assert.doesNotMatch(String(params.queue), /\n/);
});

test('the logical name is what the tenant wrote', () => {
  assert.equal(toLogicalQueue('microi.factory-a.Orders.new'), 'Orders.new');
  assert.equal(toLogicalQueue('orders'), 'orders');
});

test('a logical name is checked without a tenant', () => {
  assert.equal(accepted(parseLogicalQueue(' orders ')), 'orders');
  assert.equal(refused(parseLogicalQueue('microi.a.orders')).code, 'QUEUE_FOREIGN');
  assert.equal(refused(parseLogicalQueue('orders.dlq')).code, 'QUEUE_RESERVED');
});

const ALNUM = [...'abcXYZ019'];
const tenants = fc
  .tuple(fc.constantFrom(...ALNUM), fc.string({ unit: fc.constantFrom(...ALNUM, '_', '-'), maxLength: 12 }))
  .map((parts) => parts.join(''));
const names = fc.oneof(
  fc.string({ unit: fc.constantFrom(...ALNUM, '.', '_', '-', ' '), maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.tuple(fc.constantFrom('microi.', 'MICROI.', 'microi.a.', 'microi.X.'), fc.string()).map((parts) => parts.join('')),
);

test('normalising twice is normalising once', () => {
  fc.assert(
    fc.property(tenants, names, (tenant, name) => {
      const once = toPhysicalQueue(tenant, name);
      if (once.ok) assert.deepEqual(toPhysicalQueue(tenant, once.value), once);
    }),
  );
});

test('no name leaves the prefix of its tenant', () => {
  fc.assert(
    fc.property(tenants, names, (tenant, name) => {
      const physical = toPhysicalQueue(tenant, name);
      const prefix = `microi.${tenant.toLowerCase()}.`;
      if (physical.ok)
        assert.ok(physical.value.startsWith(prefix) && !physical.value.slice(prefix.length).startsWith('microi.'));
    }),
  );
});

test('two logical names are two queues, over all tenants', () => {
  fc.assert(
    fc.property(tenants, names, tenants, names, (tenantA, nameA, tenantB, nameB) => {
      const a = toPhysicalQueue(tenantA, nameA);
      const b = toPhysicalQueue(tenantB, nameB);
      if (!a.ok || !b.ok || a.value !== b.value) return;
      assert.equal(tenantA.toLowerCase(), tenantB.toLowerCase());
      assert.equal(toLogicalQueue(a.value), toLogicalQueue(b.value));
    }),
  );
});
