/**
 * `npm run bench -- publish`: messages per second of `SendMsg` from 16 scripts at once, against the same messages by
 * amqplib on one confirm channel with 16 in flight, and against a channel and a transaction for each, as the original
 * platform does it. In turns; the ratios count.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import amqp from 'amqplib';
import { encodeEnvelope } from '../../src/core/envelope.ts';
import { startRabbitMq } from '../support/services/rabbitmq.ts';
import type { TestHost } from '../support/test-host.ts';
import { openAmqpHost, settingsOfUrl } from './amqp-host.ts';
import { median, reportBars } from './bars.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const MESSAGES = Number(process.env.BENCH_MESSAGES ?? 8_000);
const IN_FLIGHT = 16;
/** A transaction for each message is slow: fewer tell as much. */
const NAIVE_PART = 0.1;
const QUEUE = 'microi.demo.bench';

/** Methods of AMQP's class 90, for which amqplib has no words of its own. */
const TX = { select: 0x5a000a, selectOk: 0x5a000b, commit: 0x5a0014, commitOk: 0x5a0015 };

const SCRIPT = `
for (var i = 0; i < V8.Param.Count; i++) {
  var sent = V8.MQ.SendMsg({ QueueName: 'bench', Message: { Id: 'row-' + i, Number: i } });
  if (sent.Code !== 1) return sent;
}
return { Code: 1 };
`;

const BODY = Buffer.from(
  encodeEnvelope({
    eventId: '01JAAAAAAAAAAAAAAAAAAAAAAA',
    tenant: 'demo',
    traceParent: null,
    traceState: null,
    messageJson: JSON.stringify({ Id: 'row-1', Number: 1 }),
    currentUserId: null,
  }),
);

await main();

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-bench-'));
  for (const name of ['rabbit', 'data']) mkdirSync(join(dir, name));
  const rabbit = await startRabbitMq(join(dir, 'rabbit'));
  const amqpHost = await openAmqpHost(join(dir, 'data'), {
    lanes: IN_FLIGHT,
    settingsOf: () => settingsOfUrl(rabbit.url),
  });
  const { host } = amqpHost;
  const connection = await amqp.connect(rabbit.url);
  try {
    await host.push({ 'bench.js': SCRIPT });
    await declareQueue(connection);
    const [raw, naive] = await compare(host, connection);
    reportBars([
      { name: 'publish-of-confirmed', value: raw, target: 0.8 },
      { name: 'publish-times-transactions', value: naive, target: 10 },
    ]);
  } finally {
    await connection.close();
    await amqpHost.close();
    await rabbit.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function compare(host: TestHost, connection: amqp.ChannelModel): Promise<[number, number]> {
  const ratios: [number[], number[]] = [[], []];
  await sendByScripts(host, MESSAGES / 8);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const raw = await sendConfirmed(connection, MESSAGES);
    const ours = await sendByScripts(host, MESSAGES);
    const naive = await sendInTransactions(connection, MESSAGES * NAIVE_PART);
    await purge(connection);
    ratios[0].push(ours / raw);
    ratios[1].push(ours / naive);
    const rates = [raw, ours, naive].map((rate) => `${rate.toFixed(0)}/s`);
    process.stdout.write(`round ${round}: confirmed ${rates[0]}, scripts ${rates[1]}, transactions ${rates[2]}\n`);
  }
  return [median(ratios[0]), median(ratios[1])];
}

async function sendByScripts(host: TestHost, messages: number): Promise<number> {
  return rate(messages, async (count) => {
    const result = (await host.host.services.run('demo', 'bench', { Count: count }, 'en')) as { Code: number };
    if (result.Code !== 1) throw new Error(JSON.stringify(result));
  });
}

async function sendConfirmed(connection: amqp.ChannelModel, messages: number): Promise<number> {
  const channel = await connection.createConfirmChannel();
  const publishOne = () =>
    new Promise<void>((resolve, reject) => {
      channel.publish('', QUEUE, BODY, { persistent: true, mandatory: true }, (error) =>
        error ? reject(error as Error) : resolve(),
      );
    });
  const result = await rate(messages, async (count) => {
    for (let i = 0; i < count; i++) await publishOne();
  });
  await channel.close();
  return result;
}

async function sendInTransactions(connection: amqp.ChannelModel, messages: number): Promise<number> {
  return rate(messages, async (count) => {
    for (let i = 0; i < count; i++) {
      const channel = await connection.createChannel();
      const { rpc } = channel as unknown as { rpc(method: number, fields: object, answer: number): Promise<unknown> };
      await rpc.call(channel, TX.select, {}, TX.selectOk);
      channel.publish('', QUEUE, BODY, { persistent: true });
      await rpc.call(channel, TX.commit, {}, TX.commitOk);
      await channel.close();
    }
  });
}

/** Messages per second with 16 senders at once, each with its part. */
async function rate(messages: number, send: (count: number) => Promise<void>): Promise<number> {
  const each = Math.ceil(messages / IN_FLIGHT);
  const begun = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, () => send(each)));
  return (each * IN_FLIGHT * 1000) / (performance.now() - begun);
}

async function declareQueue(connection: amqp.ChannelModel): Promise<void> {
  const channel = await connection.createChannel();
  await channel.assertQueue(QUEUE, { durable: true });
  await channel.close();
}

async function purge(connection: amqp.ChannelModel): Promise<void> {
  const channel = await connection.createChannel();
  await channel.purgeQueue(QUEUE);
  await channel.close();
}
