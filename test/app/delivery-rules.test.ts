/**
 * Rules of exactly-once delivery that no contract suite of one port can show, over the real embedded adapters. Each
 * name begins with the fault it keeps out: F1 a swallowed loss, F10 copies, F14 sends, F15 lost updates.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import { attemptsOf, consoleOf, deadOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { Gate, STOP_AT_GATE } from '../support/gate.ts';
import { intercept, withProperty } from '../support/intercept.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost, type TestHostOptions } from '../support/test-host.ts';
import { withTx } from './crash-points.ts';

const ONWARD = `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });
`;

const EFFECT = "V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });";
const SEND_ON = "V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });";

async function open(t: TestContext, scripts: Record<string, string>, options: TestHostOptions = {}) {
  const dataDir = tempDir(t);
  const host = await TestHost.open(dataDir, options);
  t.after(() => host.close());
  await host.push(scripts);
  await host.host.start();
  return { host, dataDir };
}

test('F1: a script that ignores every Code 0 after its transaction was lost commits nothing of that run', async (t) => {
  const careless = `/**
 * @queue work
 * @retry 5
 */
console.log(V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: 'before' }).Code);
console.log(V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: 'doom' }).ReasonCode);
console.log(V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: 'after' }).ReasonCode);
console.log(V8.FormEngine.UptFormDataByWhere('effect', { Note: 'changed', _Where: [['Note', '=', 'after']] }).ReasonCode);
${SEND_ON}
return { Code: 1 };
`;
  const { host, dataDir } = await open(t, { 'work.js': careless, 'onward.js': ONWARD });
  const file = tenantFile('demo');
  // The database itself ends the transaction, as a deadlock does elsewhere.
  const trigger = `create trigger doom before insert on effect when new.Note = 'doom'
    begin select raise(rollback, 'the transaction is over'); end`;
  await outside(dataDir, file, trigger);
  await host.send('work', 'e1', {});
  await eventually(async () => assert.ok((await consoleOf(host, 'e1')).length >= 8, 'it ran twice at least'));
  assert.deepEqual(await host.effects(), []);
  assert.deepEqual(await host.effects('onward'), []);
  assert.equal(await host.store.findInbox({ queue: 'microi.demo.work', eventId: 'e1' }), undefined);
  assert.deepEqual((await consoleOf(host, 'e1')).slice(0, 4), ['1', 'DB_TORN', 'DB_TORN', 'DB_TORN']);
  assert.deepEqual(await host.store.parked.list({ limit: 10 }), [], 'no attempt was counted');
  await outside(dataDir, file, 'drop trigger doom');
  await eventually(async () => assert.deepEqual(await host.effects('onward'), ['on-e1']));
  assert.deepEqual((await host.rows('effect')).map((row) => row.Note).sort(), ['before', 'changed', 'doom']);
  assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']);
});

test('F10: a late host call of a run ended at its deadline reaches neither the database nor the next transaction', async (t) => {
  let letGo = (): void => {};
  const slow = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const late: string[] = [];
  const holdInsertOfWork = (adapters: Adapters) =>
    withTx(adapters, (tx) => {
      const tables = intercept(tx.tables, 'insert', async (proceed, table, row) => {
        if (row.Note !== 'work') return proceed(table, row);
        late.push('asked');
        await slow;
        return proceed(table, row).finally(() => late.push('answered'));
      });
      return withProperty(tx, 'tables', tables);
    });
  const gate = new Gate();
  const work = `/**
 * @queue work
 * @timeout 1s
 */
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: 'work' });
return { Code: 1 };
`;
  const call = `
V8.FormEngine.AddFormData('effect', { EventId: 'call' }, V8.DbTrans);
${STOP_AT_GATE}
return { Code: 1 };
`;
  const decorate = (adapters: Adapters) => gate.guard(holdInsertOfWork(adapters));
  const { host } = await open(t, { 'work.js': work, 'call.js': call }, { decorate, lanes: 2 });
  t.after(() => gate.open());
  await host.send('work', 'e1', {});
  await eventually(() => assert.deepEqual(late, ['asked']));
  // It gets the writer, and the connection, when the deadline has taken them from the message's run.
  const called = host.host.services.run('demo', 'call', {});
  await gate.arrived();
  letGo();
  await eventually(() => assert.deepEqual(late, ['asked', 'answered']));
  gate.open();
  assert.deepEqual(await called, { Code: 1 });
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 dead V8_TIMEOUT']));
  assert.deepEqual(await host.effects(), ['call'], 'the late statement is in no transaction');
});

test('F10: fifty copies of one event at once have one effect and one onward message, and hold nobody up', async (t) => {
  const gate = new Gate();
  const work = `/**
 * @queue work
 * @prefetch 20
 */
${EFFECT}
${STOP_AT_GATE}
return ${SEND_ON}
`;
  const scripts = { 'work.js': work, 'onward.js': ONWARD, 'other.js': 'return { Code: 1, Data: 42 };' };
  const { host } = await open(t, scripts, { lanes: 2, decorate: (adapters) => gate.guard(adapters) });
  t.after(() => gate.open());
  await Promise.all(Array.from({ length: 50 }, () => host.send('work', 'e1', { Same: true })));
  await gate.arrived();
  assert.deepEqual(await host.host.services.run('demo', 'other', {}), { Code: 1, Data: 42 }, 'a lane is free');
  assert.equal(host.adapters.runner.status().busy, 1, 'copies wait without a lane');
  gate.open();
  await eventually(async () => {
    assert.deepEqual(await host.effects('onward'), ['on-e1']);
    const depth = await host.adapters.queue.depth('demo', 'microi.demo.work');
    assert.deepEqual(depth, { ready: 0, unsettled: 0 });
  });
  assert.equal(gate.arrivals.length, 1, 'one run');
  assert.deepEqual(await host.effects(), ['e1']);
  const attempts = await attemptsOf(host, 'e1');
  assert.equal(attempts.filter((attempt) => attempt === '1 done').length, 1);
  assert.equal(attempts.filter((attempt) => attempt === '1 duplicate duplicate').length, 49);
  assert.deepEqual(await attemptsOf(host, 'on-e1'), ['1 done']);
});

test('F8: the same EventId in two queues is two events', async (t) => {
  const noted = (queue: string) => `/** @queue ${queue} */
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: '${queue}' });
`;
  const { host } = await open(t, { 'one.js': noted('one'), 'two.js': noted('two') });
  for (const queue of ['one', 'two', 'one', 'two']) await host.send(queue, 'e1', {});
  await eventually(async () => assert.equal((await attemptsOf(host, 'e1')).length, 4));
  assert.deepEqual((await host.rows('effect')).map((row) => row.Note).sort(), ['one', 'two']);
});

test('F9: a message that waits shortly is not held up by one that waits long', async (t) => {
  const failing = (queue: string, wait: string) => `/**
 * @queue ${queue}
 * @retry 1
 * @backoff fixed:${wait}
 */
console.log('run');
return { Code: 0 };
`;
  const { host } = await open(t, { 'long.js': failing('long', '1h'), 'short.js': failing('short', '100ms') });
  await host.send('long', 'e-long', {});
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e-long'), ['1 retry SCRIPT_REFUSED']));
  await host.send('short', 'e-short', {});
  await eventually(async () => assert.deepEqual(await deadOf(host), ['e-short 2 budget-exhausted']));
  assert.deepEqual(await attemptsOf(host, 'e-long'), ['1 retry SCRIPT_REFUSED']);
});

test('F14: what a call sends while its platform transaction is open is sent by its commit only', async (t) => {
  const call = `
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.Id }, V8.DbTrans);
var sent = V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.Id, Message: {} });
if (sent.Code !== 1) return sent;
return { Code: V8.Param.Code };
`;
  const { host } = await open(t, { 'call.js': call, 'onward.js': ONWARD });
  await host.host.services.run('demo', 'call', { Id: 'undone', Code: 0 });
  await host.host.services.run('demo', 'call', { Id: 'kept', Code: 1 });
  await eventually(async () => {
    assert.deepEqual(await host.effects('onward'), ['on-kept']);
    assert.equal((await host.store.outbox.pending()).rows, 0);
  });
  assert.deepEqual(await host.effects(), ['kept']);
});

test('F15: different messages that read and write one row at once lose no update', async (t) => {
  const take = `/**
 * @queue take
 * @prefetch 10
 */
var row = V8.FormEngine.GetFormData('stock', { Id: 'one' });
if (row.Code !== 1) return row;
return V8.FormEngine.UptFormData('stock', { Id: 'one', Amount: row.Data.Amount - 1 });
`;
  const dataDir = tempDir(t);
  const host = await TestHost.open(dataDir, { lanes: 2 });
  t.after(() => host.close());
  const rows = [{ Id: 'one', Amount: 100 }];
  await host.push({ 'take.js': take }, [{ Name: 'stock', Fields: [{ Name: 'Amount', Type: 'int' }], Rows: rows }]);
  await Promise.all(Array.from({ length: 30 }, (_, i) => host.send('take', `e${i}`, {})));
  await eventually(async () =>
    assert.deepEqual(
      (await host.rows('stock')).map((row) => row.Amount),
      [70],
    ),
  );
});
