import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockFinding } from '../../src/core/finding.ts';

test('a clock may be 2 s apart, is told of up to 30 s, and is a problem beyond, to either side', () => {
  const level = (ms: number) => clockFinding('db', ms).level;
  for (const sign of [1, -1]) {
    assert.deepEqual(
      [0, 2_000, 2_001, 30_000, 30_001].map((ms) => level(sign * ms)),
      ['ok', 'ok', 'notice', 'notice', 'problem'],
    );
  }
  assert.match(clockFinding('db', -45_000).text.en, /^its clock is 45\.0 s behind this machine's: run NTP/);
  assert.match(clockFinding('db', 5_400).text.zh, /^其时钟比本机快 5\.4 秒：在两台机器上启用 NTP/);
});
