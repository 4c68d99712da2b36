/** An engine that keeps getting its sandbox killed is paused, and comes back by itself after a good run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppError } from '../../src/core/errors.ts';
import { attemptsOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

/** Ends its lane process, or works, as it is told. */
const MOODY = `/** @queue moody */
if (V8.Param.Kill) 'x'.repeat(2 ** 28).split('');
return { Code: 1, Data: 'well' };
`;

const POLICY = { windowMs: 600_000, minRuns: 2, troublePercent: 50, faultPercent: 0 };

// biome-ignore lint/suspicious/noExplicitAny: results of scripts have any shape
const run = (host: TestHost, key: string, param = {}): Promise<any> => host.host.services.run('demo', key, param, 'en');

async function killLane(host: TestHost): Promise<void> {
  await assert.rejects(run(host, 'moody', { Kill: true }), (error: AppError) => /^V8_(PROCESS|MEM)/.test(error.code));
}

test('calls of a paused engine are refused at once with when it runs again; other engines go on', async (t) => {
  const log = new RecordingLog();
  const engine = { ...POLICY, pauseMs: 3_600_000, maxPauseMs: 3_600_000 };
  const host = await TestHost.open(tempDir(t), { log, circuits: { engine } });
  t.after(() => host.close());
  await host.push({ 'moody.js': MOODY, 'calm.js': "return { Code: 1, Data: V8.ApiEngine.Run('moody') };" });
  await killLane(host);
  assert.equal((await run(host, 'moody')).Data, 'well', 'one kill pauses nothing');
  await killLane(host);
  await assert.rejects(run(host, 'moody'), (error: AppError) => {
    assert.deepEqual([error.code, error.params.engine], ['ENGINE_PAUSED', 'moody']);
    assert.ok(Number(error.params.seconds) > 3_000);
    return true;
  });
  const { Data: nested } = await run(host, 'calm');
  assert.deepEqual([nested.Code, nested.ReasonCode], [0, 'ENGINE_PAUSED']);
  assert.equal(log.of('engine.paused').length, 1);
  const { pauses, engines } = await host.host.services.limits('demo', 'en');
  assert.deepEqual(
    pauses
      .filter(({ phase }) => phase !== 'closed')
      .map(({ subject, phase, pauses: count }) => [subject, phase, count]),
    [['moody', 'open', 1]],
  );
  assert.deepEqual(engines.map(({ key }) => key).sort(), ['calm', 'moody']);
});

test('messages of a paused engine wait uncounted, and a good probe lets them through', async (t) => {
  const log = new RecordingLog();
  const engine = { ...POLICY, pauseMs: 2_000, maxPauseMs: 2_000 };
  const host = await TestHost.open(tempDir(t), { log, circuits: { engine } });
  t.after(() => host.close());
  await host.push({ 'moody.js': MOODY });
  await host.host.start();
  await killLane(host);
  await killLane(host);
  for (const eventId of ['e1', 'e2', 'e3']) await host.send('moody', eventId, {});
  await eventually(() => assert.equal(log.of('engine.resumed').length, 1), 60_000);
  await eventually(async () => {
    for (const eventId of ['e1', 'e2', 'e3']) assert.deepEqual(await attemptsOf(host, eventId), ['1 done']);
  }, 60_000);
  assert.equal((await run(host, 'moody')).Data, 'well');
});
