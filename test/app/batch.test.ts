/** Several messages of a quick engine in one transaction (delivery.md 3.1 b): the same guarantees as one by one. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import { AppError } from '../../src/core/errors.ts';
import { attemptsOf, deadOf } from '../support/accounts.ts';
import { intercept, withProperty } from '../support/intercept.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, TestHost } from '../support/test-host.ts';
import { withStore, withTx } from './crash-points.ts';

const WORK = `/**
 * @queue work
 * @retry 2
 * @backoff fixed:50ms
 * @timeout 2s
 */
var kind = V8.Param.Message.Message.Kind;
if (kind === 'once') {
  var pair = 'pair-' + Math.floor(Number(V8.Param.EventId.slice(1)) / 2);
  var once = V8.Inbox.Once(pair, function () { V8.FormEngine.AddFormData('effect', { EventId: pair }); });
  V8.FormEngine.AddFormData('onward', { EventId: 'once ' + once.Code + ' ' + (once.DataAppend || {}).Ran });
  return { Code: 1 };
}
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
if (kind === 'fail') return { Code: 0, Msg: 'asked to fail' };
if (kind === 'throw') throw new Error('asked to throw');
if (kind === 'crash') 'x'.repeat(2 ** 28).split('');
if (kind === 'loop') while (true) {}
return { Code: 1 };
`;
const ONWARD = `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });
`;
/** More than the runs looked back on, so that the first, cold one is forgotten. */
const WARM_UP = 60;

interface Counts {
  /** Transactions opened by message runs. */
  begins: number;
  /** Most claims that one commit ended. */
  largest: number;
}

/** A host whose engine is known to be quick, with its consumers off; the counts begin at zero. */
async function warmHost(
  t: TestContext,
  decorate: (adapters: Adapters) => Adapters = (adapters) => adapters,
): Promise<{ host: TestHost; counts: Counts }> {
  const counts: Counts = { begins: 0, largest: 0 };
  const count = (adapters: Adapters): Adapters =>
    withStore(adapters, (store) =>
      intercept(store, 'begin', async (proceed, waitMs) => {
        counts.begins += 1;
        return intercept(await proceed(waitMs), 'commit', (commit, packet) => {
          counts.largest = Math.max(counts.largest, packet.claims.length);
          return commit(packet);
        });
      }),
    );
  const host = await TestHost.open(tempDir(t), { decorate: (adapters) => calm(count(decorate(adapters))) });
  t.after(() => host.close());
  await host.push({ 'work.js': WORK, 'onward.js': ONWARD });
  await host.host.start();
  for (let i = 0; i < WARM_UP; i += 1) await host.send('work', `warm-${i}`, {});
  await eventually(async () => assert.equal((await host.effects('onward')).length, WARM_UP));
  counts.begins = 0;
  counts.largest = 0;
  return { host, counts };
}

/** A clock by which every run is quick, however busy the machine is. */
function calm(adapters: Adapters): Adapters {
  const start = adapters.clock.now();
  const now = () => start + (adapters.clock.now() - start) / 10;
  return { ...adapters, clock: withProperty(adapters.clock, 'now', now) };
}

/** Publishes all at once, so that they wait together. */
async function sendAll(host: TestHost, messages: readonly { eventId: string; kind?: string }[]): Promise<void> {
  await Promise.all(messages.map(({ eventId, kind }) => host.send('work', eventId, { Kind: kind })));
}

const fresh = (effects: readonly string[]) => effects.filter((eventId) => !/warm-/.test(eventId));
const ids = (count: number) => Array.from({ length: count }, (_, i) => `e${String(i).padStart(2, '0')}`);

async function expectEffects(host: TestHost, expected: readonly string[]): Promise<void> {
  await eventually(async () => {
    assert.deepEqual(fresh(await host.effects()), [...expected].sort());
    assert.deepEqual(fresh(await host.effects('onward')), expected.map((eventId) => `on-${eventId}`).sort());
  }, 30_000);
}

test('messages of a quick engine share transactions; each has its effect and its onward message once', async (t) => {
  const { host, counts } = await warmHost(t);
  const events = ids(40);
  await sendAll(
    host,
    events.map((eventId) => ({ eventId })),
  );
  await expectEffects(host, events);
  assert.ok(counts.largest > 1, `largest batch ${counts.largest}`);
  assert.ok(counts.largest <= 16, `largest batch ${counts.largest}`);
  assert.ok(counts.begins < 80, `${counts.begins} transactions for 80 messages`);
  for (const eventId of events) assert.deepEqual(await attemptsOf(host, eventId), ['1 done']);
});

test('messages of a batch that do one thing once: the first does it, the others find it done', async (t) => {
  const { host, counts } = await warmHost(t);
  const events = ids(16);
  await sendAll(
    host,
    events.map((eventId) => ({ eventId, kind: 'once' })),
  );
  const expected = events.map((_, i) => `once 1 ${i % 2 === 1}`).sort();
  await eventually(async () => assert.deepEqual(fresh(await host.effects('onward')), expected), 30_000);
  assert.deepEqual(
    fresh(await host.effects()),
    [0, 1, 2, 3, 4, 5, 6, 7].map((pair) => `pair-${pair}`),
  );
  assert.ok(counts.largest > 2, `largest batch ${counts.largest}, the key of Once among it`);
});

test('prefetch 1 keeps the order of the queue, in batches, too', async (t) => {
  const { host } = await warmHost(t);
  const events = ids(30);
  for (const eventId of events) await host.send('work', eventId, {});
  await eventually(async () => assert.equal(fresh(await host.effects()).length, events.length));
  const order = (await host.rows('effect')).map((row) => String(row.EventId));
  assert.deepEqual(fresh(order), events);
});

test('messages that fail are undone alone and retried; their neighbours in the batch are done', async (t) => {
  const { host } = await warmHost(t);
  const good = ids(12);
  const bad = [
    { eventId: 'bad-1', kind: 'fail' },
    { eventId: 'bad-2', kind: 'throw' },
  ];
  await sendAll(host, [
    ...good.slice(0, 6).map((eventId) => ({ eventId })),
    ...bad,
    ...good.slice(6).map((eventId) => ({ eventId })),
  ]);
  await expectEffects(host, good);
  await eventually(async () =>
    assert.deepEqual(await deadOf(host), ['bad-1 3 budget-exhausted', 'bad-2 3 budget-exhausted']),
  );
});

test('a message that kills its sandbox undoes the batch; the others run again uncounted, it alone is blamed', async (t) => {
  const { host } = await warmHost(t);
  const good = ids(6);
  await sendAll(host, [
    ...good.slice(0, 3).map((eventId) => ({ eventId })),
    { eventId: 'bad', kind: 'crash' },
    ...good.slice(3).map((eventId) => ({ eventId })),
  ]);
  await expectEffects(host, good);
  await eventually(async () => assert.equal((await deadOf(host)).length, 1), 30_000);
  for (const eventId of good) assert.deepEqual(await attemptsOf(host, eventId), ['1 done']);
  assert.equal((await attemptsOf(host, 'bad')).length, 3, 'its own budget, no attempt lost to the batch');
});

test('copies of one event in one batch have one effect', async (t) => {
  const { host } = await warmHost(t);
  await sendAll(
    host,
    ['a', 'b', 'a', 'a', 'c', 'b'].map((eventId) => ({ eventId })),
  );
  await expectEffects(host, ['a', 'b', 'c']);
  await eventually(async () =>
    assert.deepEqual((await attemptsOf(host, 'a')).sort(), [
      '1 done',
      '1 duplicate duplicate',
      '1 duplicate duplicate',
    ]),
  );
});

test('the answer to the commit of a batch is lost: nothing is counted, each event has its effect once', async (t) => {
  for (const stored of [true, false]) {
    let armed = false;
    let losses = 0;
    const lose = (adapters: Adapters): Adapters =>
      withTx(adapters, (tx) =>
        intercept(tx, 'commit', async (proceed, packet) => {
          if (!armed || packet.claims.length < 2 || losses > 0) return proceed(packet);
          losses += 1;
          if (stored) await proceed(packet);
          else await tx.rollback();
          throw new AppError('DB_COMMIT_UNKNOWN');
        }),
      );
    const { host } = await warmHost(t, lose);
    armed = true;
    const events = ids(8);
    await sendAll(
      host,
      events.map((eventId) => ({ eventId })),
    );
    await expectStored(host, events);
    assert.equal(losses, 1);
    assert.deepEqual(await deadOf(host), []);
  }
});

/** Onward messages of a commit whose answer was lost are sent by the sweep; effects count here. */
async function expectStored(host: TestHost, events: readonly string[]): Promise<void> {
  await eventually(async () => {
    assert.deepEqual(fresh(await host.effects()), [...events].sort());
    assert.equal((await host.adapters.queue.depth('demo', 'microi.demo.work')).ready, 0);
  }, 30_000);
}
