/**
 * A host that starts a script which never ends, says which lanes it has, and waits to be killed. With the argument
 * `unwrapped` its lanes are started as where there is no setpriv.
 */
import process from 'node:process';
import { laneCommand } from '../../../src/adapters/process/lane-command.ts';
import { liveLanes } from '../../support/lane-leaks.ts';
import { openLanes, RecordingSink, reply, runStart } from '../../support/lanes.ts';

const command = laneCommand('UTC', { wrappers: process.argv[2] !== 'unwrapped' });
const pool = await openLanes(1, { command });
const slot = await pool.acquire('demo', {});
const sink = new RecordingSink(() => {
  process.stdout.write(`${JSON.stringify(liveLanes())}\n`);
  return reply(null);
});
// Beyond its soft timeout, too: nothing inside the lane ends it.
await slot.run(runStart('V8.Method.NewUlid(); while (true) {}', { limits: { wallMs: 600_000, cpuMs: 120_000 } }), sink);
