/** Rows 7, 8 and 18 of docs/failure.md: the queue is away, or forgets. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import { attemptsOf } from '../support/accounts.ts';
import { fastClock } from '../support/fast-clock.ts';
import { Gate, STOP_AT_GATE } from '../support/gate.ts';
import { intercept } from '../support/intercept.ts';
import { holdWriteLock, outside, QUEUE_FILE, tenantFile } from '../support/outside.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, TestHost } from '../support/test-host.ts';
import { withDelivery, withStore } from './crash-points.ts';

const SENDER = `/** @queue work */
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
${STOP_AT_GATE}
return V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
`;

const RECEIVER = `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });
`;

test('failure row 7: the queue is away while onward messages are sent; a sweep sends them when it is back', async (t) => {
  const dataDir = tempDir(t);
  const log = new RecordingLog();
  const gate = new Gate();
  const decorate = (adapters: Adapters) => ({ ...gate.guard(adapters), clock: fastClock(adapters.clock, 50) });
  const host = await TestHost.open(dataDir, { log, decorate });
  t.after(() => host.close());
  await host.push({ 'work.js': SENDER, 'onward.js': RECEIVER });
  await host.host.start();
  await host.send('work', 'e1', {});
  await gate.arrived();
  const letGo = await holdWriteLock(dataDir, QUEUE_FILE);
  gate.open();
  await eventually(() => assert.ok(log.of('outbox.dispatch_failed').length > 0));
  assert.deepEqual(await host.effects(), ['e1'], 'the effect is committed');
  assert.equal((await host.store.outbox.pending()).rows, 1, 'and its message waits beside it');
  letGo();
  await outside(dataDir, tenantFile('demo'), 'update mq_outbox set ClaimUntil = 0');
  await eventually(async () => {
    assert.deepEqual(await host.effects('onward'), ['on-e1']);
    assert.equal((await host.store.outbox.pending()).rows, 0);
  });
  assert.ok(log.of('outbox.swept').length > 0);
  assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']);
  assert.deepEqual(await attemptsOf(host, 'on-e1'), ['1 done']);
});

test('failure row 8: the queue is away while a script sends outside a transaction; Code 0 with the EventId to repeat', async (t) => {
  const dataDir = tempDir(t);
  const host = await TestHost.open(dataDir);
  t.after(() => host.close());
  const send = "return V8.MQ.SendMsg({ QueueName: 'onward', EventId: V8.Param.EventId, Message: {} });";
  await host.push({ 'send.js': send, 'onward.js': RECEIVER });
  const letGo = await holdWriteLock(dataDir, QUEUE_FILE);
  const refused = (await host.host.services.run('demo', 'send', {})) as Record<string, unknown>;
  assert.equal(refused.Code, 0);
  assert.equal(refused.ReasonCode, 'QUEUE_UNAVAILABLE');
  const { EventId: eventId } = refused.Data as { EventId: string };
  assert.match(eventId, /^[0-9A-Z]{26}$/);
  letGo();
  const repeated = (await host.host.services.run('demo', 'send', { EventId: eventId })) as Record<string, unknown>;
  assert.deepEqual([repeated.Code, repeated.Data], [1, { EventId: eventId }]);
  await eventually(async () => assert.deepEqual(await host.effects('onward'), [eventId]));
});

/** A host that handles e1 and whose acknowledgement is forgotten, and the next one on the same data. */
async function forgetAck(t: TestContext, script: string, again: (adapters: Adapters) => Adapters): Promise<TestHost> {
  const dataDir = tempDir(t);
  const forget = (adapters: Adapters) =>
    withDelivery(adapters, (delivery) => intercept(delivery, 'ack', () => Promise.resolve()));
  const before = await TestHost.open(dataDir, { decorate: forget });
  await before.push({ 'work.js': script });
  await before.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await before.effects(), ['e1']));
  await before.close();
  const after = await TestHost.open(dataDir, { decorate: again });
  t.after(() => after.close());
  await after.host.start();
  return after;
}

const EFFECT = "return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });";

test('failure row 18: the queue forgets an acknowledgement; the inbox answers without a transaction', async (t) => {
  let transactions = 0;
  const host = await forgetAck(t, `/** @queue work */\n${EFFECT}`, (adapters) =>
    withStore(adapters, (store) =>
      intercept(store, 'begin', (proceed, waitMs) => {
        transactions += 1;
        return proceed(waitMs);
      }),
    ),
  );
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done', '1 duplicate duplicate']));
  assert.deepEqual(await host.effects(), ['e1']);
  assert.equal(transactions, 0, 'no claim and no lock');
  const depth = await host.adapters.queue.depth('demo', 'microi.demo.work');
  assert.deepEqual(depth, { ready: 0, unsettled: 0 });
});

test('failure row 18: the queue forgets an acknowledgement; with Inbox off the message runs again', async (t) => {
  const host = await forgetAck(t, `/**\n * @queue work\n * @inbox off\n */\n${EFFECT}`, (adapters) => adapters);
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done', '1 done']));
  assert.deepEqual(await host.effects(), ['e1', 'e1']);
});
