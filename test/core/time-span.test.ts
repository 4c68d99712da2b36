import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTimeSpan } from '../../src/core/time-span.ts';

describe('TimeSpan texts', () => {
  const cases: readonly [text: string, ms: number | undefined][] = [
    ['0.01:00:00', 3_600_000],
    ['01:00:00', 3_600_000],
    ['1:30', 5_400_000],
    ['00:00:01', 1_000],
    ['00:00:00.5', 500],
    ['00:00:00.0000001', 0],
    ['7.00:00:00', 604_800_000],
    ['7:00:00:00', 604_800_000],
    [' 2.03:04:05 ', 183_845_000],
    ['23:59:59.9999999', 86_399_999],
    ['24:00:00', undefined],
    ['00:60:00', undefined],
    ['00:00:60', undefined],
    ['-01:00:00', undefined],
    ['3600', undefined],
    ['1.', undefined],
    ['1h', undefined],
    ['', undefined],
    ['1.2.3:4', undefined],
    ['00:00:00:00:00', undefined],
  ];
  for (const [text, ms] of cases) it(`reads ${JSON.stringify(text)}`, () => assert.equal(parseTimeSpan(text), ms));
});
