/** Rows of `diy_queue_receive` edited by hand while the host runs. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { attemptsOf, consoleOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { Gate, STOP_AT_GATE } from '../support/gate.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

async function open(t: TestContext, scripts: Record<string, string>, gate = new Gate()) {
  const dataDir = tempDir(t);
  const log = new RecordingLog();
  const host = await TestHost.open(dataDir, { log, lanes: 3, decorate: (adapters) => gate.guard(adapters) });
  t.after(() => host.close());
  t.after(() => gate.open());
  await host.push(scripts);
  /** Edits the table and lets the loop see it. */
  const edit = async (statement: string) => {
    await outside(dataDir, tenantFile('demo'), statement);
    await host.host.reconciler.reconcile();
  };
  return { host, log, edit };
}

test('an edited binding is used from the next message on, without attaching again', async (t) => {
  const says = (word: string) => `console.log('${word}');\nreturn { Code: 0, Msg: '${word}' };`;
  const { host, log, edit } = await open(t, { 'one.js': `/** @queue work */\n${says('one')}`, 'two.js': says('two') });
  await host.host.start();
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 dead SCRIPT_REFUSED']));
  await edit("update diy_queue_receive set ApiEngineKey = 'two', FailToReject = '是', Count = 1, Backoff = 'none'");
  await host.send('work', 'e2', {});
  const expected = ['1 retry SCRIPT_REFUSED', '2 dead SCRIPT_REFUSED'];
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e2'), expected));
  assert.deepEqual(await consoleOf(host, 'e1'), ['one']);
  assert.deepEqual(await consoleOf(host, 'e2'), ['two', 'two']);
  assert.equal(log.of('consumer.attached').length, 1);
});

test('a raised Prefetch is used at once; with IsEnable 0 the queue is left alone until it is switched on', async (t) => {
  const gate = new Gate();
  const work = `/**\n * @queue work\n * @inbox off\n */\n${STOP_AT_GATE}\nreturn { Code: 1 };`;
  const { host, log, edit } = await open(t, { 'work.js': work }, gate);
  for (const eventId of ['e1', 'e2', 'e3']) await host.send('work', eventId, {});
  await gate.arrived(1);
  assert.equal(gate.arrivals.length, 1);
  await edit('update diy_queue_receive set Prefetch = 2');
  await gate.arrived(2);
  await edit('update diy_queue_receive set IsEnable = 0');
  assert.equal(log.of('consumer.detached').length, 1);
  assert.equal(host.host.reconciler.attached, 0);
  gate.open();
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e2'), ['1 done'], 'what ran has settled'));
  await host.host.inFlight.idle();
  assert.deepEqual(await host.adapters.queue.depth('demo', 'microi.demo.work'), { ready: 1, unsettled: 0 });
  assert.deepEqual(await attemptsOf(host, 'e3'), []);
  await edit('update diy_queue_receive set IsEnable = 1');
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e3'), ['1 done']));
});

test('a row that cannot be bound is reported once, again when it changes, and the others live on', async (t) => {
  const { host, log, edit } = await open(t, { 'work.js': '/** @queue work */\nreturn { Code: 1 };' });
  await edit(
    "insert into diy_queue_receive (Id, QueueName, Type, ApiEngineKey, Prefetch) values ('bad', 'bad', 1, 'work', 0)",
  );
  await host.host.reconciler.reconcile();
  const messages = () => log.of('binding.refused').map(({ fields }) => String(fields.message));
  assert.equal(messages().length, 1, 'said once over two passes');
  assert.match(messages()[0] ?? '', /queue bad: Prefetch is invalid: .*whole number from 1 to 1000/);
  assert.equal(host.host.reconciler.refusalsOf('demo').length, 1);
  await edit("update diy_queue_receive set Prefetch = 1, Backoff = 'soon' where Id = 'bad'");
  assert.equal(messages().length, 2);
  assert.match(messages()[1] ?? '', /queue bad: Backoff is invalid: .*write none, fixed:5s or exp:1s\.\.60s/);
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']));
  await edit("update diy_queue_receive set Backoff = 'none' where Id = 'bad'");
  assert.deepEqual(host.host.reconciler.refusalsOf('demo'), []);
  assert.equal(host.host.reconciler.attached, 2);
});

test('two tenants with the same queue names and EventIds on one host do not meet', async (t) => {
  const noted = (who: string) => `/** @queue work */
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: '${who} ' + V8.OsClient + ' ' + V8.Param.Message.Message.Who });
return V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on', Message: { Who: '${who}' } });
`;
  const onward = `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId, Note: V8.Param.Message.Message.Who });
`;
  const { host } = await open(t, { 'work.js': noted('first'), 'onward.js': onward });
  await host.host.services.addTenant('factory', undefined);
  await host.push({ 'work.js': noted('second'), 'onward.js': onward }, undefined, 'factory');
  await host.send('work', 'e1', { Who: 'a' });
  await host.send('work', 'e1', { Who: 'b' }, 'factory');
  const notes = async (tenant: string, table: string) => {
    const query = { table, columns: [], where: [], includeDeleted: true, sort: [], limit: 10, offset: 0 };
    const rows = await host.adapters.directory.get(tenant)?.tables.select(query);
    return rows?.map((row) => row.Note);
  };
  await eventually(async () => {
    assert.deepEqual(await notes('demo', 'onward'), ['first']);
    assert.deepEqual(await notes('factory', 'onward'), ['second']);
  });
  assert.deepEqual(await notes('demo', 'effect'), ['first demo a']);
  assert.deepEqual(await notes('factory', 'effect'), ['second factory b']);
});
