import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { freshDatabase } from './fresh-database.ts';
import { freshRedis } from './fresh-redis.ts';
import { freshVhost } from './fresh-vhost.ts';
import { services } from './services.ts';

test('a fresh database is utf8mb4, empty, and its user sees no other', async () => {
  const [mine, other] = [await freshDatabase(), await freshDatabase()];
  const connection = await createConnection(mine.url);
  const ask = async (text: string) => (await connection.query<RowDataPacket[]>(text))[0];
  const [row] = await ask('select database() name, @@character_set_database charset');
  assert.deepEqual({ ...row }, { name: mine.name, charset: 'utf8mb4' });
  assert.deepEqual(await ask('show tables'), []);
  const visible = (await ask('show databases')).map((each) => String(each.Database));
  assert.ok(visible.includes(mine.name) && !visible.includes(other.name), visible.join());
  await connection.end();
});

test('the database server flushes each commit', async () => {
  const { adminUrl } = await freshDatabase();
  const connection = await createConnection(adminUrl);
  const [[row]] = await connection.query<RowDataPacket[]>('select @@innodb_flush_log_at_trx_commit level');
  assert.equal(row?.level, 1);
  await connection.end();
});

test('a fresh vhost takes messages, and its user may not enter another', async () => {
  const [mine, other] = [await freshVhost(), await freshVhost()];
  const connection = await connect(mine.url);
  const channel = await connection.createConfirmChannel();
  const { queue } = await channel.assertQueue('');
  channel.sendToQueue(queue, Buffer.from('hello'));
  await channel.waitForConfirms();
  const message = await channel.get(queue, { noAck: true });
  assert.equal(message === false ? undefined : message.content.toString(), 'hello');
  await connection.close();
  await assert.rejects(connect(mine.url.replace(mine.vhost, other.vhost)));
});

test('fresh Redis databases are apart', async () => {
  const [mine, other] = [new Redis(await freshRedis()), new Redis(await freshRedis())];
  await mine.set('k', '1');
  assert.equal(await mine.get('k'), '1');
  assert.equal(await other.get('k'), null);
  mine.disconnect();
  other.disconnect();
});

test('all services have addresses', async () => {
  const urls = await services();
  assert.deepEqual(Object.keys(urls).sort(), ['mysqlUrl', 'rabbitApiUrl', 'rabbitUrl', 'redisUrl']);
});
