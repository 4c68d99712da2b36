/** Rows of `diy_queue_receive` edited in SQL while two hosts consume from RabbitMQ. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { GateServer } from '../support/gate-server.ts';
import type { HostProcess } from '../support/host-process.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { column, logged, messagesIn, push, send, startHosts, tablesJson } from './engine-hosts.ts';

test('an edited Prefetch, engine and IsEnable are used from the next pass on, without attaching again', async (t) => {
  const [database, vhost, gate] = [await freshDatabase(), await freshVhost(), await GateServer.listen(t)];
  const urls = { databaseUrl: database.url, queueUrl: vhost.url };
  const config = { outbound: { allow: [`127.0.0.1:${gate.port}`] }, sandbox: { lanes: 4 } };
  const [host] = (await startHosts(t, ['one'], urls, config)) as [HostProcess];
  const stop = `V8.Http.Post({ Url: 'http://127.0.0.1:${gate.port}/', PostParam: {} });\n`;
  const note = (engine: string) =>
    `return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Engine: '${engine}' });\n`;
  await push(host, {
    'tables.json': tablesJson({ effect: ['EventId', 'Engine'] }),
    'one.js': `/** @queue work */\n${stop}${note('one')}`,
    'two.js': note('two'),
  });
  const edit = (set: string) => sqlAsAdmin(database.url, `update diy_queue_receive set ${set}`);
  const effects = () => column(database.url, "select concat(EventId, ' ', Engine) from effect");

  for (const eventId of ['e1', 'e2', 'e3', 'e4', 'e5']) await send(host, 'work', eventId);
  await eventually(() => assert.equal(gate.requests, 1));
  await edit('Prefetch = 3');
  await eventually(() => assert.equal(gate.requests, 3));
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(gate.requests, 3, 'and no more');
  gate.open();
  const first = ['e1 one', 'e2 one', 'e3 one', 'e4 one', 'e5 one'];
  await eventually(async () => assert.deepEqual(await effects(), first));

  await edit("ApiEngineKey = 'two'");
  await eventually(async () => {
    const { body } = await host.api('GET', 'tenants/demo/binding-states');
    assert.deepEqual(
      (body.Data as { engineKey: string }[]).map(({ engineKey }) => engineKey),
      ['two'],
    );
  });
  await send(host, 'work', 'e6');
  await eventually(async () => assert.deepEqual(await effects(), [...first, 'e6 two']));
  assert.equal(logged(host, 'consumer.attached').length, 1);

  await edit('IsEnable = 0');
  await eventually(() => assert.equal(logged(host, 'consumer.detached').length, 1));
  await send(host, 'work', 'e7');
  await eventually(async () => assert.equal(await messagesIn(vhost), 1));
  assert.deepEqual(await effects(), [...first, 'e6 two']);
  await edit('IsEnable = 1');
  await eventually(async () => assert.deepEqual(await effects(), [...first, 'e6 two', 'e7 two']));
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});
