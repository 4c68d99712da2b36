/** Versions and the log by the command line, against a real host. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { HOST_TOKEN, openApi } from '../support/api-host.ts';
import { endOf, runCli } from '../support/command-line.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';

test('an engine is looked through, compared and brought back', async (t) => {
  const api = await openApi(t);
  await api.host.host.start();
  const url = await api.server.listen({ port: 0, host: '127.0.0.1' });
  const env = { V8HOST_URL: url, V8HOST_TOKEN: HOST_TOKEN, LANG: 'en_US.UTF-8' };
  const cli = (...args: string[]) => runCli([...args, '--tenant', 'demo'], { cwd: api.dataDir, env });
  for (const n of [1, 2]) await api.data('PUT', 'tenants/demo/engines/price', { source: `// price\nreturn ${n};` });
  const listed = await cli('versions', 'price');
  assert.deepEqual([listed.code, listed.err], [0, '']);
  const [head, second, first] = listed.out.trim().split('\n');
  assert.match(head ?? '', /^NO +TIME +FROM +AUTHOR +VERSION$/);
  assert.match(second ?? '', /^2 +\d{4}-\d\d-\d\d [\d:.]+ +save +host +[0-9a-f]{12}$/);
  assert.match(first ?? '', /^1 /);
  const diff = await cli('versions', 'price', '--diff', '1');
  assert.equal(diff.out, '  // price\n- return 1;\n+ return 2;\n');
  const back = await cli('rollback', 'price', '1');
  assert.match(back.out, /^price is version 3 now \([0-9a-f]{12}\)\n$/);
  assert.equal(await api.data('POST', 'tenants/demo/engines/price/run', {}), 1);
  assert.match((await cli('versions', 'price')).out, /rollback 1/);
  assert.deepEqual([(await cli('rollback', 'price', 'x')).code, (await cli('rollback', 'price', '9')).code], [2, 4]);
  assert.equal((await cli('versions', 'nobody')).code, 4);
});

test('logs --follow shows what the stream brings', async (t) => {
  const api = await openApi(t);
  await api.host.push({ 'say.js': 'console.log("line " + V8.Param.N); return { Code: 1 };' });
  await api.host.host.start();
  const url = await api.server.listen({ port: 0, host: '127.0.0.1' });
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const env = { ...PROGRAM_ENVIRONMENT, V8HOST_URL: url, V8HOST_TOKEN: HOST_TOKEN };
  await api.data('POST', 'tenants/demo/engines/say/run', { N: 1 });
  const child = spawn(process.execPath, [main, 'logs', '--follow', '--tenant', 'demo'], { cwd: api.dataDir, env });
  const ended = endOf(child);
  let shown = '';
  for await (const chunk of child.stdout) {
    shown += String(chunk);
    const n = [...shown.matchAll(/line \d/g)].length;
    if (n === 3) break;
    await api.data('POST', 'tenants/demo/engines/say/run', { N: n + 1 });
  }
  child.kill();
  assert.equal((await ended).signal, 'SIGTERM');
  assert.deepEqual(
    [...shown.matchAll(/line \d/g)].map(([text]) => text),
    ['line 1', 'line 2', 'line 3'],
  );
});
