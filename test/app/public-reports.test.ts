/** Faults that users of such systems reported in public, as far as the embedded queue can have them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import { AppError } from '../../src/core/errors.ts';
import type { Consumer, OutgoingMessage } from '../../src/ports/queue.ts';
import { attemptsOf, deadOf } from '../support/accounts.ts';
import { childrenOf } from '../support/child-processes.ts';
import { eventually } from '../support/eventually.ts';
import { fastClock } from '../support/fast-clock.ts';
import { Gate, STOP_AT_GATE } from '../support/gate.ts';
import { httpAnswer } from '../support/http-answer.ts';
import { intercept } from '../support/intercept.ts';
import { outside, QUEUE_FILE, tenantFile } from '../support/outside.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost, type TestHostOptions } from '../support/test-host.ts';

const EFFECT = "V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });";
const SEND_ON = "V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });";
const ids = (count: number) => Array.from({ length: count }, (_, i) => `e${String(i).padStart(2, '0')}`);

async function open(t: TestContext, scripts: Record<string, string>, options: TestHostOptions = {}) {
  const dataDir = tempDir(t);
  const host = await TestHost.open(dataDir, options);
  t.after(() => host.close());
  await host.push(scripts);
  await host.host.start();
  return { host, dataDir };
}

test('acknowledgements after the consumer was cut off are dropped, and nothing runs twice (report 10)', async (t) => {
  const gate = new Gate();
  const lines: { consumer: Consumer; reconnect: () => Promise<unknown> }[] = [];
  const cuttable = (adapters: Adapters): Adapters => ({
    ...gate.guard(adapters),
    queue: intercept(adapters.queue, 'consume', async (proceed, tenant, queue, _options, take) => {
      const connect = () => proceed(tenant, queue, { prefetch: 20 }, take);
      const consumer = await connect();
      lines.push({ consumer, reconnect: connect });
      return consumer;
    }),
  });
  const work = `/**\n * @queue work\n * @prefetch 20\n */\n${EFFECT}\n${STOP_AT_GATE}\nreturn { Code: 1 };`;
  const { host } = await open(t, { 'work.js': work }, { decorate: cuttable });
  t.after(() => gate.open());
  await Promise.all(ids(20).map((eventId) => host.send('work', eventId, {})));
  await gate.arrived();
  await eventually(async () => {
    assert.equal((await host.adapters.queue.depth('demo', 'microi.demo.work')).unsettled, 20);
  });
  await lines[0]?.consumer.close();
  await lines[0]?.reconnect();
  gate.open();
  await eventually(async () => assert.deepEqual(await host.effects(), ids(20)));
  await eventually(async () => {
    assert.deepEqual(await host.adapters.queue.depth('demo', 'microi.demo.work'), { ready: 0, unsettled: 0 });
  });
  assert.equal(gate.arrivals.length, 20, 'each ran once');
});

test('a failing or unreadable message does not go round for ever (report 13)', async (t) => {
  const { host } = await open(
    t,
    { 'work.js': '/**\n * @queue work\n * @retry 3\n * @backoff none\n */\nreturn { Code: 0, Msg: "no" };' },
    { decorate: (adapters) => ({ ...adapters, clock: fastClock(adapters.clock, 10) }) },
  );
  const body = new TextEncoder().encode('{"a":');
  const props = { messageId: 'm-1', headers: { tracestate: 'kept=1' } };
  await host.publishRaw({ queue: 'microi.demo.work', body, props });
  await host.send('work', 'e1', {});
  await eventually(async () => assert.equal((await deadOf(host)).length, 2));
  const rows = await host.store.parked.list({ state: 'dead', limit: 10 });
  const failed = rows.find((row) => row.eventId === 'e1');
  assert.deepEqual([failed?.attempt, failed?.reason], [4, 'budget-exhausted']);
  assert.match(failed?.error ?? '', /returned Code 0: no[\s\S]*Count=3/);
  const unreadable = rows.find((row) => row.eventId !== 'e1');
  assert.deepEqual([unreadable?.attempt, unreadable?.reason], [1, 'invalid-envelope'], 'dead at once');
  assert.deepEqual([unreadable?.body, unreadable?.props], [body, props], 'with its bytes and properties');
  assert.equal((await attemptsOf(host, 'e1')).length, 4);
  assert.deepEqual(await host.adapters.queue.depth('demo', 'microi.demo.work'), { ready: 0, unsettled: 0 });
});

/** What a handler does at its end, and the reason its author reads; `done` where it acknowledges. */
const ENDINGS: Readonly<Record<string, readonly [ending: string, verdict: string]>> = {
  nothing: ['', 'SCRIPT_NO_CODE'],
  undefined: ['return undefined;', 'SCRIPT_NO_CODE'],
  number: ['return 1;', 'SCRIPT_NO_CODE'],
  true: ['return true;', 'SCRIPT_NO_CODE'],
  'lower-case': ['return { code: 1 };', 'SCRIPT_NO_CODE'],
  text: ['return { Code: "1" };', 'done'],
  bigint: ['return { Code: 1n };', 'SCRIPT_RESULT_INVALID'],
  list: ['return [{ Code: 1 }];', 'SCRIPT_NO_CODE'],
  inherited: ['return Object.create({ Code: 1 });', 'SCRIPT_NO_CODE'],
  getter: ['return { get Code() { return 1; } };', 'done'],
  'last-of-two': ['return JSON.parse(\'{"Code":0,"Code":1}\');', 'done'],
  'first-of-two': ['return JSON.parse(\'{"Code":1,"Code":0}\');', 'SCRIPT_REFUSED'],
  'with-function': ['return { Code: 1, f() {} };', 'done'],
  throws: ['throw new Error("no");', 'SCRIPT_THREW'],
  'throws-code': ['throw { Code: 1 };', 'SCRIPT_THREW'],
  'rejects-code': ['return Promise.reject({ Code: 1 });', 'SCRIPT_THREW'],
  'never-settles': ['return new Promise(function () {});', 'V8_NEVER_SETTLES'],
};

test('only an explicit Code 1 acknowledges; every other ending has a reason for its author (report 14)', async (t) => {
  const scripts = Object.entries(ENDINGS).map(([name, [ending]]) => [
    `end-${name}.js`,
    `/** @queue ${name} */\n${EFFECT}\n${ending}`,
  ]);
  const { host } = await open(t, Object.fromEntries(scripts));
  for (const name of Object.keys(ENDINGS)) await host.send(name, name, {});
  const acknowledged = Object.keys(ENDINGS).filter((name) => ENDINGS[name]?.[1] === 'done');
  await eventually(async () => {
    assert.equal((await deadOf(host)).length, Object.keys(ENDINGS).length - acknowledged.length);
    assert.deepEqual(await host.effects(), [...acknowledged].sort());
  });
  for (const [name, [, verdict]] of Object.entries(ENDINGS)) {
    const [attempt] = (await host.store.journal.story(name)).attempts;
    assert.deepEqual([attempt?.verdict, attempt?.reason], verdict === 'done' ? ['done', ''] : ['dead', verdict], name);
    if (verdict !== 'done') assert.ok((attempt?.message.length ?? 0) > 20, `${name} explains itself`);
  }
});

test('copies that are there when a sandbox dies run once more at most, with one effect (report 15)', async (t) => {
  const gate = new Gate();
  const work = `/**
 * @queue work
 * @prefetch 20
 * @retry 3
 * @backoff fixed:100ms
 */
${EFFECT}
${STOP_AT_GATE}
return ${SEND_ON}
`;
  const onward = `/** @queue onward */\nreturn V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });`;
  const decorate = (adapters: Adapters) => gate.guard(adapters);
  const { host } = await open(t, { 'work.js': work, 'onward.js': onward }, { decorate });
  t.after(() => gate.open());
  await Promise.all(Array.from({ length: 50 }, () => host.send('work', 'e1', {})));
  await gate.arrived();
  for (const lane of childrenOf(process.pid)) process.kill(lane, 'SIGKILL');
  gate.open();
  await eventually(async () => {
    assert.deepEqual(await host.effects('onward'), ['on-e1']);
    assert.deepEqual(await host.adapters.queue.depth('demo', 'microi.demo.work'), { ready: 0, unsettled: 0 });
    assert.deepEqual(await host.store.parked.list({ state: 'waiting', limit: 10 }), []);
  }, 30_000);
  assert.deepEqual(await host.effects(), ['e1']);
  assert.ok(gate.arrivals.length <= 2, `${gate.arrivals.length} requests for one kill`);
  assert.deepEqual(await deadOf(host), []);
});

const idOf = (message: OutgoingMessage) =>
  (JSON.parse(new TextDecoder().decode(message.body)) as { EventId: string }).EventId;

test('no onward message is lost or changed by a queue that fails before or after storing it (report 17)', async (t) => {
  const stored: string[] = [];
  let turn = 0;
  const flaky = (adapters: Adapters): Adapters => ({
    ...adapters,
    clock: fastClock(adapters.clock, 200),
    queue: intercept(adapters.queue, 'publish', async (proceed, tenant, messages) => {
      const sendsTo = (queue: string) => messages.some((message) => message.queue === `microi.demo.${queue}`);
      if (sendsTo('gone')) throw new AppError('QUEUE_INVALID', { queue: 'gone' });
      if (!sendsTo('onward')) return proceed(tenant, messages);
      const failure = turn++ % 3;
      if (failure === 0) throw new AppError('QUEUE_UNAVAILABLE');
      await proceed(tenant, messages);
      for (const message of messages) {
        assert.equal(message.props.messageId, idOf(message));
        stored.push(idOf(message));
      }
      if (failure === 1) throw new AppError('QUEUE_UNAVAILABLE');
    }),
  });
  const work = `/** @queue work */
${EFFECT}
${SEND_ON}
if (V8.Param.Message.Message.Gone) V8.MQ.SendMsg({ QueueName: 'gone', EventId: 'lost', Message: {} });
return { Code: V8.Param.Message.Message.Fail ? 0 : 1 };
`;
  const { host, dataDir } = await open(t, { 'work.js': work }, { decorate: flaky });
  const events = ids(20);
  for (const eventId of events) await host.send('work', eventId, { Gone: eventId === 'e07', Fail: eventId > 'e14' });
  const committed = events.filter((eventId) => eventId <= 'e14');
  await eventually(async () => {
    await outside(dataDir, tenantFile('demo'), 'update mq_outbox set ClaimUntil = 0');
    assert.deepEqual(await host.effects(), committed);
    const { rows, failed } = await host.store.outbox.pending();
    assert.deepEqual({ rows, failed }, { rows: 0, failed: 1 }, 'only the refused one is left, visibly');
  }, 40_000);
  assert.deepEqual(
    [...new Set(stored)].sort(),
    committed.map((eventId) => `on-${eventId}`),
  );
  assert.ok(stored.length > committed.length, 'the test did provoke copies');
});

test('stopping in the middle loses nothing, repeats nothing and marks nothing that did not begin (report 18)', async (t) => {
  const dataDir = tempDir(t);
  let runs = 0;
  const slow = (adapters: Adapters): Adapters => ({
    ...adapters,
    http: intercept(adapters.http, 'send', async () => {
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
      return httpAnswer('{}');
    }),
  });
  const work = `/**\n * @queue work\n * @prefetch 10\n */\n${EFFECT}\n${STOP_AT_GATE}\nreturn { Code: 1 };`;
  const expected = ids(60);
  for (let life = 1; ; life++) {
    const host = await TestHost.open(dataDir, { decorate: slow });
    const before = runs;
    let finished = false;
    try {
      if (life === 1) {
        for (const eventId of expected) await host.send('work', eventId, {});
        await host.push({ 'work.js': work });
      }
      await host.host.start();
      await eventually(async () => assert.ok(runs >= Math.min(before + 15, 60)));
      finished = runs >= 60;
      if (finished) await eventually(async () => assert.deepEqual(await host.effects(), expected));
    } finally {
      await host.close();
    }
    const marked = await outside(dataDir, QUEUE_FILE, 'select count(*) as N from queue_message where Delivered <> 0');
    assert.deepEqual(marked[0]?.N, 0);
    if (finished) break;
    assert.ok(life < 10);
  }
  assert.equal(runs, 60, 'each message ran once over all lives');
});

test('a run that could outlast the patience of the queue server is not bound, however its time is given (report 12)', async (t) => {
  const log = new RecordingLog();
  const { host, dataDir } = await open(t, {}, { consumerTimeoutMs: 60_000, log });
  const files = [{ path: 'work.js', text: `/**\n * @queue work\n * @timeout 60s\n */\n${EFFECT}` }];
  const pushed = await host.host.services.push('demo', { files, prune: false, dryRun: false });
  assert.ok(!pushed.ok);
  assert.match(String(pushed.refusals[0]?.params.rule), /@timeout: must be below RabbitMQ's consumer_timeout .*60 s/);
  await host.push({ 'work.js': `/**\n * @queue work\n * @timeout 20s\n */\n${EFFECT}\nreturn { Code: 1 };` });
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1']));
  const setTimeoutTo = async (seconds: number) => {
    await outside(dataDir, tenantFile('demo'), `update diy_queue_receive set TimeoutSeconds = ${seconds}`);
    await host.host.reconciler.reconcile();
  };
  await setTimeoutTo(90);
  const stopped = log.of('binding.refused').map(({ fields }) => String(fields.message));
  assert.match(stopped.join('\n'), /runs may take 90 s, which is not below RabbitMQ's consumer_timeout/);
  await host.send('work', 'e2', {});
  await host.host.reconciler.reconcile();
  assert.equal(host.host.reconciler.attached, 0);
  assert.deepEqual(await host.effects(), ['e1'], 'e2 waits in its queue');
  await setTimeoutTo(20);
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1', 'e2']));
});
