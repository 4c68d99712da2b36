/** A database that the original platform made works as it is; ours is added beside it, and to it only on demand. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'amqplib';
import { runCli } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { type FreshDatabase, freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { column, logged, prepareHosts, push, send } from './engine-hosts.ts';
import { PLATFORM_SCHEMA, PLATFORM_TABLE_NAMES } from './platform-schema.ts';

/** As an author of the platform writes it: `await` before everything, flags and dates in the platform's way. */
const ORDER_ENGINE = `
var order = V8.Param.Message.Message;
var stock = await V8.FormEngine.GetFormData('diy_stock', { _Where: [['Sku', '=', order.Sku]] });
if (stock.Code !== 1) return stock;
var taken = await V8.FormEngine.UptFormData('diy_stock', { Id: stock.Data.Id, Stock: stock.Data.Stock - 1 });
if (taken.Code !== 1) return taken;
var added = await V8.FormEngine.AddFormData('diy_order', {
  OrderNo: V8.Param.EventId, Customer: order.Customer, Paid: true, OrderTime: '2026-08-20 09:30:00', Amount: 12.5
});
if (added.Code !== 1) return added;
var back = await V8.FormEngine.GetFormData('diy_order', { Id: added.Data.Id });
return {
  Code: back.Data.Paid === 1 && back.Data.OrderTime === '2026-08-20 09:30:00' && back.Data.Amount === 12.5 ? 1 : 0,
  Msg: JSON.stringify(back.Data)
};
`;

const FAILING_ENGINE = `
await V8.FormEngine.AddFormData('diy_order', { OrderNo: V8.Param.EventId });
return { Code: 0, Msg: '库存不足' };
`;

async function platformDatabase(): Promise<FreshDatabase> {
  const database = await freshDatabase({ charset: 'latin1' });
  await sqlAsAdmin(database.url, PLATFORM_SCHEMA.join(';'));
  // The first one is stored as older editors did.
  await sqlAsAdmin(
    database.url,
    `set names utf8mb4;
     insert into sys_osclients (Id, OsClient, ClientName) values ('t1', 'demo', '演示');
     insert into sys_apiengine (Id, ApiName, ApiEngineKey, ApiV8Code, IsEnable)
       values ('a1', '下单', 'Order-Intake', '${Buffer.from(ORDER_ENGINE).toString('base64')}', b'1'),
              ('a2', '失败', 'always-fails', '${FAILING_ENGINE.replaceAll("'", "''")}', null),
              ('a3', '停用', 'switched-off', 'return { Code: 1 };', b'0');
     insert into diy_queue_receive (Id, QueueName, Type, ApiEngineKey, FailToReject, \`Count\`, IsDeleted)
       values ('q1', 'orders', 1, 'order-intake', '否', 0, b'0'),
              ('q2', 'failing', 1, 'always-fails', '是', 1, null),
              ('q3', 'gone', 1, 'order-intake', '否', 0, b'1');
     insert into diy_stock (Id, CreateTime, Sku, Stock, IsDeleted)
       values ('s1', '2026-01-01 00:00:00', 'P-1', 10, 0)`,
  );
  return database;
}

/** Definitions of the platform's tables, to be found unchanged. */
async function definitions(database: FreshDatabase): Promise<string[]> {
  const texts: string[] = [];
  for (const name of PLATFORM_TABLE_NAMES) {
    const [row] = await sqlAsAdmin(database.url, `show create table ${name}`);
    texts.push(String(row?.['Create Table']));
  }
  return texts;
}

async function hostOn(t: TestContext, database: FreshDatabase, queueUrl: string): Promise<HostProcess> {
  const [host] = (await prepareHosts(t, ['one'], { databaseUrl: database.url, queueUrl })) as [HostProcess];
  await host.start();
  return host;
}

test('a database of the original platform works as it is, and gets our columns by migrate --extend only', async (t) => {
  const [database, vhost] = [await platformDatabase(), await freshVhost()];
  const before = await definitions(database);
  const host = await hostOn(t, database, vhost.url);
  const attached = () => logged(host, 'consumer.attached').map(({ queue }) => queue);
  await eventually(() => assert.deepEqual(attached().sort(), ['microi.demo.failing', 'microi.demo.orders']));
  const warnings = logged(host, 'database.misconfigured').map(({ message }) => message);
  assert.match(warnings.join('\n'), /character set is latin1, not utf8mb4/);

  await sendAsPlatform(vhost.url, 'microi.demo.orders', 'order-1', { Sku: 'P-1', Customer: '张三' });
  await send(host, 'orders', 'order-1', { Sku: 'P-1', Customer: '张三' });
  await send(host, 'failing', 'bad-1');
  await eventually(async () =>
    assert.deepEqual(await column(database.url, "select concat(State, ' ', Attempt) from mq_parked"), ['dead 2']),
  );
  await eventually(async () =>
    assert.deepEqual(await column(database.url, "select Verdict from mq_attempt where EventId = 'order-1'"), [
      'done',
      'duplicate',
    ]),
  );
  const orders = await sqlAsAdmin(
    database.url,
    'select OrderNo, Customer, Paid + 0 as Paid, OrderTime, Amount from diy_order',
  );
  assert.deepEqual(
    orders.map((row) => ({ ...row })),
    [{ OrderNo: 'order-1', Customer: '张三', Paid: 1, OrderTime: '2026-08-20 09:30:00', Amount: '12.50' }],
  );
  assert.deepEqual(await column(database.url, 'select Stock from diy_stock'), ['9']);
  const log =
    "select concat(Type, ' ', Status) from diy_queue_receive_log where MessageId = 'order-1' and Type = '接收'";
  await eventually(async () => assert.deepEqual(await column(database.url, log), ['接收 成功', '接收 成功']));
  assert.deepEqual(await definitions(database), before, 'nothing of the platform was changed');

  const script = { path: 'mine.js', text: '/** @queue mine */\nreturn { Code: 1 };\n' };
  const refused = await host.api('PUT', 'tenants/demo/engines', { files: [script] });
  assert.equal(refused.body.Code, 0);
  assert.match(refused.body.Msg, /diy_queue_receive lacks the column Source.*run v8host migrate --extend/);
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));

  const config = join(host.dataDir, 'v8host.config.json');
  const plain = await runCli(['migrate', '--config', config], { cwd: host.dataDir });
  assert.deepEqual([plain.code, plain.out.trim().split('\n').at(-1)], [0, 'demo  open']);
  assert.deepEqual(await definitions(database), before, 'migrate alone changes nothing, either');
  const extended = await runCli(['migrate', '--extend', '--config', config], { cwd: host.dataDir });
  assert.equal(extended.code, 0, extended.err);
  const ours = [
    'Backoff',
    'Inbox',
    'IsEnable',
    'LegacyAck',
    'OrderKey',
    'Prefetch',
    'QueueType',
    'Source',
    'TimeoutSeconds',
  ];
  const added = `select column_name from information_schema.columns
    where table_schema = database() and table_name = 'diy_queue_receive' and column_name in ('${ours.join("','")}')`;
  assert.deepEqual(await column(database.url, added), ours);

  await host.start();
  await push(host, { [script.path]: script.text });
  for (const [queue, eventId] of [
    ['mine', 'mine-1'],
    ['orders', 'order-2'],
  ] as const) {
    await send(host, queue, eventId, { Sku: 'P-1', Customer: '李四' });
    const verdicts = `select Verdict from mq_attempt where EventId = '${eventId}'`;
    await eventually(async () => assert.deepEqual(await column(database.url, verdicts), ['done']));
  }
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

/** Publishes as the original platform does (mq-mqtt.md 3.4 to 3.6), which has declared the queue. */
async function sendAsPlatform(url: string, queue: string, eventId: string, message: unknown): Promise<void> {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const envelope = {
    EventId: eventId,
    Id: eventId,
    OsClient: 'demo',
    TraceParent: traceparent,
    TraceState: null,
    Message: message,
    CurrentUserId: null,
  };
  const model = await connect(url);
  const channel = await model.createChannel();
  await channel.assertQueue(queue, { durable: true });
  channel.sendToQueue(queue, Buffer.from(JSON.stringify(envelope)), {
    persistent: true,
    contentType: 'application/json',
    type: 'microi.tenant-message.v1',
    messageId: eventId,
    headers: { traceparent: Buffer.from(traceparent) },
  });
  await channel.close();
  await model.close();
}
