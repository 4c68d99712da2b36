import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { HostProcess } from '../support/host-process.ts';
import type { SeededRandom } from '../support/random.ts';
import { readProject } from '../support/script-project.ts';
import { type MariaDb, startMariaDb } from '../support/services/mariadb.ts';
import { managementApi, type RabbitMq, startRabbitMq } from '../support/services/rabbitmq.ts';
import { type Redis, startRedis } from '../support/services/redis.ts';
import { TcpProxy } from '../support/services/tcp-proxy.ts';
import type { EffectReader } from './effects.ts';

/** RabbitMQ account of the tenant, whose password changes under way. */
const USER = 'chaos';

/** How a cluster is made. */
export interface ClusterOptions {
  /** Empty directory for the data of everything. */
  readonly dir: string;
  readonly queueType: 'classic' | 'quorum';
  readonly hosts: number;
}

/** Hosts over RabbitMQ, MariaDB and Redis, each a process of its own. */
export interface Cluster {
  readonly maria: MariaDb;
  readonly rabbit: RabbitMq;
  readonly redis: Redis;
  /** The hosts' way to database and queue, where connections are cut. */
  readonly proxies: readonly TcpProxy[];
  readonly hosts: readonly HostProcess[];
  readonly reader: EffectReader;
  /** Gives the tenant's RabbitMQ account another password, at the server and in its row. */
  changePassword(): Promise<void>;
  /** Ends whatever still runs. */
  end(): Promise<void>;
}

/** Starts the services and the hosts, and binds the scripts beside this file. */
export async function startCluster(options: ClusterOptions, random: SeededRandom): Promise<Cluster> {
  const { dir } = options;
  const names = Array.from({ length: options.hosts }, (_, i) => `host-${i + 1}`);
  for (const name of ['maria', 'rabbit', 'redis', ...names]) mkdirSync(join(dir, name));
  const [maria, rabbit, redis] = await Promise.all([
    startMariaDb(join(dir, 'maria')),
    startRabbitMq(join(dir, 'rabbit')),
    startRedis(join(dir, 'redis')),
  ]);
  await maria.sql('CREATE DATABASE chaos CHARACTER SET utf8mb4');
  const databaseUrl = new URL('/chaos', maria.url).href;
  const proxies = [await TcpProxy.open(databaseUrl), await TcpProxy.open(rabbit.url)];
  const hosts: HostProcess[] = [];
  const cluster: Cluster = {
    ...{ maria, rabbit, redis, proxies, hosts },
    reader: readerOf(databaseUrl),
    changePassword: () => changePassword(cluster, random),
    end: () => endAll(cluster),
  };
  for (const name of names) {
    const host = await HostProcess.create(join(dir, name), {
      databaseUrl: proxies[0]?.url(databaseUrl),
      queueUrl: proxies[1]?.url(rabbit.url),
      cacheUrl: redis.url,
      queue: { type: options.queueType },
      log: { level: 'warn' },
      reconcileSeconds: 2,
      drainSeconds: 30,
      sandbox: { lanes: random.pick([2, 3]) },
    });
    hosts.push(host);
    // The first one makes the tables.
    await host.start();
  }
  await openAccount(cluster);
  const files = readProject(join(import.meta.dirname, 'scripts'));
  const pushed = await hosts[0]?.api('PUT', 'tenants/demo/engines', { files });
  assert.equal(pushed?.body.Code, 1, JSON.stringify(pushed?.body));
  return cluster;
}

async function openAccount(cluster: Cluster): Promise<void> {
  await cluster.changePassword();
  const all = { configure: '.*', write: '.*', read: '.*' };
  const made = await managementApi(cluster.rabbit.apiUrl, 'PUT', `/api/permissions/%2F/${USER}`, all);
  assert.ok(made.ok);
}

/** First at the server: until the hosts have read the row they are refused, and must come back by themselves. */
async function changePassword({ maria, rabbit }: Cluster, random: SeededRandom): Promise<void> {
  const password = `chaos-${random.between(1, 1_000_000_000)}`;
  const changed = await managementApi(rabbit.apiUrl, 'PUT', `/api/users/${USER}`, { password, tags: '' });
  assert.ok(changed.ok);
  const row = `MQUserName = '${USER}', MQPassword = '${password}', MQVitrualHost = '/'`;
  await maria.sql(`UPDATE chaos.sys_osclients SET ${row} WHERE OsClient = 'demo'`);
}

function readerOf(databaseUrl: string): EffectReader {
  const read = async (sql: string) => {
    const connection = await mysql.createConnection({ uri: databaseUrl });
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

async function endAll({ maria, rabbit, redis, proxies, hosts }: Cluster): Promise<void> {
  await Promise.all(hosts.map((host) => host.kill()));
  await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()));
  await Promise.all([maria, rabbit, redis].map((service) => service.kill()));
}
