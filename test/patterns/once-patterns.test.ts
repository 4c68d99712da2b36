/** V8.Inbox.Once: work that happens once for a key, in the platform transaction, on both databases. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onceKey } from '../../src/core/once-key.ts';
import { eventually } from '../support/eventually.ts';
import { accepted } from '../support/parsed.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import type { TestHost } from '../support/test-host.ts';
import { DATABASES, openPatternHost, run } from './pattern-host.ts';

const TABLES = ['effect', 'onward'].map((Name) => ({ Name, Fields: [{ Name: 'EventId', Type: 'varchar(200)' }] }));

/** Writes without V8.DbTrans and sends a message; what its function answers comes from the caller. */
const PAY = `
var once = V8.Inbox.Once(V8.Param.Key, function () {
  V8.FormEngine.AddFormData('effect', { EventId: V8.Param.Key });
  V8.Db.FromSql('insert into effect (Id, EventId) values (@id, @key)')
    .AddInParameter('id', V8.Method.NewUlid()).AddInParameter('key', V8.Param.Key).ExecuteNonQuery();
  V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.Key, Message: {} });
  if (V8.Param.Throw) throw new Error('boom');
  return V8.Param.Answer;
});
if (V8.Param.Ignore) return { Code: 1, Data: once };
if (once.Code === 1 && V8.Param.Refuse) return { Code: 0, Msg: 'refused later' };
return once;`;

const SCRIPTS = {
  'pay.js': PAY,
  'pay-too.js': PAY,
  'onward.js': `/** @queue onward */
    return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });`,
  'catcher.js': `
    try { V8.Inbox.Once('k', function () { V8.FormEngine.AddFormData('effect', { EventId: 'undone' }); throw new TypeError('no'); }); }
    catch (e) { V8.FormEngine.AddFormData('effect', { EventId: e.name }, V8.DbTrans); }
    return V8.Inbox.Once('k', function () { V8.FormEngine.AddFormData('effect', { EventId: 'second' }); });`,
  'nest.js': `
    return V8.Inbox.Once('outer', function () {
      var inner = V8.Inbox.Once('inner', function () { V8.FormEngine.AddFormData('effect', { EventId: 'inner' }); });
      var again = V8.Inbox.Once('inner', function () { V8.FormEngine.AddFormData('effect', { EventId: 'twice' }); });
      return { Code: V8.Param.Code, Data: [inner.DataAppend.Ran, again.DataAppend.Ran] };
    });`,
  'parent.js': `
    var child = V8.ApiEngine.Run('pay', { Key: V8.Param.Key });
    return { Code: V8.Param.Code, Data: child.DataAppend.Ran };`,
  'stuck-parent.js': `
    var child = V8.ApiEngine.Run('stuck');
    V8.FormEngine.AddFormData('effect', { EventId: 'parent' }, V8.DbTrans);
    return { Code: 1, Data: child };`,
  'stuck.js': `
    V8.Inbox.Once('s', async function () { V8.FormEngine.AddFormData('effect', { EventId: 'half' }); await V8.Http.GetAsync({ Url: 'http://once.invalid/' }); });
    return { Code: 1 };`,
  'wait.js': `
    return await V8.Inbox.Once('w', async function () {
      await V8.FormEngine.AddFormDataAsync('effect', { EventId: 'waited' });
      var crossed = 'none';
      try { V8.Inbox.Once('x', function () {}); } catch (e) { crossed = e.message; }
      return { Code: V8.Param.Code, Data: crossed };
    });`,
  'beside.js': `
    var write = { EventId: 'beside' };
    var early = V8.Param.By === 'early' ? V8.FormEngine.AddFormDataAsync('effect', write) : null;
    var once = V8.Inbox.Once('b', async function () {
      await V8.FormEngine.AddFormDataAsync('effect', { EventId: 'inside' });
      if (V8.Param.Throw) throw new Error('boom');
      return { Code: V8.Param.Code };
    });
    if (V8.Param.By === 'form') V8.FormEngine.AddFormData('effect', write);
    if (V8.Param.By === 'async') early = V8.FormEngine.AddFormDataAsync('effect', write);
    if (V8.Param.By === 'send') V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'beside', Message: {} });
    if (V8.Param.By === 'sql') V8.Db.FromSql("insert into effect (Id, EventId) values ('x', 'beside')").ExecuteNonQuery();
    if (V8.Param.By === 'read') V8.FormEngine.GetTableDataCount('effect', {});
    try { await once; } catch (e) { }
    await early;
    return { Code: 1 };`,
  'after-beside.js': `
    var once = V8.Inbox.Once('b1', async function () {
      await V8.FormEngine.AddFormDataAsync('effect', { EventId: 'one' });
    });
    V8.FormEngine.AddFormData('effect', { EventId: 'beside' });
    await once;
    V8.Inbox.Once('b2', function () { return { Code: 0 }; });
    return { Code: 1 };`,
  'slow.js': `
    return V8.Inbox.Once('s', function () {
      V8.FormEngine.AddFormData('effect', { EventId: V8.Param.By });
      V8.Action.Sleep(150);
      return { Code: V8.Param.Code === undefined ? 1 : V8.Param.Code };
    });`,
  'misuse.js': `
    var out = [];
    try { V8.Inbox.Once('k'); } catch (e) { out.push(e.message); }
    out.push(V8.Inbox.Once('', function () {}).ReasonCode, V8.Inbox.Once('x'.repeat(129), function () {}).ReasonCode);
    return { Code: 1, Data: out };`,
  'message.js': `/** @queue work */
    var once = V8.Inbox.Once(V8.Param.Message.Message.Order, function () {
      return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.Message.Message.Order });
    });
    V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId + ' ' + once.DataAppend.Ran });
    return once;`,
};

const inboxOf = (host: TestHost, engine: string, key: string) => host.store.findInbox(accepted(onceKey(engine, key)));

/** Calls `slow` as a careful caller does: again when it waited too long for another run of the key. */
async function patiently(host: TestHost, param: object): ReturnType<typeof run> {
  for (;;) {
    const answer = await run(host, 'slow', param);
    if (answer.ReasonCode !== 'DB_BUSY') return answer;
  }
}

for (const [name, urlOf] of DATABASES) {
  describe(`V8.Inbox.Once on ${name}`, () => {
    const open = (t: Parameters<typeof openPatternHost>[0]) => openPatternHost(t, urlOf, SCRIPTS, TABLES);

    test('runs the function once for a key and an engine; every call in it joins, and the message goes with the commit', async (t) => {
      const host = await open(t);
      await host.host.start();
      const first = await run(host, 'pay', { Key: 'A-1', Answer: { Paid: 3 } });
      assert.deepEqual([first.Code, first.Data, first.DataAppend], [1, { Paid: 3 }, { Ran: true }]);
      const second = await run(host, 'PAY', { Key: 'A-1' });
      assert.deepEqual([second.Code, second.Data, second.DataAppend], [1, null, { Ran: false }]);
      assert.match(second.Msg, /done before/);
      assert.deepEqual(await host.effects(), ['A-1', 'A-1'], 'both writes of the one run');
      assert.equal((await run(host, 'pay', { Key: 'a-1' })).DataAppend.Ran, true, 'keys are compared byte by byte');
      assert.equal(
        (await run(host, 'pay-too', { Key: 'A-1' })).DataAppend.Ran,
        true,
        'another engine has its own keys',
      );
      await eventually(async () => assert.deepEqual(await host.effects('onward'), ['on-A-1', 'on-a-1']));
      assert.equal((await inboxOf(host, 'pay', 'A-1'))?.status, 'done');
    });

    test('a throw and a Code other than 1 undo the function alone and free the key; a rollback of the run frees it, too', async (t) => {
      const host = await open(t);
      await host.host.start();
      await assert.rejects(run(host, 'pay', { Key: 'k', Throw: true }), /boom/);
      const no = await run(host, 'pay', { Key: 'k', Answer: { Code: 0, Msg: 'no stock' }, Ignore: true });
      assert.deepEqual(no.Data, { Code: 0, Msg: 'no stock' });
      assert.equal((await run(host, 'pay', { Key: 'k', Refuse: true })).Msg, 'refused later');
      assert.deepEqual([await host.effects(), await inboxOf(host, 'pay', 'k')], [[], undefined]);
      assert.equal((await run(host, 'pay', { Key: 'k' })).DataAppend.Ran, true);
      assert.deepEqual(await host.effects(), ['k', 'k']);
      await eventually(async () =>
        assert.deepEqual(await host.effects('onward'), ['on-k'], 'what was undone sent nothing'),
      );

      assert.equal((await run(host, 'catcher')).DataAppend.Ran, true, 'the key is free in the same run');
      assert.deepEqual(await host.effects(), ['TypeError', 'k', 'k', 'second']);
    });

    test('inside of another it is undone with it; a nested engine has keys of its own in the same transaction', async (t) => {
      const host = await open(t);
      assert.deepEqual((await run(host, 'nest', { Code: 0 })).Data, [true, false]);
      assert.deepEqual([await host.effects(), await inboxOf(host, 'nest', 'inner')], [[], undefined]);
      assert.deepEqual((await run(host, 'nest', { Code: 1 })).Data.Data, [true, false]);
      assert.deepEqual(await host.effects(), ['inner']);

      assert.equal((await run(host, 'parent', { Key: 'n', Code: 0 })).Data, true);
      assert.equal((await run(host, 'parent', { Key: 'n', Code: 1 })).Data, true, 'the root rolled the first one back');
      assert.equal((await run(host, 'parent', { Key: 'n', Code: 1 })).Data, false);
      assert.equal((await run(host, 'pay', { Key: 'n' })).DataAppend.Ran, false, 'the key is the nested engine’s');
    });

    test('an async function is awaited; one that nobody awaits fails its run and leaves nothing', async (t) => {
      const host = await open(t);
      const no = await run(host, 'wait', { Code: 0 });
      assert.match(no.Data, /await the Once before first/);
      assert.deepEqual(await host.effects(), []);
      assert.equal((await run(host, 'wait', { Code: 1 })).DataAppend.Ran, true);
      assert.deepEqual(await host.effects(), ['waited']);
      const { Data } = await run(host, 'stuck-parent');
      assert.deepEqual([Data.Code, Data.ReasonCode], [0, 'SCRIPT_THREW']);
      assert.match(Data.Msg, /await it before the end/);
      assert.deepEqual(await host.effects(), ['parent', 'waited'], 'the caller goes on without the half');
    });

    test('an async function that is undone fails the run that wrote beside it, and no other', async (t) => {
      const host = await open(t);
      for (const By of ['early', 'form', 'async', 'send', 'sql']) {
        for (const no of [{ Throw: true }, { Code: 0 }]) {
          const { code, params } = await run(host, 'beside', { By, ...no }).catch((e) => e);
          assert.deepEqual([By, code], [By, 'SCRIPT_THREW']);
          assert.match(String(params.message), /written beside it was undone/);
        }
        assert.deepEqual(await host.effects(), [], By);
      }
      assert.equal((await run(host, 'beside', { By: 'read', Code: 0 })).Code, 1);
      assert.deepEqual(await host.effects(), []);
      assert.equal((await run(host, 'beside', { By: 'form', Code: 1 })).Code, 1);
      assert.equal((await run(host, 'after-beside')).Code, 1, 'a later key that is undone took nothing along');
      assert.deepEqual(await host.effects(), ['beside', 'beside', 'inside', 'one']);
    });

    test('a wrong key or no function is refused', async (t) => {
      const { Data } = await run(await open(t), 'misuse');
      assert.match(Data[0], /second argument is a function/);
      assert.deepEqual(Data.slice(1), ['PARAM_MISSING', 'EVENT_ID_INVALID']);
    });

    test('two messages about one thing do it once, and a trial of a third leaves no row', async (t) => {
      const host = await open(t);
      const message = { queue: 'work', messageJson: '{"Order":"o-1"}', allowHttp: false };
      const trial = await host.host.services.tryMessage('demo', message, 'en');
      assert.equal(trial.would, 'acknowledge');
      assert.equal(await inboxOf(host, 'message', 'o-1'), undefined);
      await host.host.start();
      await host.send('work', 'e1', { Order: 'o-1' });
      await host.send('work', 'e2', { Order: 'o-1' });
      await eventually(async () => assert.equal((await host.rows('onward')).length, 2));
      const ran = (await host.effects('onward')).map((line) => line.slice(3)).sort();
      assert.deepEqual([await host.effects(), ran], [['o-1'], ['false', 'true']]);
    });

    test('the key is free again after the retention of the inbox', async (t) => {
      const host = await open(t);
      await run(host, 'pay', { Key: 'old' });
      const never = {
        deadLettersMs: -1e12,
        inboxMs: -1e12,
        attemptsMs: 1e12,
        logsMs: 1e12,
        versionsMs: 1e12,
        auditMs: 1e12,
      };
      await host.store.purge(never);
      assert.equal((await run(host, 'pay', { Key: 'old' })).DataAppend.Ran, true);
    });
  });
}

test('V8.Inbox.Once on two hosts at once: whoever comes second waits, then finds it done, or runs when the first gave up', async (t) => {
  const { url } = await freshDatabase();
  const hosts: TestHost[] = [];
  for (const _ of ['one', 'two']) hosts.push(await openPatternHost(t, async () => url, SCRIPTS, TABLES, { lanes: 2 }));
  const calls = Array.from({ length: 12 }, (_, i) => patiently(hosts[i % 2] as TestHost, { By: `run ${i}` }));
  const answers = await Promise.all(calls);
  assert.deepEqual(answers.map(({ Code, DataAppend }) => [Code, DataAppend.Ran]).sort(), [
    ...Array.from({ length: 11 }, () => [1, false]),
    [1, true],
  ]);
  const [one, two] = hosts as [TestHost, TestHost];
  assert.deepEqual(await one.effects(), await two.effects());
  assert.equal((await one.effects()).length, 1);

  await one.store.purge({
    deadLettersMs: -1e12,
    inboxMs: -1e12,
    attemptsMs: 1e12,
    logsMs: 1e12,
    versionsMs: 1e12,
    auditMs: 1e12,
  });
  const both = await Promise.all([
    patiently(one, { By: 'gave up', Code: 0 }),
    patiently(two, { By: 'went on' }),
    patiently(one, { By: 'gave up', Code: 0 }),
  ]);
  assert.equal(both[1]?.DataAppend.Ran, true);
  assert.equal((await one.effects()).filter((by) => by === 'went on').length, 1);
  assert.ok(!(await one.effects()).includes('gave up'));
});
