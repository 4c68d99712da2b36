import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childTraceParent, isTraceParent, readTraceContext } from '../../src/core/trace-parent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

for (const [text, valid] of [
  [`00-${TRACE}-${SPAN}-01`, true],
  [` 00-${TRACE}-${SPAN}-00 `, true],
  [`cc-${TRACE}-${SPAN}-01`, true],
  [`ff-${TRACE}-${SPAN}-01`, false],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, false],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, false],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
  [`00-${TRACE}-${SPAN}-01-x`, false],
  [`00-${TRACE}-${SPAN}`, false],
  [`00-${TRACE}-${SPAN}-0g`, false],
  ['', false],
] as const) {
  test(`traceparent ${JSON.stringify(text)} is ${valid ? 'valid' : 'refused'}`, () =>
    assert.equal(isTraceParent(text), valid));
}

test('a child goes on with the trace and the flags of its parent', () => {
  const parent = `00-${TRACE}-${SPAN}-00`;
  assert.equal(childTraceParent(parent, 'f'.repeat(32), 'a'.repeat(16)), `00-${TRACE}-${'a'.repeat(16)}-00`);
});

test('without a valid parent a new trace starts', () => {
  for (const parent of [null, '', 'nonsense']) {
    assert.equal(childTraceParent(parent, TRACE, SPAN), `00-${TRACE}-${SPAN}-01`);
  }
});

test('the context that somebody else sent is taken when it is one, its state when a header can carry it', () => {
  const traceParent = `00-${TRACE}-${SPAN}-01`;
  assert.deepEqual(readTraceContext(` ${traceParent} `, ' a=1,b=2 '), { traceParent, traceState: 'a=1,b=2' });
  for (const state of [null, undefined, '', '  ', `a=${'x'.repeat(511)}`, 'a=\n1', 'a=\u4e2d', 'a=\u007f']) {
    assert.deepEqual(readTraceContext(traceParent, state), { traceParent, traceState: null }, String(state));
  }
  for (const parent of [null, undefined, '', 'nonsense', `00-${TRACE}-${SPAN}-01-x`]) {
    assert.equal(readTraceContext(parent, 'a=1'), undefined);
  }
});
