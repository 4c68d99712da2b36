import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropProtoKeys } from '../../../src/adapters/process/drop-proto-keys.ts';
import { ProtocolBreach } from '../../../src/adapters/process/protocol-breach.ts';

const CASES: readonly [json: string, kept: string][] = [
  ['{"a":1}', '{"a":1}'],
  ['{"__proto__":{"x":1},"a":1}', '{"a":1}'],
  ['[{"b":{"__proto__":null}}]', '[{"b":{}}]'],
  ['{"\\u005f_proto__":{"x":1},"a":[{"__prot\\u006f__":2}]}', '{"a":[{}]}'],
  ['"__proto__"', '"__proto__"'],
  ['{"text":"\\u0000"}', '{"text":"\\u0000"}'],
];

for (const [json, kept] of CASES) test(`${json} becomes ${kept}`, () => assert.equal(dropProtoKeys(json), kept));

test('a value nested too deep for recursion is still searched', () => {
  const depth = 5_000;
  const cleaned = dropProtoKeys(`${'['.repeat(depth)}{"__proto__":1}${']'.repeat(depth)}`);
  assert.equal(cleaned, `${'['.repeat(depth)}{}${']'.repeat(depth)}`);
});

test('text that is no JSON is a breach', () => {
  assert.throws(() => dropProtoKeys('{"__proto__":'), ProtocolBreach);
});
