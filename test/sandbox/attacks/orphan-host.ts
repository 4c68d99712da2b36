/**
 * A host whose lane hangs inside one native operation, which no soft limit ends. Says which lanes it has, then waits to
 * be killed.
 */
import process from 'node:process';
import { liveLanes } from '../../support/lane-leaks.ts';
import { openLanes, RecordingSink, reply, runStart } from '../../support/lanes.ts';

const HANG = 'V8.Method.NewUlid(); return Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)';
const PATIENT = { wallMs: 600_000, cpuMs: 600_000 };

const pool = await openLanes(1);
const slot = await pool.acquire('demo', {});
const sink = new RecordingSink(() => {
  process.stdout.write(`${JSON.stringify(liveLanes())}\n`);
  return reply(null);
});
await slot.run(runStart(HANG, { limits: PATIENT }), sink);
