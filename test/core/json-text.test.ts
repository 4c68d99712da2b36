import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonFault } from '../../src/core/json-fault.ts';
import { topLevelMembers } from '../../src/core/json-scan.ts';
import { memberText, parseJson, utf8 } from '../../src/core/json-text.ts';
import { accepted, refused } from '../support/parsed.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

for (const [text, value] of [
  ['{"a":[1,"x",null,true]}', { a: [1, 'x', null, true] }],
  ['\uFEFF{"a":1}', { a: 1 }],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['[-9007199254740992]', ['-9007199254740992']],
  ['{"id":7615917337495251231}', { id: '7615917337495251231' }],
  ['1234567890123456.25', 1234567890123456.2],
  ['[1e400]', ['1e400']],
  ['"\\u00e9 1234567890123456789"', 'é 1234567890123456789'],
] as const) {
  test(`JSON ${text.slice(0, 40)} reads exactly`, () => assert.deepEqual(accepted(parseJson(text)), value));
}

test('__proto__ members are dropped, however they are written', () => {
  const escaped = [...'__proto__'].map((letter, at, name) => {
    const code = letter.charCodeAt(0).toString(16);
    return [...name.slice(0, at), `\\u00${at % 2 === 0 ? code : code.toUpperCase()}`, ...name.slice(at + 1)].join('');
  });
  for (const name of ['__proto__', ...escaped]) {
    const text = `{"${name}":{"admin":true},"a":1}`;
    assert.equal(Object.keys(JSON.parse(text))[0], '__proto__');
    const value = accepted(parseJson(text)) as Record<string, unknown>;
    assert.deepEqual(Object.keys(value), ['a']);
    assert.equal(value.admin, undefined);
  }
});

test('depth 256 is read, depth 257 and 100,000 are refused at the bracket', () => {
  accepted(parseJson(nested(256)));
  for (const depth of [257, 100_000]) {
    const error = refused(parseJson(nested(depth)));
    assert.equal(error.code, 'JSON_INVALID');
    assert.equal(error.params.position, 257);
  }
});

test('more than 500,000 values are refused where the first one too many begins, whatever they are', () => {
  const list = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`;
  assert.equal((accepted(parseJson(list(499_999, '0'))) as unknown[]).length, 499_999);
  for (const [text, position] of [
    [list(3_000_000, '0'), 999_999],
    [`\uFEFF${list(600_000, '0')}`, 1_000_000],
    [list(400_000, '[]'), 2 + 249_999 * 3],
    [`{${Array(600_000).fill('"a":1').join(',')}}`, 1 + 499_999 * 6],
  ] as const) {
    const error = refused(parseJson(text));
    assert.equal(error.code, 'JSON_INVALID');
    assert.equal(error.params.position, position, text.slice(0, 8));
    assert.match(String(error.params.rule), /more than 500000 values/);
  }
  assert.equal(accepted(parseJson(JSON.stringify(','.repeat(3_000_000)))), ','.repeat(3_000_000), 'commas of a text');
  assert.equal((accepted(parseJson(list(600_000, '0'), Number.POSITIVE_INFINITY)) as unknown[]).length, 600_000);
});

test('brackets inside strings are no depth', () => {
  assert.equal(accepted(parseJson(JSON.stringify(`${'['.repeat(1000)}\\"{`))), `${'['.repeat(1000)}\\"{`);
});

for (const [text, position] of [
  ['', 1],
  ['{"a":', 6],
  ['{"a":1,}', 8],
  ["{'a':1}", 2],
  ['[1 2]', 4],
  ['{"a" 1}', 6],
  ['tru', 1],
  ['01', 2],
  ['[1]x', 4],
  ['"a\nb"', 3],
  ['"\\x"', 2],
  ['"open', 6],
  ['\uFEFF[,', 3],
] as const) {
  test(`JSON ${JSON.stringify(text)} is refused at character ${position}`, () => {
    assert.equal(refused(parseJson(text)).params.position, position);
  });
}

test('a refusal does not quote the text', () => {
  assert.doesNotMatch(JSON.stringify(refused(parseJson('{"password":secret}'))), /secret|password/);
});

test('whatever JSON.stringify writes has no fault and reads back', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      assert.equal(findJsonFault(text), text.length);
      if (!/\d{16}|__proto__|e[+]/.test(text)) assert.deepEqual(accepted(parseJson(text)), JSON.parse(text));
    }),
  );
});

test('our reader and JSON.parse refuse the same texts', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'{}[]",:\\u01-.eE tfnrualse\n'), maxLength: 12 });
  fc.assert(
    fc.property(texts, (text) => {
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      assert.equal(parseJson(text).ok, valid);
      assert.equal(valid && findJsonFault(text) < text.length, false);
    }),
    { numRuns: 1000 },
  );
});

for (const [json, text] of [
  ['{"Message":{"id":7615917337495251231}}', '{"id":7615917337495251231}'],
  ['{ "a" : "}" , "Message" :  [1, 2 ,"]\\""]  , "b":2}', '[1, 2 ,"]\\""]'],
  ['{"Message":1,"Message":2}', '2'],
  ['{"\\u004dessage":"x"}', '"x"'],
  ['{"a":{"Message":1}}', undefined],
  ['{"Message":null}', 'null'],
  ['\uFEFF {"Message":1.50}', '1.50'],
  ['{}', undefined],
  ['[{"Message":1}]', undefined],
  ['"Message"', undefined],
] as const) {
  test(`the Message of ${JSON.stringify(json)} is ${text}`, () => assert.equal(memberText(json, 'Message'), text));
}

test('member texts parse to the members, in order', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(objects, fc.constantFrom(0, 2), (value, indent) => {
      const json = JSON.stringify(value, null, indent);
      const members = topLevelMembers(json).map(({ name, text }) => [name, JSON.parse(text)]);
      assert.deepEqual(members, Object.entries(JSON.parse(json)));
    }),
  );
});

test('bytes are read as UTF-8 or not at all', () => {
  assert.equal(utf8(new TextEncoder().encode('\uFEFF接收')), '接收');
  assert.equal(utf8(Uint8Array.of(0xff, 0xfe)), undefined);
  assert.equal(utf8(Uint8Array.of(0xed, 0xa0, 0x80)), undefined, 'an encoded surrogate');
  assert.equal(utf8(new Uint8Array()), '');
});
