import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStat } from '../../../src/adapters/process/proc-stat.ts';
import { decideWatch, type LaneObservation } from '../../../src/adapters/process/watchdog.ts';
import { DEFAULT_RUN_LIMITS } from '../../../src/core/run-limits.ts';

const LIMITS = { ...DEFAULT_RUN_LIMITS, wallMs: 1000, cpuMs: 400, rssMb: 100 };
const QUIET: LaneObservation = {
  begun: true,
  wallMs: 10,
  cpuMs: 10,
  rssBytes: 50 * 1024 * 1024,
  waitsForHost: false,
  ending: false,
};

function decide(seen: Partial<LaneObservation>): string {
  const decision = decideWatch({ ...QUIET, ...seen }, LIMITS);
  return decision.act === 'leave' ? 'leave' : `${decision.act} ${decision.error.code}`;
}

test('a run inside its limits is left alone', () => assert.equal(decide({}), 'leave'));

test('memory over the ceiling is a kill, also before the run began', () => {
  assert.equal(decide({ rssBytes: 101 * 1024 * 1024 }), 'kill V8_PROCESS_MEMORY');
  assert.equal(decide({ rssBytes: 101 * 1024 * 1024, begun: false }), 'kill V8_PROCESS_MEMORY');
});

test('CPU is killed only beyond what the soft end needs', () => {
  assert.equal(decide({ cpuMs: 750 }), 'leave');
  assert.equal(decide({ cpuMs: 751 }), 'kill V8_CPU_LIMIT');
});

test('a run that waits for the host is told to end at its wall limit', () => {
  assert.equal(decide({ wallMs: 1001, waitsForHost: true }), 'abort V8_TIMEOUT');
  assert.equal(decide({ wallMs: 1001, waitsForHost: true, ending: true }), 'leave');
  assert.equal(decide({ wallMs: 1301, waitsForHost: true, ending: true }), 'kill V8_TIMEOUT');
});

test('a run that does not wait for the host is killed after the grace', () => {
  assert.equal(decide({ wallMs: 1300 }), 'leave');
  assert.equal(decide({ wallMs: 1301 }), 'kill V8_TIMEOUT');
});

test('a lane that does not take its run is killed, and time before the start is not the script’s', () => {
  assert.equal(decide({ begun: false, wallMs: 4000, cpuMs: 9000 }), 'leave');
  assert.equal(decide({ begun: false, wallMs: 5001 }), 'kill SANDBOX_UNAVAILABLE');
});

test('without /proc only the wall limit is watched', () => {
  assert.equal(decide({ cpuMs: undefined, rssBytes: undefined }), 'leave');
  assert.equal(decide({ cpuMs: undefined, rssBytes: undefined, wallMs: 1301 }), 'kill V8_TIMEOUT');
});

test('a stat line is read whatever the process calls itself', () => {
  const fields = Array.from({ length: 50 }, (_, i) => String(i + 3));
  fields[0] = 'R';
  const usage = parseStat(`12 (a) b (c)) ${fields.join(' ')}`, { ticksPerSecond: 100, pageBytes: 4096 });
  assert.deepEqual(usage, { cpuMs: (14 + 15) * 10, rssBytes: 24 * 4096 });
  assert.equal(parseStat('broken', { ticksPerSecond: 100, pageBytes: 4096 }), undefined);
});
