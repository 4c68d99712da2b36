import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEnabled, parseEngineKey } from '../../src/core/engine.ts';
import { decodeEngineSource } from '../../src/core/engine-source.ts';
import { accepted, refused } from '../support/parsed.ts';

for (const [raw, key] of [
  ['stock-reserve', 'stock-reserve'],
  [' Order_1 ', 'Order_1'],
  ['9', '9'],
  ['k'.repeat(50), 'k'.repeat(50)],
] as const) {
  test(`engine key ${JSON.stringify(raw)} is accepted`, () => assert.equal(accepted(parseEngineKey(raw)), key));
}

for (const raw of ['', '-a', '_a', 'a.b', 'a/b', '引擎', 'k'.repeat(51), null, undefined, 5, {}]) {
  test(`engine key ${JSON.stringify(raw)} is refused`, () => {
    assert.equal(refused(parseEngineKey(raw)).code, 'ENGINE_KEY_INVALID');
  });
}

test('null means enabled, and only 1 and true say so', () => {
  assert.deepEqual([null, undefined, true, 1, '1', 'true', 1n].map(isEnabled), Array(7).fill(true));
  assert.deepEqual([false, 0, '0', 'false', '', 'yes', 2].map(isEnabled), Array(7).fill(false));
});

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

for (const source of ['return { Code: 1 };', '// 扣减库存\nreturn {Code:1}', '\uFEFFvar a = 1;\r\n\treturn a;']) {
  test(`${JSON.stringify(source)} is the same plain and as Base64`, () => {
    assert.equal(decodeEngineSource(source), source);
    assert.equal(decodeEngineSource(`${base64(source)}\n`), source.replace('\uFEFF', ''));
  });
}

for (const [why, text] of [
  ['a word that looks like Base64', 'debugger'],
  ['Base64 of bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]).toString('base64')],
  ['Base64 of text that is no script', base64('hello world')],
  ['Base64 of control characters', base64('a=\u0000;')],
  ['Base64 with a break in it', `${base64('return {Code:1};').slice(0, 8)}\n${base64('return {Code:1};').slice(8)}`],
  ['Base64 without its padding', base64('return {Code:1}; //').replace(/=+$/, '')],
  ['nothing', ''],
] as const) {
  test(`${why} stays as it is`, () => assert.equal(decodeEngineSource(text), text));
}
