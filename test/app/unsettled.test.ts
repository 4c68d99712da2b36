/** A delivery that is never settled is told, and does not take its binding's place for ever. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import type { Queue } from '../../src/ports/queue.ts';
import { eventually } from '../support/eventually.ts';
import { intercept } from '../support/intercept.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

/** The first acknowledgement hangs until the end of the test. */
function withLostAck(adapters: Adapters, over: Promise<void>): Adapters {
  let isFirst = true;
  const consume: Queue['consume'] = (tenant, queue, options, onDelivery) =>
    adapters.queue.consume(tenant, queue, options, (delivery) => {
      const hangs = isFirst;
      isFirst = false;
      onDelivery(hangs ? { ...delivery, ack: () => over } : delivery);
    });
  return { ...adapters, queue: intercept(adapters.queue, 'consume', (_, ...args) => consume(...args)) };
}

test('a settlement that never ends is told, then its consumer is replaced and the rest goes on', async (t) => {
  const log = new RecordingLog();
  const { promise, resolve: letGo } = Promise.withResolvers<void>();
  const decorate = (adapters: Adapters) => withLostAck(adapters, promise);
  const host = await TestHost.open(tempDir(t), { log, decorate, consumerTimeoutMs: 3_000 });
  t.after(() => {
    letGo();
    return host.close();
  });
  const note = "return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });";
  await host.push({ 'work.js': `/**\n * @queue work\n * @timeout 1s\n */\n${note}` });
  await host.host.start();
  for (const id of ['e1', 'e2', 'e3']) await host.send('work', id, {});
  await eventually(async () => {
    await host.host.reconciler.reconcile();
    assert.equal(log.of('consumer.replaced').length, 1);
  });
  const told = log.of('delivery.overdue').map(({ fields }) => fields.eventId);
  assert.ok(told.includes('e1'), JSON.stringify(told));
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1', 'e2', 'e3']));
  const queue = 'microi.demo.work';
  await eventually(async () =>
    assert.deepEqual(await host.adapters.queue.depth('demo', queue), { ready: 0, unsettled: 0 }),
  );
});

/** Counts what the queue hands out. */
function countDeliveries(adapters: Adapters, count: () => void): Adapters {
  const consume: Queue['consume'] = (tenant, queue, options, onDelivery) =>
    adapters.queue.consume(tenant, queue, options, (delivery) => {
      count();
      onDelivery(delivery);
    });
  return { ...adapters, queue: intercept(adapters.queue, 'consume', (_, ...args) => consume(...args)) };
}

test('a quick engine has more at hand than its deadline allows, and gives it back when one run took long', async (t) => {
  let deliveries = 0;
  const decorate = (adapters: Adapters) =>
    countDeliveries(adapters, () => {
      deliveries += 1;
    });
  const host = await TestHost.open(tempDir(t), { decorate, consumerTimeoutMs: 12_000 });
  t.after(() => host.close());
  const script = `if (V8.Param.Message.Message.Slow) V8.Action.Sleep(4000);
    return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });`;
  await host.push({ 'work.js': `/**\n * @queue work\n * @timeout 7s\n */\n${script}` });
  await host.host.start();
  const warm = Array.from({ length: 10 }, (_, i) => `warm-${i}`);
  for (const id of warm) await host.send('work', id, {});
  await eventually(async () => assert.equal((await host.effects()).length, 10));
  await host.host.reconciler.reconcile();
  await host.send('work', 'slow', { Slow: true });
  const queue = 'microi.demo.work';
  await eventually(async () => assert.equal((await host.adapters.queue.depth('demo', queue))?.unsettled, 1));
  const quick = ['q1', 'q2', 'q3', 'q4'];
  for (const id of quick) await host.send('work', id, {});
  // Of runs of seven seconds not even one more would fit into half of the time.
  await eventually(async () => assert.equal((await host.adapters.queue.depth('demo', queue))?.unsettled, 5));
  await eventually(
    async () => assert.deepEqual((await host.effects()).sort(), [...quick, 'slow', ...warm].sort()),
    30_000,
  );
  assert.equal(deliveries, warm.length + 1 + 2 * quick.length, 'those that waited came twice');
});
