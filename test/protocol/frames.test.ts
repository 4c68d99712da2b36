import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFrameHeader, decodeFrameText, encodeFrame, FRAME_HEADER_BYTES } from '../../src/protocol/frames.ts';

test('a frame is length, type, run id and text, big-endian', () => {
  const bytes = encodeFrame({ type: 17, runId: 0x01020304, text: 'é' });
  assert.deepEqual([...bytes], [0, 0, 0, 2, 17, 1, 2, 3, 4, 0xc3, 0xa9]);
});

test('what was written is read back, whatever the text', () => {
  for (const text of ['', 'plain', '中文 🎉', '\u0000\n', '"__proto__"', '\ufeffmarked']) {
    const bytes = encodeFrame({ type: 255, runId: 0xffffffff, text });
    const header = decodeFrameHeader(bytes.subarray(0, FRAME_HEADER_BYTES));
    assert.equal(header.type, 255);
    assert.equal(header.runId, 0xffffffff);
    assert.equal(header.textBytes, bytes.byteLength - FRAME_HEADER_BYTES);
    assert.equal(decodeFrameText(bytes.subarray(FRAME_HEADER_BYTES)), text);
  }
});

test('a header is read from the middle of a larger buffer', () => {
  const buffer = new Uint8Array(32);
  buffer.set(encodeFrame({ type: 3, runId: 7, text: '' }), 11);
  assert.deepEqual(decodeFrameHeader(buffer.subarray(11)), { textBytes: 0, type: 3, runId: 7 });
});

test('text that is not UTF-8 is refused', () => {
  assert.throws(() => decodeFrameText(Uint8Array.of(0xff, 0xfe)), TypeError);
});
