import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../support/eventually.ts';

const SETPRIV = '/usr/bin/setpriv';

test('a lane hung in a native operation dies with a host that was killed', async (t) => {
  // Without it nothing can end the operation: docs/sandbox.md says so.
  assert.ok(existsSync(SETPRIV), 'this machine has setpriv (util-linux)');
  const program = fileURLToPath(new URL('orphan-host.ts', import.meta.url));
  const host = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => host.kill('SIGKILL'));
  const [line] = (await once(host.stdout, 'data')) as [Buffer];
  const pids = JSON.parse(line.toString()) as number[];
  assert.ok(pids.length > 0);
  host.kill('SIGKILL');
  await eventually(() => assert.deepEqual(pids.filter(isAlive), []));
});

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}
