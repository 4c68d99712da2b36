/** `v8host dev`: each change of a project is pushed, what is refused is told, and the log is followed meanwhile. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';
import { HOST_TOKEN, HostProcess } from '../support/host-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const PATIENCE_MS = 60_000;

test('a project is pushed whenever it changes, and its log is shown', { timeout: 240_000 }, async (t) => {
  const host = await HostProcess.create(tempDir(t));
  t.after(() => host.kill());
  await host.start();
  const dir = join(tempDir(t), 'scripts');
  mkdirSync(dir);
  const write = (text: string): void => writeFileSync(join(dir, 'greet.js'), text);
  const runs = async () => (await host.api('POST', 'tenants/demo/engines/greet/run', {})).body.Data;

  write('return { Code: 1, Data: 1 };\n');
  const env = { V8HOST_URL: `http://127.0.0.1:${host.port}`, V8HOST_TOKEN: HOST_TOKEN, LANG: 'C' };
  const child = spawn(process.execPath, [MAIN, 'dev', dir], { cwd: dir, env });
  t.after(() => void child.kill('SIGKILL'));
  let shown = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const untilShown = (text: RegExp) => eventually(() => assert.match(shown, text), PATIENCE_MS);
  await untilShown(/added: engine greet/);
  assert.equal(await runs(), 1);

  write("console.log('said by greet');\nreturn { Code: 1, Data: 2 };\n");
  await untilShown(/changed: engine greet/);
  assert.equal(await runs(), 2);
  await untilShown(/greet {2}said by greet/);

  write('return {;\n');
  await untilShown(/greet\.js:1:\d+ .*syntax error/);
  assert.equal(await runs(), 2, 'what does not compile was stored');
  write('return { Code: 1, Data: 3 };\n');
  await eventually(async () => assert.equal(await runs(), 3), PATIENCE_MS);

  const ended = once(child, 'exit');
  child.kill('SIGINT');
  assert.deepEqual(await ended, [null, 'SIGINT']);
});
