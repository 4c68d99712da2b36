import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import mqttPacket, { type Packet } from 'mqtt-packet';
import { EmbeddedBrokerStore } from '../../src/adapters/embedded/broker-store.ts';
import { type BrokerLimits, DEFAULT_BROKER_LIMITS } from '../../src/adapters/mqtt/broker-limits.ts';
import type { ListenerOptions } from '../../src/adapters/mqtt/listener.ts';
import { type MqttBroker, startBroker } from '../../src/adapters/mqtt/mqtt-broker.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { toTopicFilter, toTopicName } from '../../src/core/mqtt-topic.ts';
import type { BrokerRules, ClientInfo, DisconnectInfo } from '../../src/ports/broker.ts';
import type { BrokerStore } from '../../src/ports/broker-store.ts';
import { SILENT_LOG } from './silent-log.ts';
import { tempDir } from './temp-dir.ts';

/** Rules for tests of the protocol: the tenant is the user name, topics are normalised, everything is allowed. */
export class OpenRules implements BrokerRules {
  readonly connectedClients: ClientInfo[] = [];
  readonly ended: (DisconnectInfo & { readonly client: ClientInfo })[] = [];
  readonly published: string[] = [];
  readonly retained: string[] = [];

  async connect(request: Parameters<BrokerRules['connect']>[0]): ReturnType<BrokerRules['connect']> {
    const tenant = request.userName ?? 'ta';
    const { will } = request;
    const topic = will === undefined ? undefined : toTopicName(will.topic, scopeOf(tenant));
    if (topic?.ok === false) return { ok: false, reason: 'topic-invalid' };
    const ready = will === undefined || topic === undefined ? undefined : { ...will, topic: topic.value };
    return { ok: true, tenant, will: ready, shortTopics: tenant.startsWith('short') };
  }

  async connected(client: ClientInfo): Promise<boolean> {
    this.connectedClients.push(client);
    return true;
  }

  async subscribe(client: ClientInfo, filters: readonly string[]): ReturnType<BrokerRules['subscribe']> {
    return filters.map((raw) => {
      const filter = toTopicFilter(raw, scopeOf(client.tenant));
      if (filter.ok) return { ok: true, filter: filter.value };
      return { ok: false, reason: filter.error.code === 'TOPIC_RESERVED' ? 'shared' : 'invalid' };
    });
  }

  unsubscribe(client: ClientInfo, raw: string): string | undefined {
    const filter = toTopicFilter(raw, scopeOf(client.tenant));
    return filter.ok ? filter.value : undefined;
  }

  publish(...[client, message]: Parameters<BrokerRules['publish']>): ReturnType<BrokerRules['publish']> {
    const topic = toTopicName(message.topic, scopeOf(client.tenant));
    if (!topic.ok) return { kind: 'refuse', reason: 'topic', text: 'no such topic' };
    this.published.push(topic.value);
    return { kind: 'forward', message: { ...message, topic: topic.value } };
  }

  async retainedChanged(...[, , message]: Parameters<BrokerRules['retainedChanged']>): Promise<void> {
    this.retained.push(message.topic);
  }

  async disconnected(client: ClientInfo, info: DisconnectInfo): Promise<void> {
    this.ended.push({ ...info, client });
  }
}

function scopeOf(tenant: string) {
  return { tenant, isOtherTenant: (name: string) => ['ta', 'tb'].includes(name) && name !== tenant };
}

export interface TestBrokerOptions {
  readonly rules?: BrokerRules;
  readonly limits?: Partial<BrokerLimits>;
  /** Folder of its store; one of its own without it. */
  readonly dir?: string;
  /** In place of a file. It ends with the broker. */
  readonly store?: BrokerStore;
  readonly listener?: Partial<ListenerOptions>;
}

/** The real broker on a free port, with its file in a temporary folder. */
export class TestBroker {
  readonly broker: MqttBroker;
  readonly rules: BrokerRules;
  readonly store: BrokerStore;
  readonly #t: TestContext;

  private constructor(t: TestContext, broker: MqttBroker, rules: BrokerRules, store: BrokerStore) {
    this.#t = t;
    this.broker = broker;
    this.rules = rules;
    this.store = store;
  }

  static async start(t: TestContext, options: TestBrokerOptions = {}): Promise<TestBroker> {
    const rules = options.rules ?? new OpenRules();
    const store = options.store ?? EmbeddedBrokerStore.open(join(options.dir ?? tempDir(t), 'host.db'));
    const limits = { ...DEFAULT_BROKER_LIMITS, ...options.limits };
    const parts = { rules, store, clock: systemClock('Asia/Shanghai'), log: SILENT_LOG, limits };
    const broker = await startBroker(parts, [
      {
        kind: 'mqtt',
        bind: '127.0.0.1',
        port: 0,
        setting: 'mqtt.port',
        portsTried: 0,
        maxMessageBytes: 1e6,
        ...options.listener,
      },
    ]);
    const test = new TestBroker(t, broker, rules, store);
    t.after(() => test.stop());
    return test;
  }

  get port(): number {
    return this.broker.listeners[0]?.port ?? 0;
  }

  async stop(): Promise<void> {
    await this.broker.stop();
    this.store.close();
  }

  /** A connected client of mqtt.js that does not reconnect. */
  client(options: IClientOptions & { readonly url?: string } = {}, messages?: string[]): Promise<MqttClient> {
    return connectClient(this.#t, options.url ?? `mqtt://127.0.0.1:${this.port}`, options, messages);
  }

  raw(): Promise<RawClient> {
    return RawClient.open(this.#t, this.port);
  }
}

/**
 * A connected client of mqtt.js that does not reconnect, gone with the test.
 * @param messages filled from the first packet on, with `topic payload`.
 */
export async function connectClient(
  t: TestContext,
  url: string,
  options: IClientOptions,
  messages: string[] = [],
): Promise<MqttClient> {
  const client = connect(url, { reconnectPeriod: 0, ...options });
  t.after(() => client.end(true));
  client.on('message', (topic, payload) => messages.push(`${topic} ${payload.toString()}`));
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('error', reject);
    client.once('close', () => reject(new Error('closed before it was connected')));
  });
  client.on('error', () => {});
  return client;
}

/** What a client receives, as `topic payload`. */
export function received(client: MqttClient): string[] {
  const messages: string[] = [];
  client.on('message', (topic, payload) => messages.push(`${topic} ${payload.toString()}`));
  return messages;
}

/** A client that sends whatever it is told to. */
export class RawClient {
  readonly packets: Packet[] = [];
  readonly socket: Socket;
  closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
    });
  }

  static async open(t: TestContext, port: number): Promise<RawClient> {
    const socket = connectTcp(port, '127.0.0.1');
    t.after(() => socket.destroy());
    await new Promise((resolve) => socket.once('connect', resolve));
    return new RawClient(socket);
  }

  /** Begins to parse what comes, in a version of the protocol. */
  listen(protocolVersion: 3 | 4 | 5): this {
    const parser = mqttPacket.parser({ protocolVersion });
    parser.on('packet', (packet) => this.packets.push(packet));
    this.socket.on('data', (chunk: Buffer) => parser.parse(chunk));
    return this;
  }

  send(packet: Packet, protocolVersion: 3 | 4 | 5 = 4): void {
    this.socket.write(mqttPacket.generate(packet, { protocolVersion }));
  }

  write(...bytes: number[]): void {
    this.socket.write(Buffer.from(bytes));
  }

  async connect(protocolVersion: 3 | 4 | 5 = 4, more: Record<string, unknown> = {}): Promise<this> {
    this.listen(protocolVersion);
    const protocolId = protocolVersion === 3 ? 'MQIsdp' : 'MQTT';
    this.send(
      { cmd: 'connect', clientId: 'raw', protocolId, protocolVersion, clean: true, keepalive: 0, ...more } as Packet,
      protocolVersion,
    );
    await this.packet('connack');
    return this;
  }

  /** Waits for the next packet of a kind and takes it. */
  async packet<C extends Packet['cmd']>(cmd: C, ms = 60_000): Promise<Extract<Packet, { cmd: C }>> {
    const deadline = Date.now() + ms;
    for (;;) {
      const at = this.packets.findIndex((packet) => packet.cmd === cmd);
      if (at >= 0) return this.packets.splice(at, 1)[0] as Extract<Packet, { cmd: C }>;
      if (Date.now() > deadline) throw new Error(`no ${cmd}; there are ${this.packets.map((p) => p.cmd).join(' ')}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
