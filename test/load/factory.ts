import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync } from 'mqtt';
import { HostProcess } from '../support/host-process.ts';
import { ownPort } from '../support/own-port.ts';
import { readProject } from '../support/script-project.ts';
import type { LoadOptions } from './day-plan.ts';
import { ErpServer } from './erp-server.ts';

/** Where the group's host runs. */
export interface FactoryPlace {
  /** Empty directory for the host's data. */
  readonly dir: string;
  /** Keys of a host configuration, such as `databaseUrl` and `queueUrl`. */
  readonly config?: Record<string, unknown>;
  /** Management interface of RabbitMQ with user and password, where `config` names a queue: tenants get accounts there. */
  readonly rabbitManagement?: string;
}

/** One plant: a tenant with devices, an ERP and a key for its callers. */
export interface Plant {
  readonly tenant: string;
  readonly mqttUser: string;
  readonly mqttPassword: string;
  readonly key: string;
  readonly erp: ErpServer;
}

/** The host and its tenants, ready for the first deed. */
export interface Factory {
  readonly host: HostProcess;
  readonly mqttUrl: string;
  readonly plants: readonly Plant[];
  end(): Promise<void>;
}

/** The main tenant is a plant, too. */
const MAIN = 'demo';
const SCRIPTS = join(import.meta.dirname, 'scripts');
const READY_MS = 60_000;

/** Starts the host, makes the tenants and binds the scripts beside this file. */
export async function openFactory(place: FactoryPlace, { tenants }: Pick<LoadOptions, 'tenants'>): Promise<Factory> {
  const port = await ownPort();
  const erps = await Promise.all(Array.from({ length: tenants }, () => ErpServer.open()));
  const host = await HostProcess.create(place.dir, {
    ...{ log: { level: 'warn' }, lang: 'en', drainSeconds: 30 },
    ...place.config,
    mqtt: { enabled: true, port, account: 'device', password: 'password-of-demo', engine: 'alarm-gate' },
    outbound: { allow: erps.map(({ url }) => new URL(url).host) },
    // One user calls for a whole plant here.
    http: { callsPerSecond: 10_000 },
  });
  const plants: Plant[] = [];
  const end = async (): Promise<void> => {
    await host.stop();
    await Promise.all(erps.map((erp) => erp.close()));
  };
  const mqttUrl = `mqtt://127.0.0.1:${port}`;
  try {
    await host.start();
    for (const [n, erp] of erps.entries()) plants.push(await openPlant(host, n, erp, place));
    await Promise.all(plants.map((plant) => untilDevicesMayCome(mqttUrl, plant)));
    return { host, mqttUrl, plants, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Settings of a host from a file as people write it. @throws Error that names the file. */
export function readHostConfig(file: string): Record<string, unknown> {
  if (!existsSync(file)) throw new Error(`--config: ${file} does not exist`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch {
    throw new Error(`--config: ${file} is not JSON`);
  }
}

async function openPlant(host: HostProcess, n: number, erp: ErpServer, place: FactoryPlace): Promise<Plant> {
  const tenant = n === 0 ? MAIN : `plant-${n}`;
  const mqttPassword = `password-of-${tenant}`;
  const account = n === 0 ? 'device' : `device-${n}`;
  if (n > 0) {
    await accepted(host, 'POST', 'tenants', { tenant });
    if (place.rabbitManagement !== undefined) await openQueueAccount(host, tenant, place.rabbitManagement);
  }
  await accepted(host, 'PUT', `tenants/${tenant}/engines`, { files: readProject(SCRIPTS) });
  if (n > 0) {
    const mqtt = { MqttEnable: true, MqttAccount: account, MqttPwd: mqttPassword, MqttApiEngine: 'alarm-gate' };
    await accepted(host, 'PATCH', `tenants/${tenant}/settings`, mqtt);
  }
  await accepted(host, 'POST', `tenants/${tenant}/engines/load-setup/run`, { ErpUrl: erp.url });
  const made = await accepted(host, 'POST', `tenants/${tenant}/keys`, { name: 'load', role: 'developer' });
  const { key } = made as { readonly key: string };
  return { tenant, mqttUser: `${tenant}:${account}`, mqttPassword, key, erp };
}

async function openQueueAccount(host: HostProcess, tenant: string, management: string): Promise<void> {
  const url = new URL(management);
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = '';
  url.password = '';
  await accepted(host, 'POST', `tenants/${tenant}/rabbitmq-setup`, { url: url.href, user, password });
}

/** Calls the admin API. @returns `Data`. @throws Error with the answer's sentence. */
export async function accepted(host: HostProcess, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await host.apiPatiently(method, path, body);
  if (answer.body.Code !== 1) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.Msg}`);
  return answer.body.Data;
}

/** The broker reads a tenant's settings again every few seconds. */
async function untilDevicesMayCome(url: string, plant: Plant): Promise<void> {
  const login = { username: plant.mqttUser, password: plant.mqttPassword, clientId: 'probe', reconnectPeriod: 0 };
  for (const deadline = Date.now() + READY_MS; ; await sleep(200)) {
    try {
      const probe = await connectAsync(url, login, false);
      await probe.endAsync();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
