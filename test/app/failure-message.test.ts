/** Rows 19 to 23 of docs/failure.md: what becomes of a message that must not run, or not again. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import { MAX_RECEIVED_MESSAGE_BYTES } from '../../src/core/run-limits.ts';
import { attemptsOf, deadOf, replayDead } from '../support/accounts.ts';
import { intercept, withProperty } from '../support/intercept.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, TestHost } from '../support/test-host.ts';
import { withDelivery, withStore } from './crash-points.ts';

const KEY = { queue: 'microi.demo.work', eventId: 'e1' };

const WORK = `/** @queue work */
if (V8.Param.Message.Message.Fail) return { Code: 0, Msg: 'asked to fail' };
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`;

/** A host with the engine `work`, whose source the first line may change. */
async function open(t: TestContext, decorate?: (adapters: Adapters) => Adapters, script = WORK) {
  const dataDir = tempDir(t);
  const host = await TestHost.open(dataDir, decorate === undefined ? {} : { decorate });
  t.after(() => host.close());
  await host.push({ 'work.js': script });
  await host.host.start();
  return { host, dataDir };
}

test('failure row 19: the host died five times while a message ran; it is taken for the cause', async (t) => {
  const redelivered = (adapters: Adapters) =>
    withDelivery(adapters, (delivery) => withProperty(delivery, 'redelivered', true));
  const { host } = await open(t, redelivered);
  for (let start = 1; start <= 4; start++) await host.store.crashes.count(KEY);
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await deadOf(host), ['e1 1 host-crash']));
  assert.deepEqual(await host.effects(), [], 'it was not run again');
  assert.equal(await replayDead(host, { eventId: 'e1' }), 1);
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1'], 'a replay begins with a clean count'));
});

test('failure row 20: a body that is no envelope, or too large, is a dead letter that no script saw', async (t) => {
  const { host } = await open(t);
  const noJson = new TextEncoder().encode('{"EventId":');
  const large = new Uint8Array(MAX_RECEIVED_MESSAGE_BYTES + 1).fill(0x20);
  await host.publishRaw({ queue: KEY.queue, body: noJson, props: { headers: {} } });
  await host.publishRaw({ queue: KEY.queue, body: large, props: { headers: {} } });
  await eventually(async () => assert.equal((await deadOf(host)).length, 2));
  const rows = await host.store.parked.list({ state: 'dead', limit: 10 });
  const byReason = Object.fromEntries(rows.map((row) => [row.reason, row]));
  assert.match(byReason['invalid-envelope']?.error ?? '', /\[0\] Body: .* \/ is no valid JSON at character 12/);
  assert.match(byReason['too-large']?.error ?? '', /16777217 bytes, the limit is 16777216/);
  assert.deepEqual(byReason['invalid-envelope']?.body, noJson, 'kept byte for byte');
  assert.equal(byReason['too-large']?.body.length, large.length);
  assert.ok(rows.every((row) => /^sha256:[0-9a-f]{64}$/.test(row.eventId)));
  assert.deepEqual(await host.effects(), []);
});

test('a body of millions of tiny values is a dead letter that says so, before one of them was made', async (t) => {
  const { host } = await open(t);
  const text = `{"EventId":"many","OsClient":"demo","Message":[${Array(5_000_000).fill('{}').join(',')}]}`;
  const body = new TextEncoder().encode(text);
  assert.ok(body.length < MAX_RECEIVED_MESSAGE_BYTES);
  await host.publishRaw({ queue: KEY.queue, body, props: { headers: {} } });
  await eventually(async () => assert.equal((await deadOf(host)).length, 1));
  const [row] = await host.store.parked.list({ state: 'dead', limit: 1 });
  assert.equal(row?.reason, 'invalid-envelope');
  assert.match(row?.error ?? '', /more than 500000 values/);
  assert.deepEqual(await host.effects(), []);
});

test('failure row 21: an EventId comes again with other content; it is neither run nor acknowledged as done', async (t) => {
  const { host } = await open(t);
  await host.send('work', 'e1', { Amount: 1 });
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1']));
  await host.send('work', 'e1', { Amount: 2 });
  await eventually(async () => assert.deepEqual(await deadOf(host), ['e1 1 event-id-reused']));
  assert.deepEqual(await host.effects(), ['e1']);
  const [row] = await host.store.parked.list({ state: 'dead', limit: 1 });
  assert.match(new TextDecoder().decode(row?.body), /"Message":\{"Amount":2\}/, 'its content is kept');
  assert.match(row?.error ?? '', /senders need a new EventId for each event/);
});

for (const [what, statement, advice] of [
  ['does not exist', 'delete from sys_apiengine', /Engine work does not exist: check ApiEngineKey, or run v8host push/],
  ['is disabled', 'update sys_apiengine set IsEnable = 0', /Engine work is disabled: set IsEnable to 1/],
] as const) {
  test(`failure row 22: the engine ${what}; the budget of the binding decides, then it is a dead letter`, async (t) => {
    const script = WORK.replace('/** @queue work */', '/**\n * @queue work\n * @retry 1\n * @backoff fixed:50ms\n */');
    const { host, dataDir } = await open(t, undefined, script);
    await outside(dataDir, tenantFile('demo'), statement);
    await host.send('work', 'e1', {});
    await eventually(async () => assert.deepEqual(await deadOf(host), ['e1 2 engine-missing']));
    const [row] = await host.store.parked.list({ state: 'dead', limit: 1 });
    assert.match(row?.error ?? '', advice);
    await host.push({ 'work.js': `${script}\n` });
    await outside(dataDir, tenantFile('demo'), 'update sys_apiengine set IsEnable = 1');
    assert.equal(await replayDead(host, { all: true }), 1);
    await eventually(async () => assert.deepEqual(await host.effects(), ['e1'], 'nothing was lost'));
  });
}

async function stateOf(host: TestHost): Promise<string[]> {
  return (await host.store.journal.story('e1')).parked.map((row) => `${row.cycle} ${row.state}`);
}

test('failure row 23: a dead letter is replayed although its event was done meanwhile; it ends resolved', async (t) => {
  const script = WORK.replace(
    'V8.Param.Message.Message.Fail',
    "V8.FormEngine.GetTableDataCount('onward').DataCount === 0",
  );
  const { host } = await open(t, undefined, script);
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await deadOf(host), ['e1 1 rejected']));
  await host.store.tables.insert('onward', { Id: 'cured' });
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1'], "the producer's second copy was done"));
  assert.equal(await replayDead(host, { all: true }), 0);
  assert.deepEqual(await stateOf(host), ['1 resolved']);
  assert.deepEqual(await host.effects(), ['e1']);
});

test('failure row 23: the event is done while its replay is under way; the replay is answered by the inbox', async (t) => {
  let replayed: (() => Promise<void>) | undefined;
  const holdReplay = (adapters: Adapters): Adapters => ({
    ...adapters,
    queue: intercept(adapters.queue, 'publish', async (proceed, tenant, messages) => {
      if (messages[0]?.props.headers['x-v8-cycle'] !== '2') return proceed(tenant, messages);
      await new Promise<void>((resolve) => {
        replayed = async () => {
          await proceed(tenant, messages);
          resolve();
        };
      });
    }),
  });
  const script = WORK.replace(
    'V8.Param.Message.Message.Fail',
    "V8.FormEngine.GetTableDataCount('onward').DataCount === 0",
  );
  const { host } = await open(t, holdReplay, script);
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await deadOf(host), ['e1 1 rejected']));
  await host.store.tables.insert('onward', { Id: 'cured' });
  assert.equal(await replayDead(host, { all: true }), 1);
  await eventually(() => assert.ok(replayed));
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1']));
  await replayed?.();
  await eventually(async () => assert.deepEqual(await stateOf(host), ['2 resolved']));
  assert.deepEqual(await attemptsOf(host, 'e1'), ['1 dead SCRIPT_REFUSED', '1 done', '1 duplicate duplicate']);
  assert.deepEqual(await host.effects(), ['e1']);
});

test('failure row 20: the same bytes that come again meet in one dead letter', async (t) => {
  let parked = 0;
  const count = (adapters: Adapters) =>
    withStore(adapters, (store) =>
      withProperty(
        store,
        'parked',
        intercept(store.parked, 'park', async (proceed, request) => {
          await proceed(request);
          parked += 1;
        }),
      ),
    );
  const { host } = await open(t, count);
  const body = new TextEncoder().encode('no json');
  for (let copy = 1; copy <= 3; copy++) await host.publishRaw({ queue: KEY.queue, body, props: { headers: {} } });
  await eventually(() => assert.equal(parked, 3));
  assert.equal((await deadOf(host)).length, 1);
});
