/** The breaker of a binding: bad data never opens it, failing dependencies do, and it closes by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_BINDING_CIRCUIT } from '../../src/core/circuit-policies.ts';
import { attemptsOf, deadOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { intercept } from '../support/intercept.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const EFFECT = "V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });";

/** Refuses what its data is not fit for; asks a server; notes the event. */
const SCRIPTS = {
  'erp.js': `/** @queue erp */
if (V8.Param.Message.Message.Bad) return { Code: 0, Msg: 'not an order' };
var answer = V8.Http.PostResponse({ Url: 'http://erp.test/', PostParam: {} });
if (answer.StatusCode !== 200) return { Code: 0, Msg: 'the ERP is away' };
return ${EFFECT}`,
  'other.js': `/** @queue other */\nreturn ${EFFECT}`,
};

/** A host whose one server answers with the status of the moment. */
async function openHost(t: { after(fn: () => Promise<void>): void }, log: RecordingLog, server: { status: number }) {
  const host = await TestHost.open(tempDir(t as never), {
    log,
    circuits: { binding: { ...DEFAULT_BINDING_CIRCUIT, pauseMs: 200, maxPauseMs: 400 } },
    decorate: (adapters) => ({
      ...adapters,
      http: intercept(adapters.http, 'send', async () => ({
        status: server.status,
        headers: [],
        body: new TextEncoder().encode('{}'),
      })),
    }),
  });
  t.after(() => host.close());
  await host.push(SCRIPTS);
  return host;
}

test('three bad messages among many are dead letters and nothing else', async (t) => {
  const log = new RecordingLog();
  const host = await openHost(t, log, { status: 200 });
  const bad = new Set([7, 60, 61]);
  for (let n = 0; n < 120; n++) await host.send('erp', `e${n}`, { Bad: bad.has(n) });
  await host.host.start();
  await eventually(async () => assert.equal((await host.effects()).length, 117), 60_000);
  await eventually(async () =>
    assert.deepEqual(
      (await deadOf(host)).map((row) => row.split(' ')[0]),
      ['e60', 'e61', 'e7'],
    ),
  );
  assert.deepEqual(log.of('breaker.opened'), []);
});

test('a dependency that is away pauses its binding alone, before the thirtieth failure; the rest waits uncounted', async (t) => {
  const log = new RecordingLog();
  const server = { status: 503 };
  const host = await openHost(t, log, server);
  for (let n = 0; n < 60; n++) await host.send('erp', `e${n}`, {});
  await host.host.start();
  await eventually(() => assert.equal(log.of('breaker.opened').length, 1), 60_000);
  assert.deepEqual(log.of('breaker.opened')[0]?.fields?.queue, 'microi.demo.erp');
  await host.send('other', 'free', {});
  await eventually(async () => assert.deepEqual(await host.effects(), ['free']));
  // At least one probe fails before the repair.
  await eventually(() => assert.ok(log.of('breaker.opened').length >= 2), 60_000);
  const failed = (await deadOf(host)).length;
  assert.ok(failed < 30, `${failed} messages failed before the binding was paused`);
  server.status = 200;
  await eventually(async () => {
    const [done, dead] = [(await host.effects()).length - 1, (await deadOf(host)).length];
    assert.equal(done + dead, 60);
    assert.ok(dead < 30, `${dead} messages failed`);
  }, 60_000);
  assert.equal(log.of('breaker.closed').length, 1);
  assert.ok(log.of('consumer.paused').length >= 2 && log.of('consumer.resumed').length >= 2);
  assert.deepEqual(await attemptsOf(host, 'e59'), ['1 done'], 'what waited was not counted');
});

test('an explicit Code 0 never opens the breaker, however often', async (t) => {
  const log = new RecordingLog();
  const host = await openHost(t, log, { status: 200 });
  for (let n = 0; n < 40; n++) await host.send('erp', `e${n}`, { Bad: true });
  await host.host.start();
  await eventually(async () => assert.equal((await deadOf(host)).length, 40), 60_000);
  assert.deepEqual(log.of('breaker.opened'), []);
});
