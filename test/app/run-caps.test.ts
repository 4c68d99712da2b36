/** Caps on runs at once, and how long a call waits for its turn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppError, describeError } from '../../src/core/errors.ts';
import { DEFAULT_RUN_CAPS } from '../../src/core/run-load.ts';
import { eventually } from '../support/eventually.ts';
import { GateServer } from '../support/gate-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const refusedFor = (limit: number) => (error: AppError) => {
  assert.deepEqual([error.code, error.params.limit], ['V8_EXECUTION_QUEUE_TIMEOUT', limit]);
  assert.match(describeError(error.toRecord(), 'en'), /change sandbox\.lanes, limits\.runsPerTenant/);
  assert.match(describeError(error.toRecord(), 'zh'), /limits\.runsPerEngine/);
  return true;
};

test('a call over a cap waits its time and is refused with what to change; messages wait as long as it takes', async (t) => {
  const gate = await GateServer.listen(t);
  const tenants = new Map([['demo', { runsPerEngine: 1, runs: 2 }]]);
  const host = await TestHost.open(tempDir(t), {
    lanes: 4,
    limits: { wallMs: 120_000 },
    allow: [{ host: '127.0.0.1', port: gate.port }],
    policy: { tenants, runs: DEFAULT_RUN_CAPS, queueWaitMs: 300 },
  });
  t.after(() => host.close());
  const slow = `V8.Http.GetResponse({ Url: 'http://127.0.0.1:${gate.port}/' }); return { Code: 1 };`;
  const effect = "return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });";
  await host.push({ 'slow.js': slow, 'slow-too.js': slow, 'quick.js': `/** @queue quick */\n${effect}` });
  const run = (key: string) => host.host.services.run('demo', key, {}, 'en');

  const first = run('slow');
  await eventually(() => assert.equal(gate.requests, 1), 30_000);
  await assert.rejects(run('slow'), refusedFor(300), 'one run of an engine at once');
  const second = run('slow-too');
  await eventually(() => assert.equal(gate.requests, 2), 30_000);
  await assert.rejects(run('quick'), refusedFor(300), 'two runs of the tenant at once');

  await host.host.start();
  await host.send('quick', 'e1', {});
  await assert.rejects(run('quick'), refusedFor(300));
  assert.deepEqual(await host.effects(), []);
  gate.open();
  await Promise.all([first, second]);
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1']), 30_000);
});
