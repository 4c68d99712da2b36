import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { openLanes, returnedBy } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(() => lanes.close());

const VALUES: readonly [expression: string, value: unknown][] = [
  ['V8.Base64.StringToBase64("")', ''],
  ['V8.Base64.StringToBase64("foobar")', 'Zm9vYmFy'],
  ['V8.Base64.StringToBase64("你好")', '5L2g5aW9'],
  ['V8.Base64.StringToBase64("𝄞é")', '8J2EnsOp'],
  ['V8.Base64.StringToBase64("a\\ud800b")', 'Ye+/vWI='],
  ['V8.Base64.StringToBase64(12)', 'MTI='],
  ['V8.Base64.StringToBase64(null)', null],
  ['V8.Base64.Base64ToString("Zm9vYmFy")', 'foobar'],
  ['V8.Base64.Base64ToString("Zm9vYg==")', 'foob'],
  ['V8.Base64.Base64ToString("Zm9vYmE=")', 'fooba'],
  ['V8.Base64.Base64ToString("")', ''],
  ['V8.Base64.Base64ToString("not base64")', 'not base64'],
  ['V8.Base64.Base64ToString("Zm9vYg=")', 'Zm9vYg='],
  ['V8.Base64.Base64ToString("Zm9v Yg==")', 'Zm9v Yg=='],
  ['V8.Base64.Base64ToString("Z===")', 'Z==='],
  ['V8.Base64.Base64ToString(null)', null],
  ['V8.Base64.Base64ToString(5)', 5],
  // A plain word that looks like Base64 is decoded, as on the platform.
  ['V8.Base64.Base64ToString("user")', new TextDecoder().decode(Buffer.from('user', 'base64'))],
];

for (const [expression, value] of VALUES) {
  test(`${expression} is ${JSON.stringify(value)}`, async () => {
    assert.deepEqual(await returnedBy(lanes, `return ${expression}`), value);
  });
}

test('every text comes back, and equals what Node makes of it', async () => {
  const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), { numRuns: 300, seed: 7 });
  const encoded = await returnedBy(lanes, 'return V8.Param.map((t) => V8.Base64.StringToBase64(t))', {
    input: { Param: texts },
  });
  assert.deepEqual(
    encoded,
    texts.map((text) => Buffer.from(text, 'utf8').toString('base64')),
  );
  const decoded = await returnedBy(lanes, 'return V8.Param.map((t) => V8.Base64.Base64ToString(t))', {
    input: { Param: encoded as string[] },
  });
  assert.deepEqual(
    decoded,
    texts.map((text) => text.toWellFormed()),
  );
});

test('ill-formed UTF-8 is read as TextDecoder reads it', async () => {
  const samples = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 12 }), { numRuns: 400, seed: 11 });
  const edges = [
    'c080',
    'e08080',
    'eda080',
    'f0808080',
    'f4908080',
    'f5',
    'e4bd',
    'f09d84',
    'ff41',
    'c3',
    '80',
    'e4bd41',
  ];
  const bytes = [...samples, ...edges.map((hex) => Buffer.from(hex, 'hex'))];
  const texts = await returnedBy(lanes, 'return V8.Param.map((t) => V8.Base64.Base64ToString(t))', {
    input: { Param: bytes.map((sample) => Buffer.from(sample).toString('base64')) },
  });
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  assert.deepEqual(
    texts,
    bytes.map((sample) => decoder.decode(sample)),
  );
});

test('a script that replaces the built-ins spoils nothing', async () => {
  const source = `
    Uint8Array.prototype.toBase64 = () => 'x'; Uint8Array.fromBase64 = () => [1]; String.fromCharCode = () => 'y';
    String.prototype.charCodeAt = () => 65; Array.prototype.slice = () => [];
    Object.defineProperty(Object.prototype, 'code', { set() { throw 1 }, configurable: true });
    return [V8.Base64.StringToBase64('你好'), V8.Base64.Base64ToString('5L2g5aW9')];`;
  assert.deepEqual(await returnedBy(lanes, source), ['5L2g5aW9', '你好']);
});
