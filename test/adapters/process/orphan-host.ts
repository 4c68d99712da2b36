/** A host that starts a script which never ends, says which lanes it has, and waits to be killed. */
import process from 'node:process';
import { liveLanes } from '../../support/lane-leaks.ts';
import { openLanes, RecordingSink, reply, runStart } from '../../support/lanes.ts';

const pool = await openLanes(1);
const slot = await pool.acquire('demo', {});
const sink = new RecordingSink(() => {
  process.stdout.write(`${JSON.stringify(liveLanes())}\n`);
  return reply(null);
});
await slot.run(runStart('V8.Method.NewUlid(); while (true) {}', { limits: { wallMs: 60_000 } }), sink);
