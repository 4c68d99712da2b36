import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compareFilters,
  filterMatches,
  shortTopic,
  type TopicScope,
  toTopicFilter,
  toTopicName,
} from '../../src/core/mqtt-topic.ts';
import { sameTenant } from '../../src/core/tenant.ts';
import { readCases } from '../support/cases.ts';

interface Context {
  readonly tenant: string;
  readonly otherTenants: readonly string[];
  readonly reject: string;
}

const context = JSON.parse(
  readFileSync(new URL('../fixtures/cases/mqtt-topics.context.json', import.meta.url), 'utf8'),
) as Context;

const SCOPE: TopicScope = {
  tenant: context.tenant,
  isOtherTenant: (name) => context.otherTenants.some((other) => sameTenant(other, name)),
};

const PREFIX = 'tenant/tenant_a/';

for (const { input, publish, subscribe } of readCases<{ input: string; publish: string; subscribe: string }>(
  'mqtt-topics.json',
)) {
  test(`topic ${JSON.stringify(input)}`, () => {
    const name = toTopicName(input, SCOPE);
    const filter = toTopicFilter(input, SCOPE);
    assert.equal(name.ok ? name.value : context.reject, publish);
    assert.equal(filter.ok ? filter.value : context.reject, subscribe);
  });
}

test('rows of the specification that the shared cases leave out', () => {
  const accepted: readonly (readonly [string, string])[] = [
    ['///sensor/t', 'sensor/t'],
    ['/ sensor', 'sensor'],
    ['/ / sensor', 'sensor'],
    ['Tenant_A/sensor', 'sensor'],
    ['tenant/tenant_a/tenant/tenant_b/x', 'tenant/tenant_b/x'],
    ['$SYS', '$SYS'],
    ['$queue/t', '$queue/t'],
  ];
  for (const [input, path] of accepted) {
    const name = toTopicName(input, SCOPE);
    assert.ok(name.ok, input);
    assert.equal(name.value, PREFIX + path);
  }
  const refused = ['tenant/tenant_a', './a', '$sys/x', 'tenant/+/x', `a/${'b/'.repeat(100)}c`, 'x'.repeat(4_097), '\0'];
  for (const input of refused) {
    assert.equal(toTopicName(input, SCOPE).ok, false, input.slice(0, 30));
    assert.equal(toTopicFilter(input, SCOPE).ok, false, input.slice(0, 30));
  }
});

test('a refusal says whether the topic is foreign, reserved or wrong', () => {
  const codes = ['tenant_b/x', '$share/g/t', 'a//b'].map((input) => {
    const name = toTopicName(input, SCOPE);
    return name.ok ? '' : name.error.code;
  });
  assert.deepEqual(codes, ['TOPIC_FOREIGN', 'TOPIC_RESERVED', 'TOPIC_INVALID']);
});

const PIECE = fc.oneof(
  fc.constantFrom('tenant', 'tenant_a', 'TENANT_A', 'tenant_b', 'Factory-A', '..', '.', '', '#', '+', '$SYS', '$share'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const TOPIC = fc.array(PIECE, { maxLength: 6 }).map((pieces) => pieces.join('/'));

test('no topic leaves the prefix of its tenant, and twice is once', () => {
  fc.assert(
    fc.property(TOPIC, (input) => {
      for (const rule of [toTopicName, toTopicFilter]) {
        const first = rule(input, SCOPE);
        if (!first.ok) continue;
        assert.ok(first.value.startsWith(PREFIX) && first.value.length > PREFIX.length);
        assert.equal(/(^|\/)\.\.?(\/|$)|\/\//.test(first.value), false);
        assert.deepEqual(rule(first.value, SCOPE), first);
      }
    }),
    { numRuns: 20_000 },
  );
});

test('filters and short forms', () => {
  const takes: readonly (readonly [string, string, boolean])[] = [
    ['tenant/a/#', 'tenant/a/x/y', true],
    ['tenant/a/x/#', 'tenant/a/x', true],
    ['tenant/a/+', 'tenant/a/x', true],
    ['tenant/a/+', 'tenant/a/x/y', false],
    ['tenant/a/+/y', 'tenant/a/x/y', true],
    ['tenant/a/x', 'tenant/a/x', true],
    ['tenant/a/x', 'tenant/a/X', false],
    ['tenant/a/x/y', 'tenant/a/x', false],
  ];
  for (const [filter, topic, expected] of takes) assert.equal(filterMatches(filter, topic), expected, filter);
  assert.equal(shortTopic('tenant/tenant_a/x/y', 'Tenant_A'), 'x/y');
});

test('filters that take one topic have an order: a name before +, + before #, level by level', () => {
  const sorted = ['a/b/c', 'a/b/+', 'a/b/#', 'a/+/c', 'a/+/#', 'a/#', '+/b/c', '+/#', '#'];
  assert.deepEqual([...sorted].reverse().sort(compareFilters), sorted);
  const level = fc.constantFrom('a', 'b', '+');
  const filter = fc
    .tuple(fc.array(level, { maxLength: 3 }), fc.boolean())
    .map(([levels, isOpen]) => [...levels, ...(isOpen || levels.length === 0 ? ['#'] : [])].join('/'));
  const topic = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 4 }).map((levels) => levels.join('/'));
  fc.assert(
    fc.property(filter, filter, topic, (one, other, taken) => {
      fc.pre(one !== other && filterMatches(one, taken) && filterMatches(other, taken));
      assert.notEqual(compareFilters(one, other), 0, `${one} and ${other} take ${taken}`);
    }),
  );
});
