import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

for (const [how, argument] of [
  ['by the kernel', 'wrapped'],
  ['by the reaper where the kernel cannot', 'unwrapped'],
] as const) {
  test(`lanes die with a host that was killed, also one in an endless loop: ${how}`, async () => {
    const program = fileURLToPath(new URL('orphan-host.ts', import.meta.url));
    const host = spawn(process.execPath, [program, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(host.stdout, 'data')) as [Buffer];
    const pids = JSON.parse(line.toString()) as number[];
    assert.ok(pids.length > 0);
    host.kill('SIGKILL');
    for (let i = 0; i < 400 && pids.some((pid) => existsSync(`/proc/${pid}`)); i++) await sleep(50);
    assert.deepEqual(
      pids.filter((pid) => existsSync(`/proc/${pid}`)),
      [],
    );
  });
}
