import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameReader } from '../../../src/adapters/process/frame-reader.ts';
import { ProtocolBreach } from '../../../src/adapters/process/protocol-breach.ts';
import { encodeFrame, MAX_FRAME_TEXT_BYTES } from '../../../src/protocol/frames.ts';

const FRAMES = [
  { type: 18, runId: 1, text: 'log\nhello 中文' },
  { type: 16, runId: 0, text: '' },
  { type: 19, runId: 4_000_000_000, text: 'x'.repeat(1000) },
];

test('frames are found however the bytes are cut', () => {
  const bytes = Buffer.concat(FRAMES.map(encodeFrame));
  for (const step of [1, 2, 8, 9, 10, 333, bytes.length]) {
    const reader = new FrameReader();
    const found = [];
    for (let at = 0; at < bytes.length; at += step) found.push(...reader.push(bytes.subarray(at, at + step)));
    assert.deepEqual(found, FRAMES, `cut every ${step} bytes`);
  }
});

test('a frame longer than any honest one is a breach before its bytes come', () => {
  const header = Buffer.alloc(9);
  header.writeUInt32BE(MAX_FRAME_TEXT_BYTES + 1, 0);
  assert.throws(() => new FrameReader().push(header), ProtocolBreach);
});

test('a frame that is not UTF-8 is a breach', () => {
  const bytes = Buffer.from(encodeFrame({ type: 18, runId: 1, text: 'ab' }));
  bytes[9] = 0xff;
  assert.throws(() => new FrameReader().push(bytes), ProtocolBreach);
});
