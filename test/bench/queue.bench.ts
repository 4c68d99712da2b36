/**
 * `npm run bench -- queue`: messages per second through the sandboxed, idempotent path against a hand-written
 * consumer with the same inbox insert and update in one transaction, at the same prefetch, in turns. Absolute rates
 * are noise on shared machines; the ratios count.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import amqp from 'amqplib';
import mysql from 'mysql2/promise';
import { encodeEnvelope } from '../../src/core/envelope.ts';
import { HostProcess } from '../support/host-process.ts';
import { startMariaDb } from '../support/services/mariadb.ts';
import { startRabbitMq } from '../support/services/rabbitmq.ts';
import { type Bar, median, reportBars } from './bars.ts';

const MESSAGES = Number(process.env.BENCH_MESSAGES ?? 4_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const PREFETCHES = [1, 32] as const;
const TARGET = 0.7;

/** Rows that the messages update in turn, so that parallel runs meet on a row now and then, as in life. */
const STOCK_ROWS = 100;

interface Place {
  readonly amqpUrl: string;
  readonly mysqlUrl: string;
  readonly db: mysql.Pool;
  readonly host: HostProcess;
}

await main();

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'v8host-bench-'));
  for (const name of ['rabbit', 'maria']) mkdirSync(join(dir, name));
  const [rabbit, maria] = await Promise.all([startRabbitMq(join(dir, 'rabbit')), startMariaDb(join(dir, 'maria'))]);
  const place = await openPlace(dir, rabbit.url, maria.url);
  try {
    const bars: Bar[] = [];
    for (const prefetch of PREFETCHES) bars.push(await compare(place, prefetch));
    reportBars(bars);
  } finally {
    await place.host.stop();
    await place.db.end();
    await rabbit.stop();
    await maria.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function openPlace(dir: string, amqpUrl: string, serverUrl: string): Promise<Place> {
  const admin = await mysql.createConnection({ uri: serverUrl });
  await admin.query('CREATE DATABASE bench CHARACTER SET utf8mb4');
  await admin.end();
  const mysqlUrl = new URL('/bench', serverUrl).href;
  const db = mysql.createPool({ uri: mysqlUrl, connectionLimit: 2 });
  const host = await HostProcess.create(dir, {
    databaseUrl: mysqlUrl,
    queueUrl: amqpUrl,
    log: { level: 'warn' },
    pool: { perTenant: 40 },
  });
  await host.start();
  await pushEngine(host, 1);
  await db.query('CREATE TABLE bench_inbox (EventId varchar(128) PRIMARY KEY) ENGINE=InnoDB');
  return { amqpUrl, mysqlUrl, db, host };
}

/** Binds the engine with a prefetch; 0 leaves the queue alone. */
async function pushEngine(host: HostProcess, prefetch: number): Promise<void> {
  const binding = prefetch === 0 ? '' : ` * @queue bench\n * @prefetch ${prefetch}\n`;
  const source = `/**\n * @engineKey bench\n${binding} */
var updated = V8.FormEngine.UptFormData('bench_stock', { Id: V8.Param.Message.Message.Id, Stock: V8.Param.Message.Message.Number });
return updated.Code === 1 && updated.DataCount === 1 ? { Code: 1 } : { Code: 0, Msg: updated.Msg };
`;
  const rows = Array.from({ length: STOCK_ROWS }, (_, i) => ({ Id: `row-${i}`, Stock: 0 }));
  const tables = JSON.stringify([{ Name: 'bench_stock', Fields: [{ Name: 'Stock', Type: 'int' }], Rows: rows }]);
  const files = [
    { path: 'bench.js', text: source },
    { path: 'tables.json', text: tables },
  ];
  const answer = await host.api('PUT', 'tenants/demo/engines', { files, prune: true });
  if (answer.body.Code !== 1) throw new Error(JSON.stringify(answer.body));
}

async function compare(place: Place, prefetch: number): Promise<Bar> {
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const byHand = await measureByHand(place, prefetch);
    const ours = await measureOurs(place, prefetch);
    ratios.push(ours / byHand);
    const rates = `by hand ${byHand.toFixed(0)}/s, sandboxed ${ours.toFixed(0)}/s, ratio ${(ours / byHand).toFixed(2)}`;
    process.stdout.write(`prefetch ${prefetch} round ${round}: ${rates}\n`);
  }
  return { name: `queue-prefetch-${prefetch}`, value: median(ratios), target: TARGET };
}

async function measureByHand(place: Place, prefetch: number): Promise<number> {
  await pushEngine(place.host, 0);
  const prefix = await fill(place);
  const args = [
    join(import.meta.dirname, 'hand-written-consumer.ts'),
    place.amqpUrl,
    place.mysqlUrl,
    'microi.demo.bench',
  ];
  const consumer = spawn(process.execPath, [...args, String(prefetch)], { stdio: 'inherit' });
  try {
    return await rate(place, `select count(*) as n from bench_inbox where EventId like '${prefix}%'`);
  } finally {
    await end(consumer);
  }
}

async function measureOurs(place: Place, prefetch: number): Promise<number> {
  const prefix = await fill(place);
  await pushEngine(place.host, prefetch);
  // By the table's key, as the other side: what the count costs is taken from the messages.
  const key = `TenantLower = 'demo' and QueueName = 'microi.demo.bench' and EventId like '${prefix}%'`;
  const done = `select count(*) as n from mq_inbox where ${key} and Status = 'done'`;
  return rate(place, done);
}

/** Messages per second between the first and the last tenth, so that starting does not count. */
async function rate(place: Place, counting: string): Promise<number> {
  const from = await waitFor(place, counting, MESSAGES / 10);
  const to = await waitFor(place, counting, (MESSAGES * 9) / 10);
  await waitFor(place, counting, MESSAGES);
  return (to.count - from.count) / ((to.at - from.at) / 1000);
}

async function waitFor(place: Place, counting: string, least: number): Promise<{ count: number; at: number }> {
  const deadline = Date.now() + 180_000;
  for (;;) {
    const [rows] = await place.db.query<mysql.RowDataPacket[]>(counting);
    const count = Number(rows[0]?.n ?? 0);
    if (count >= least) return { count, at: performance.now() };
    if (Date.now() > deadline) throw new Error(`stuck at ${count} of ${least}:\n${place.host.output.slice(-3_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Puts the messages of one measurement into the queue. @returns the prefix of their EventIds. */
async function fill(place: Place): Promise<string> {
  const prefix = `b${Date.now()}-`;
  const connection = await amqp.connect(place.amqpUrl);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue('microi.demo.bench', { durable: true });
  for (let i = 0; i < MESSAGES; i += 1) {
    const eventId = `${prefix}${i}`;
    const messageJson = JSON.stringify({ Id: `row-${i % STOCK_ROWS}`, Number: i });
    const fields = { eventId, tenant: 'demo', traceParent: null, traceState: null, messageJson, currentUserId: null };
    channel.sendToQueue('microi.demo.bench', Buffer.from(encodeEnvelope(fields)), {
      persistent: true,
      messageId: eventId,
    });
  }
  await channel.waitForConfirms();
  await connection.close();
  return prefix;
}

async function end(consumer: ChildProcess): Promise<void> {
  const exited = once(consumer, 'exit');
  consumer.kill('SIGKILL');
  await exited;
}
