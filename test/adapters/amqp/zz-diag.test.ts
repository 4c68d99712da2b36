import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'amqplib';
import { startRabbitMq } from '../../support/services/rabbitmq.ts';

test('x', async () => {
  await using node = await startRabbitMq();
  for (const wait of [3000, 0, 3000, 0, 300, 1000]) {
    const c = await connect(node.url); c.on('error', () => {});
    const ch = await c.createConfirmChannel(); ch.on('error', () => {});
    const q = `q${wait}-${Date.now()}`;
    await ch.assertQueue(q, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    for (let i = 0; i < 200; i++) ch.publish('', q, Buffer.from('x'), { persistent: true });
    await ch.waitForConfirms();
    await node.kill();
    const started = node.start();
    let c2;
    if (wait) { await started; await delay(wait); c2 = await connect(node.url); }
    else for (;;) { try { c2 = await connect(node.url); break; } catch { await delay(5); } }
    c2.on('error', () => {});
    const ch2 = await c2.createChannel(); ch2.on('error', () => {});
    const t0 = Date.now();
    const r = await Promise.race([ch2.checkQueue(q).catch(String), delay(6000, 'timeout')]);
    await started;
    process.stderr.write(`${wait}: ${JSON.stringify(r)} ${Date.now() - t0}\n`);
    c2.close().catch(()=>{});
  }
});
