import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EngineRunner } from '../../src/ports/engine-runner.ts';
import { openLanes, returnedBy } from '../support/lanes.ts';

let lanes: EngineRunner;
before(async () => {
  lanes = await openLanes();
});
after(() => lanes.close());

const ANSWER = { Content: '订a', Headers: [], StatusCode: 200, ErrorMessage: null };

/** Runs an expression over `r`, the response that the host gives as this JSON. */
function over(expression: string, answer: object = ANSWER, call = 'V8.Http.GetResponse'): Promise<unknown> {
  const options = { call: () => ({ kind: 'reply', json: JSON.stringify(answer) }) as const };
  return returnedBy(lanes, `var r = await ${call}('http://a.test/'); return ${expression};`, options);
}

test('RawBytes are those of the text where the host sends no others', async () => {
  assert.deepEqual(await over('Array.from(r.RawBytes)'), [0xe8, 0xae, 0xa2, 0x61]);
  assert.equal(await over('System.Convert.ToBase64String(r.RawBytes)'), '6K6iYQ==');
});

test('RawBytes are those the host sends as Base64', async () => {
  const binary = { ...ANSWER, Content: '', RawBytes: 'iVBORw0KGgr/' };
  assert.deepEqual(await over('[r.RawBytes.length, r.RawBytes[0], r.Content]', binary), [9, 0x89, '']);
  assert.equal(await over('System.Convert.ToBase64String(r.RawBytes)', binary), 'iVBORw0KGgr/');
  assert.equal(await over('r.RawBytes === r.RawBytes', binary), true);
});

test('RawBytes are on every response, also on those that a promise brings', async () => {
  for (const verb of ['Get', 'Post', 'Patch', 'Put', 'Delete', 'Head']) {
    for (const name of [`${verb}Response`, `${verb}ResponseAsync`]) {
      assert.equal(await over('r.RawBytes.length', ANSWER, `V8.Http.${name}`), 4, name);
    }
  }
});

test('RawBytes are no part of a response’s JSON', async () => {
  assert.equal(await over('JSON.stringify(r)'), JSON.stringify(ANSWER));
  assert.equal(await over('JSON.stringify(r)', { ...ANSWER, RawBytes: 'AA==' }), JSON.stringify(ANSWER));
});

test('a call that was not sent is answered as it is', async () => {
  assert.equal(await over('typeof r.RawBytes + r.Code', { Code: 0, Data: null, Msg: 'too large' }), 'undefined0');
});

test('a script that replaces built-ins still gets the bytes, and nothing of the platform', async () => {
  const script = `Object.defineProperty = Object.hasOwn = Uint8Array.fromBase64 = Reflect.apply = () => { throw 1 };
    Promise.prototype.then = () => { throw 1 };
    var r = V8.Http.GetResponse('http://a.test/');
    var getter = Object.getOwnPropertyDescriptor(r, 'RawBytes').get;
    return [r.RawBytes.length, Object.isFrozen(getter), 'prototype' in getter, String(getter).includes('native code')];`;
  const options = { call: () => ({ kind: 'reply', json: JSON.stringify({ ...ANSWER, RawBytes: 'AAEC' }) }) as const };
  assert.deepEqual(await returnedBy(lanes, script, options), [3, true, false, true]);
});
