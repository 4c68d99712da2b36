/**
 * The promise under fire on the real engines: two hosts as competing consumers over RabbitMQ, MariaDB and Redis, all
 * of them killed and restarted at random moments, a host frozen and resumed, connections cut; scripts that ignore every
 * failure and scripts with opposite lock order among them; classic and quorum queues.
 * Repeat a run with CHAOS_SEED=<printed seed>.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import mysql from 'mysql2/promise';
import { HostProcess } from '../support/host-process.ts';
import { chaosSeed, SeededRandom } from '../support/random.ts';
import { readProject } from '../support/script-project.ts';
import { type MariaDb, startMariaDb } from '../support/services/mariadb.ts';
import { type RabbitMq, startRabbitMq } from '../support/services/rabbitmq.ts';
import { type Redis, startRedis } from '../support/services/redis.ts';
import type { ServiceProcess } from '../support/services/service-process.ts';
import { TcpProxy } from '../support/services/tcp-proxy.ts';
import { tempDir } from '../support/temp-dir.ts';
import { checkEffects, type EffectReader, isSettled, readProgress } from './effects.ts';
import { type Blow, killHost, killLane, pause, sendAll, strikeAll } from './load.ts';
import { copiesOf, type Order, planOrders, planPoison } from './plan.ts';

const POISON = 6;
const SETTLE_MS = 240_000;

/** Everything under the two hosts. */
interface Cluster {
  readonly maria: MariaDb;
  readonly rabbit: RabbitMq;
  readonly redis: Redis;
  /** The hosts' way to database and queue, where connections are cut. */
  readonly proxies: readonly TcpProxy[];
  readonly hosts: readonly HostProcess[];
}

for (const [queueType, orderCount] of [
  ['classic', 1_000],
  ['quorum', 400],
] as const) {
  test(`${orderCount} orders over two hosts, ${queueType} queues: one effect each, poison dead once`, {
    timeout: 600_000,
  }, async (t) => {
    const seed = chaosSeed();
    t.diagnostic(`chaos seed ${seed}`);
    const random = new SeededRandom(seed);
    const cluster = await startCluster(t, queueType, random);
    const orders = planOrders(orderCount, random);
    const poison = planPoison(POISON);
    const struck = strikeAll(blowsOn(cluster, random), random, 3_000);
    await sendAll(cluster.hosts, random.shuffle([...orders, ...poison].flatMap(copiesOf)));
    t.diagnostic(`struck: ${(await struck).join(' ')}`);
    await untilSettled(t, cluster, orders, poison);
    for (const host of cluster.hosts) assert.equal(await host.stop(), 0, host.output.slice(-3_000));
    await checkEffects(readerOf(cluster), orders, poison);
  });
}

async function startCluster(t: TestContext, queueType: string, random: SeededRandom): Promise<Cluster> {
  const dir = tempDir(t);
  for (const name of ['maria', 'rabbit', 'redis', 'one', 'two']) mkdirSync(join(dir, name));
  const [maria, rabbit, redis] = await Promise.all([
    startMariaDb(join(dir, 'maria')),
    startRabbitMq(join(dir, 'rabbit')),
    startRedis(join(dir, 'redis')),
  ]);
  for (const service of [maria, rabbit, redis]) t.after(() => service.kill());
  await maria.sql('CREATE DATABASE chaos CHARACTER SET utf8mb4');
  const databaseUrl = new URL('/chaos', maria.url).href;
  const proxies = [await TcpProxy.open(databaseUrl), await TcpProxy.open(rabbit.url)];
  for (const proxy of proxies) t.after(() => proxy[Symbol.asyncDispose]());
  const hosts: HostProcess[] = [];
  for (const name of ['one', 'two']) {
    const host = await HostProcess.create(join(dir, name), {
      databaseUrl: proxies[0]?.url(databaseUrl),
      queueUrl: proxies[1]?.url(rabbit.url),
      cacheUrl: redis.url,
      queue: { type: queueType },
      log: { level: 'warn' },
      reconcileSeconds: 2,
      drainSeconds: 30,
      sandbox: { lanes: random.pick([2, 3]) },
    });
    t.after(() => host.kill());
    await host.start();
    hosts.push(host);
  }
  const files = readProject(join(import.meta.dirname, 'scripts'));
  const pushed = await hosts[0]?.api('PUT', 'tenants/demo/engines', { files });
  assert.equal(pushed?.body.Code, 1, JSON.stringify(pushed?.body));
  return { maria, rabbit, redis, proxies, hosts };
}

function blowsOn(cluster: Cluster, random: SeededRandom): Blow[] {
  const { maria, rabbit, redis, proxies, hosts } = cluster;
  return [
    ...hosts.flatMap((host) => [killHost(host, 2), killLane(host, 4, random)]),
    restart('mariadb', maria, 2, random),
    restart('rabbitmq', rabbit, 2, random),
    restart('redis', redis, 2, random),
    { name: 'cut', times: 6, strike: async () => random.pick(proxies).cut() },
    freeze(random.pick(hosts), 1),
  ];
}

function restart(name: string, service: ServiceProcess, times: number, random: SeededRandom): Blow {
  return {
    name,
    times,
    async strike() {
      await service.kill();
      await pause(random.between(0, 2_000));
      await service.start();
    },
  };
}

/** Longer than the database lets a silent transaction live, so that the host finds itself fenced when it goes on. */
function freeze(host: HostProcess, times: number): Blow {
  return {
    name: 'freeze',
    times,
    async strike() {
      if (!host.isRunning) return;
      process.kill(host.pid, 'SIGSTOP');
      await pause(18_000);
      process.kill(host.pid, 'SIGCONT');
    },
  };
}

async function untilSettled(
  t: TestContext,
  cluster: Cluster,
  orders: readonly Order[],
  poison: readonly Order[],
): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const progress = await readProgress(readerOf(cluster));
    if (isSettled(progress, orders, poison)) return;
    if (Date.now() > deadline) {
      for (const host of cluster.hosts) t.diagnostic(host.output.slice(-4_000));
      assert.fail(`not settled: ${JSON.stringify(progress)}`);
    }
    await pause(500);
  }
}

function readerOf({ maria }: Cluster): EffectReader {
  const read = async (sql: string) => {
    const connection = await mysql.createConnection({ uri: new URL('/chaos', maria.url).href });
    try {
      const [rows] = await connection.query<mysql.RowDataPacket[]>(sql);
      return rows;
    } finally {
      await connection.end();
    }
  };
  return {
    count: async (sql) => Number((await read(sql))[0]?.n),
    ids: async (sql) => (await read(sql)).map((row) => String(row.EventId)).sort(),
  };
}
