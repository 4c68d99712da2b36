/** The host against a lane that is no longer ours: whatever it says, only its own run is lost. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createLanePool } from '../../../src/adapters/process/lane-pool.ts';
import type { RunOutcome } from '../../../src/core/run-outcome.ts';
import { judgeDelivery } from '../../../src/core/verdict.ts';
import type { EngineRunner } from '../../../src/ports/engine-runner.ts';
import { childrenOf } from '../../support/child-processes.ts';
import { eventually } from '../../support/eventually.ts';
import { endOf, RecordingSink, runStart, SILENT_LOG } from '../../support/lanes.ts';
import { ATTACK_LIMITS } from './attack.ts';
import { findPollution, readHostPrototypes } from './host-prototypes.ts';

const PROGRAM = fileURLToPath(new URL('hostile-lane.ts', import.meta.url));

let pool: EngineRunner;
before(async () => {
  const command = { file: process.execPath, args: [PROGRAM], env: {} };
  pool = await createLanePool({ lanes: 1, rssMb: 250, timezone: 'UTC', log: SILENT_LOG, command });
});
after(async () => {
  await pool.close();
  await eventually(() => assert.deepEqual(childrenOf(process.pid), [], 'no lane outlives its pool'));
});

interface Expectation {
  readonly ends: string;
  /** Calls and log lines that reached the host's side of the run. */
  readonly calls?: number;
  readonly lines?: number;
  readonly json?: string;
  readonly wallMs?: number;
}

/** Time enough on a crowded machine for what must end by itself. */
const PATIENT_WALL_MS = 30_000;

const CRASH: Expectation = { ends: 'V8_PROCESS_CRASH' };

const MODES: Readonly<Record<string, Expectation>> = {
  'a call of another run': CRASH,
  'the end of another run': CRASH,
  'a frame of an unknown type': CRASH,
  'a frame of 4 GB': CRASH,
  'a text that is not UTF-8': CRASH,
  'a call that does not exist': CRASH,
  'a call named after an inherited member': CRASH,
  'arguments beyond their limit': CRASH,
  'a second call before the first is answered': { ...CRASH, calls: 1 },
  'a log without end': { ...CRASH, lines: ATTACK_LIMITS.logLines },
  'a log line of no level': CRASH,
  'an end that is not JSON': CRASH,
  'an end without an outcome': CRASH,
  'an end of an unknown kind': CRASH,
  'an end as a compilation': CRASH,
  'an end without a line': CRASH,
  'an end that says it never began': CRASH,
  'a limit without its error': CRASH,
  'a limit of an unknown code': CRASH,
  'a throw without its error': CRASH,
  'a throw of 20 MB': CRASH,
  'an end of an inherited kind': CRASH,
  'an end whose warnings are no list': CRASH,
  'its beginning twice': CRASH,
  'its beginning after work of its own': { ends: 'returned', json: '{"Code":1}' },
  'a result with __proto__': { ends: 'returned', json: '{"Code":1}' },
  'a result beyond its limit': { ends: 'V8_RESULT_TOO_LARGE' },
  'a result that is not JSON': CRASH,
  'its own end without a word': CRASH,
  'nothing for ever': { ends: 'V8_TIMEOUT', wallMs: ATTACK_LIMITS.wallMs },
};

for (const [mode, expected] of Object.entries(MODES)) {
  test(`a lane that sends ${mode}`, async () => {
    const prototypes = readHostPrototypes();
    const sink = new RecordingSink(() => new Promise(() => undefined));
    const outcome = await runOn(mode, expected.wallMs ?? PATIENT_WALL_MS, sink);
    assert.equal(endOf(outcome), expected.ends, JSON.stringify(outcome).slice(0, 300));
    if (expected.json !== undefined) assert.deepEqual(outcome, { kind: 'returned', json: expected.json });
    else assert.equal(judgeDelivery(outcome, { engineKey: 'engine', legacyAck: false }).kind, 'failure');
    assert.equal(sink.calls.length, expected.calls ?? 0);
    assert.equal(sink.lines.length, expected.lines ?? 0);
    assert.equal(findPollution(prototypes), undefined, 'the host is as it was');
  });
}

async function runOn(mode: string, wallMs: number, sink: RecordingSink): Promise<RunOutcome> {
  const slot = await pool.acquire('attacker', {});
  try {
    const limits = { ...ATTACK_LIMITS, wallMs, argumentBytes: 1_000 };
    return await slot.run(runStart('', { engineKey: mode, limits }), sink);
  } finally {
    slot.release();
  }
}
