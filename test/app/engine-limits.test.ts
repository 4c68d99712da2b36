/** Limits per engine: from the columns of `sys_apiengine` to what a run gets and what its author is told. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { toCacheKey } from '../../src/core/cache-key.ts';
import type { MetricsPage } from '../../src/telemetry/metrics.ts';
import { eventually } from '../support/eventually.ts';
import { accepted } from '../support/parsed.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const SHOW = 'return { Code: 1, Data: V8.Limits };';

/** Writes columns of an engine's row by hand, as an administrator does. */
function setColumns(dataDir: string, engineKey: string, columns: Readonly<Record<string, string | number>>): void {
  const database = new DatabaseSync(join(dataDir, 'tenants', 'demo.db'), { timeout: 10_000 });
  for (const [column, value] of Object.entries(columns)) {
    database.prepare(`UPDATE sys_apiengine SET "${column}" = ? WHERE ApiEngineKey = ?`).run(value, engineKey);
  }
  database.close();
}

// biome-ignore lint/suspicious/noExplicitAny: results of scripts have any shape
const run = (host: TestHost, key: string, param = {}): Promise<any> => host.host.services.run('demo', key, param, 'en');

test('an engine runs with the limits of its row, and V8.Limits shows them', async (t) => {
  const dir = tempDir(t);
  const host = await TestHost.open(dir, { limits: { wallMs: 10_000 } });
  t.after(() => host.close());
  await host.push({ 'own.js': SHOW, 'plain.js': SHOW, 'off.js': SHOW });
  setColumns(dir, 'own', { V8Limit: 1, Timeout: 7, LimitMemory: 64 });
  setColumns(dir, 'off', { V8Limit: 0, Timeout: 7, LimitMemory: 64 });
  const pick = ({ Data }: { Data: Record<string, unknown> }) => [Data.TimeoutSeconds, Data.LimitMemoryMB];
  assert.deepEqual(pick(await run(host, 'own')), [7, 64]);
  assert.deepEqual(pick(await run(host, 'plain')), [10, 128]);
  assert.deepEqual(pick(await run(host, 'off')), [10, 128]);
});

test('a nested engine has the limits of its own row and knows its depth', async (t) => {
  const dir = tempDir(t);
  const host = await TestHost.open(dir);
  t.after(() => host.close());
  await host.push({ 'outer.js': "return V8.ApiEngine.Run('inner');", 'inner.js': SHOW });
  setColumns(dir, 'inner', { V8Limit: 1, LimitMemory: 32 });
  const { Data } = await run(host, 'outer');
  assert.deepEqual([Data.LimitMemoryMB, Data.CurrentDepth, Data.IsBackgroundTask], [32, 2, false]);
});

test('a bad or too large value is told once in both logs, and the engine keeps running', async (t) => {
  const dir = tempDir(t);
  const log = new RecordingLog();
  const host = await TestHost.open(dir, { log });
  t.after(() => host.close());
  await host.push({ 'odd.js': SHOW });
  setColumns(dir, 'odd', { V8Limit: 1, Timeout: -3, LimitMemory: 9_999 });
  for (let i = 0; i < 3; i++) assert.equal((await run(host, 'odd')).Data.LimitMemoryMB, 200);
  const lines = log.of('engine.limits_adjusted');
  assert.equal(lines.length, 1);
  assert.match(
    String(lines[0]?.fields?.message),
    /Timeout is invalid: .*\n.*LimitMemory asks for 9999, the cap is 200/,
  );
  await eventually(async () => {
    await host.store.journal.flush();
    const rows = await host.rows('sys_log');
    assert.equal(rows.filter(({ Type }) => Type === 'Limit').length, 1);
  });
});

test('a limit of the row ends the run: the answer names it, where, and what to change; log and metric name it', async (t) => {
  const dir = tempDir(t);
  const log = new RecordingLog();
  const host = await TestHost.open(dir, { log });
  t.after(() => host.close());
  await host.push({
    'outer.js': "return V8.ApiEngine.Run('fat');",
    'fat.js': "var rows = []; while (true) rows.push(new Array(1000).fill('x'));",
  });
  setColumns(dir, 'fat', { V8Limit: 1, LimitMemory: 16 });
  const nested = await run(host, 'outer');
  assert.deepEqual([nested.Code, nested.ReasonCode], [0, 'V8_MEMORY_LIMIT']);
  const { V8Limit } = nested.DataAppend;
  assert.deepEqual([V8Limit.Code, V8Limit.Limit, V8Limit.Unit], ['V8_MEMORY_LIMIT', 16, 'MB']);
  assert.deepEqual([V8Limit.CallPath, V8Limit.CurrentDepth], [['outer', 'fat'], 2]);
  assert.match(V8Limit.Advice, /raise LimitMemory of the engine/);
  await assert.rejects(run(host, 'fat'), { code: 'V8_MEMORY_LIMIT' });
  const hits = log.of('run.limit_hit').map(({ fields }) => fields?.engineKey);
  assert.deepEqual(hits, ['fat', 'fat']);
  const page = await (host.adapters.metrics as MetricsPage).render({
    ...(await host.host.gauges()),
    httpConnections: 0,
  });
  assert.match(page, /v8host_limits_hit_total\{tenant="demo",code="V8_MEMORY_LIMIT"\} 2/);
});

test('a tenant beyond its rate of host calls is slowed, and its author told once', async (t) => {
  const dir = tempDir(t);
  const tenants = new Map([['demo', { hostCallsPerSecond: 20 }]]);
  const host = await TestHost.open(dir, { policy: { tenants } });
  t.after(() => host.close());
  await host.push({
    'calls.js': `for (var n = 0; n < V8.Param.Calls; n++) V8.FormEngine.GetTableDataCount('effect', {});
return { Code: 1 };`,
  });
  const startedAt = Date.now();
  await run(host, 'calls', { Calls: 40 });
  // 20 are free at once, each of the rest waits a twentieth of a second: no machine is so fast that this can fail.
  assert.ok(Date.now() - startedAt >= 900, 'the calls were not slowed');
  await eventually(async () => {
    await host.store.journal.flush();
    const rows = await host.rows('sys_log');
    const told = rows.filter(({ Content }) => String(Content).includes('slowed to the rate'));
    assert.equal(told.length, 1);
  });
});

test('a call that is held back when its run ends is not made', async (t) => {
  const tenants = new Map([['demo', { hostCallsPerSecond: 10 }]]);
  const host = await TestHost.open(tempDir(t), { policy: { tenants }, limits: { wallMs: 300 } });
  t.after(() => host.close());
  await host.push({
    'flood.js': `
      var calls = [];
      for (var i = 0; i < 19; i++) calls.push(V8.Cache.SetAsync('k' + i, 'set'));
      await Promise.all(calls);`,
  });
  await assert.rejects(run(host, 'flood'), { code: 'V8_TIMEOUT' });
  const isSet = (name: string) => host.adapters.cache.exists(accepted(toCacheKey('demo', name)));
  // Ten calls are free at once, each of the rest waits a tenth of a second longer than the one before.
  assert.deepEqual([await isSet('k9'), await isSet('k18')], [true, false]);
});
