/**
 * Ordering by key over the real embedded adapters: messages of one key run one after another in the order of their
 * queue, a failed one keeps the later ones of its key behind it, other keys go on.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

/** Notes the event, after failing as often as the message says. */
const ORDERED = `/**
 * @queue work
 * @orderKey Order.Id
 * @prefetch 4
 * @retry 3
 * @backoff fixed:300ms
 */
var message = V8.Param.Message.Message;
if (message.Fail > 0 && V8.FormEngine.GetTableData('onward', { _Where: [['EventId', '=', 'fixed']] }).DataCount === 0)
  return { Code: 0, Msg: 'not yet' };
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: message.Order ? message.Order.Id : '' });
`;

async function open(t: TestContext, dataDir: string) {
  const host = await TestHost.open(dataDir, { lanes: 2 });
  t.after(() => host.close());
  await host.push({ 'work.js': ORDERED });
  await host.host.start();
  return host;
}

const sendAll = async (host: TestHost, key: string | number, ids: readonly string[], more: object = {}) => {
  for (const id of ids) await host.send('work', id, { Order: { Id: key }, ...more });
};

const repair = (host: TestHost) => host.store.tables.insert('onward', { Id: 'x', EventId: 'fixed' });
const breakAgain = (host: TestHost) =>
  host.store.tables.delete({
    table: 'onward',
    where: [{ glue: 'and', column: 'Id', operator: 'eq', value: 'x' }],
    includeDeleted: true,
  });

/** EventIds with an effect, in the order in which they ran. */
async function order(host: TestHost, key: string): Promise<string[]> {
  const rows = [...(await host.rows('effect'))].filter(({ Note }) => Note === key);
  return rows.sort((a, b) => (String(a.Id) < String(b.Id) ? -1 : 1)).map((row) => String(row.EventId));
}

const parkedStates = async (host: TestHost) =>
  (await host.store.parked.list({ limit: 100 })).map((row) => `${row.eventId} ${row.parkedState}`).sort();

test('failure row 38: messages of one key run in their order', async (t) => {
  const dataDir = tempDir(t);
  const host = await open(t, dataDir);

  await t.test('one that fails keeps the later ones behind it; other keys and messages without one go on', async () => {
    await sendAll(host, 'a', ['a1'], { Fail: 1 });
    await sendAll(host, 'a', ['a2', 'a3', 'a4']);
    await sendAll(host, 'b', ['b1', 'b2']);
    await host.send('work', 'free', {});
    await eventually(async () => assert.deepEqual(await host.effects(), ['b1', 'b2', 'free']));
    const waiting = ['a1 waiting', 'a2 behind', 'a3 behind', 'a4 behind'];
    await eventually(async () => assert.deepEqual(await parkedStates(host), waiting));
    await repair(host);
    await eventually(async () => assert.deepEqual(await order(host, 'a'), ['a1', 'a2', 'a3', 'a4']));
    await eventually(async () => assert.deepEqual(await parkedStates(host), [], 'nothing of the key is left'));
    await sendAll(host, 'a', ['a5']);
    await eventually(async () => assert.equal((await order(host, 'a')).at(-1), 'a5'));
    await breakAgain(host);
  });

  await t.test(
    'one that is given up lets the later ones go on, and comes first again when it is replayed',
    async () => {
      await sendAll(host, 7, ['c1'], { Fail: 1 });
      await sendAll(host, '7', ['c2']);
      await eventually(async () => assert.deepEqual(await order(host, '7'), ['c2']));
      assert.deepEqual(await parkedStates(host), ['c1 dead']);
      await repair(host);
      const replayed = await host.host.services.replayDeadLetters('demo', { eventId: 'c1' }, 'en');
      assert.equal(replayed.replayed.length, 1);
      await sendAll(host, '7', ['c3']);
      await eventually(async () => assert.deepEqual(await order(host, '7'), ['c2', 'c1', 'c3']));
      await breakAgain(host);
    },
  );

  await t.test('one that the database could not serve keeps its place', async () => {
    const writer = await host.store.begin(1_000);
    await sendAll(host, 'd', ['d1', 'd2', 'd3']);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await writer.rollback();
    await eventually(async () => assert.deepEqual(await order(host, 'd'), ['d1', 'd2', 'd3']));
  });

  await t.test('those that wait behind another follow it after a restart', async (t) => {
    await sendAll(host, 'e', ['e1'], { Fail: 1 });
    await sendAll(host, 'e', ['e2', 'e3']);
    const waiting = ['e1 waiting', 'e2 behind', 'e3 behind'];
    await eventually(async () => assert.deepEqual((await parkedStates(host)).slice(-3), waiting));
    await repair(host);
    await host.close();
    const second = await open(t, dataDir);
    await eventually(async () => assert.deepEqual(await order(second, 'e'), ['e1', 'e2', 'e3']));
  });
});
