import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'amqplib';
import { Redis as Client } from 'ioredis';
import { processesUnder } from './left-over.ts';
import { startMariaDb } from './mariadb.ts';
import { QUORUM_QUEUE_SETTLED_MS, startRabbitMq } from './rabbitmq.ts';
import { startRedis } from './redis.ts';
import { serviceDir } from './service-dir.ts';

test('MariaDB keeps what was committed over a kill, on the same port', async () => {
  await using server = await startMariaDb();
  await server.sql('create database d; create table d.t (id int primary key); insert into d.t values (1)');
  const { url, pid } = server;
  await server.kill();
  await assert.rejects(server.sql('select 1'));
  await server.start();
  assert.equal(server.url, url);
  assert.notEqual(server.pid, pid);
  assert.deepEqual(
    (await server.sql('select id from d.t')).map((row) => row.id),
    [1],
  );
});

test('MariaDB stops in order and starts again', async () => {
  await using server = await startMariaDb();
  await server.stop();
  assert.equal(server.isRunning, false);
  await server.start();
  assert.equal((await server.sql('select 1 as one'))[0]?.one, 1);
});

test('RabbitMQ keeps confirmed messages over a kill, on the same ports', async () => {
  await using node = await startRabbitMq();
  const before = await connect(node.url);
  before.on('error', () => undefined);
  const channel = await before.createConfirmChannel();
  await channel.assertQueue('kept', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  channel.sendToQueue('kept', Buffer.from('hello'), { persistent: true });
  await channel.waitForConfirms();
  await sleep(QUORUM_QUEUE_SETTLED_MS);
  await node.kill();
  await assert.rejects(connect(node.url));
  await node.start();
  const after = await connect(node.url);
  const message = await (await after.createChannel()).get('kept', { noAck: true });
  assert.equal(message === false ? undefined : message.content.toString(), 'hello');
  await after.close();
});

test('rabbitmqctl reaches its own node, and ending the node leaves no process', async () => {
  const dir = serviceDir('rabbitmq');
  {
    await using node = await startRabbitMq(dir, { config: ['consumer_timeout = 5000'] });
    const timeout = await node.rabbitmqctl('eval', 'application:get_env(rabbit, consumer_timeout).');
    assert.equal(timeout.trim(), '{ok,5000}');
    assert.ok(processesUnder(dir).length >= 2, 'the node and its port mapper');
  }
  assert.deepEqual(processesUnder(dir), []);
  assert.ok(existsSync(dir), 'a folder goes with the process, not with the service');
});

test('Redis forgets at a kill unless it is durable', async () => {
  for (const [durable, expected] of [[false, null] as const, [true, '1'] as const]) {
    await using server = await startRedis(undefined, { durable });
    const client = new Client(server.url);
    client.on('error', () => undefined);
    await client.set('k', '1');
    await server.kill();
    await server.start();
    assert.equal(await client.get('k'), expected);
    client.disconnect();
  }
});

test('a frozen service keeps its connections and answers after the thaw', async () => {
  await using server = await startRedis();
  const client = new Client(server.url);
  await client.ping();
  await server.freeze();
  let isAnswered = false;
  const answer = client.ping().then((text) => {
    isAnswered = true;
    return text;
  });
  await sleep(200);
  assert.equal(isAnswered, false);
  server.thaw();
  assert.equal(await answer, 'PONG');
  client.disconnect();
});

test('a service that cannot start says why', async () => {
  await assert.rejects(startMariaDb(undefined, { args: ['--no-such-option'] }), /did not start:.*no-such-option/s);
});
