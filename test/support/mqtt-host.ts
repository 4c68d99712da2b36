import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { IClientOptions, MqttClient } from 'mqtt';
import { EmbeddedBrokerStore } from '../../src/adapters/embedded/broker-store.ts';
import { DEFAULT_BROKER_LIMITS } from '../../src/adapters/mqtt/broker-limits.ts';
import { startBroker } from '../../src/adapters/mqtt/mqtt-broker.ts';
import type { Row } from '../../src/ports/table-store.ts';
import type { TenantStore } from '../../src/ports/tenant-store.ts';
import { connectClient, RawClient } from './mqtt-broker.ts';
import { SILENT_LOG } from './silent-log.ts';
import { tempDir } from './temp-dir.ts';
import { TestHost, type TestHostOptions } from './test-host.ts';

export const ACCOUNT = { username: 'demo:device', password: 'device-password' } as const;

/** Notes every event and every message; what a payload asks for is done. */
export const DEVICE_ENGINE = `
var m = V8.MQTT;
V8.FormEngine.AddFormData('effect', { EventId: V8.EventName, Note: JSON.stringify(m) });
if (V8.EventName !== 'MessageReceived') return { Code: 1 };
var ask = (m.Payload && m.Payload.ask) || '';
if (ask === 'block') return { Code: 0, Msg: 'too hot' };
if (ask === 'throw') throw new Error('broken');
if (ask === 'loop') while (true) {}
if (ask === 'send') return V8.MQ.SendMsg({ QueueName: 'readings', EventId: 'r-' + m.Payload.n, Message: m.Payload });
if (ask === 'answer') return V8.MQTT.Publish({ Topic: 'answers/' + m.ClientId, Payload: { n: m.Payload.n }, Qos: 1 });
if (ask === 'answer-and-block') { V8.MQTT.Publish('answers/' + m.ClientId, 'never', 1); return { Code: 0 }; }
return { Code: 1 };
`;

/** The use cases with the real broker, lanes and databases, on a data directory. */
export class MqttHost {
  readonly host: TestHost;
  readonly store: EmbeddedBrokerStore;
  readonly port: number;
  readonly #t: TestContext;
  #closed = false;

  private constructor(t: TestContext, host: TestHost, store: EmbeddedBrokerStore, port: number) {
    this.#t = t;
    this.host = host;
    this.store = store;
    this.port = port;
  }

  static async start(t: TestContext, options: TestHostOptions & { readonly dir?: string } = {}): Promise<MqttHost> {
    const dir = options.dir ?? tempDir(t);
    const mqtt = { enabled: true, account: 'device', password: ACCOUNT.password, engine: 'device', ...options.mqtt };
    const host = await TestHost.open(dir, { lanes: 2, ...options, mqtt });
    await host.push({ 'device.js': DEVICE_ENGINE });
    await host.host.start();
    const store = EmbeddedBrokerStore.open(join(dir, 'host.db'));
    const parts = { store, clock: host.adapters.clock, log: options.log ?? SILENT_LOG, limits: DEFAULT_BROKER_LIMITS };
    const listener = {
      kind: 'mqtt',
      bind: '127.0.0.1',
      port: 0,
      setting: 'mqtt.port',
      portsTried: 0,
      maxMessageBytes: 1e6,
    } as const;
    const broker = await host.host.mqtt.start((rules) => startBroker({ ...parts, rules }, [listener]));
    const test = new MqttHost(t, host, store, broker.listeners[0]?.port ?? 0);
    t.after(() => test.close());
    return test;
  }

  client(options: IClientOptions = {}, messages?: string[]): Promise<MqttClient> {
    return connectClient(this.#t, `mqtt://127.0.0.1:${this.port}`, { ...ACCOUNT, ...options }, messages);
  }

  raw(): Promise<RawClient> {
    return RawClient.open(this.#t, this.port);
  }

  /** Events that scripts have seen and committed, in the order of their rows. */
  async events(name?: string): Promise<Record<string, unknown>[]> {
    const rows = (await this.host.rows('effect')).filter((row) => name === undefined || row.EventId === name);
    return rows.map((row) => ({ name: row.EventId, ...JSON.parse(String(row.Note)) }));
  }

  rows(table: string, store: TenantStore = this.host.store): Promise<readonly Row[]> {
    const query = { table, columns: [], where: [], includeDeleted: true, sort: [], limit: 10_000, offset: 0 };
    return store.tables.select(query);
  }

  /** As SIGTERM does. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.host.close();
    this.store.close();
  }
}
