/** Two hosts that share the sessions of their devices over Redis: a device may connect to either, and either may go. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { IClientOptions, MqttClient } from 'mqtt';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { connectClient } from '../support/mqtt-broker.ts';
import { ownPort } from '../support/own-port.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshRedis } from '../support/services/fresh-redis.ts';
import { TcpProxy } from '../support/services/tcp-proxy.ts';
import { column, only, prepareHosts, push, tablesJson } from './engine-hosts.ts';

const LIMIT = { timeout: 240_000 };
const ACCOUNT = { account: 'device', password: 'device-password' } as const;
const LOGIN = { username: 'demo:device', password: ACCOUNT.password } as const;

/** Keeps what it has seen, in the transaction that is committed before the acknowledgement. */
const GATE = `if (V8.EventName === 'MessageReceived') {
  V8.FormEngine.AddFormData('seen', { Note: V8.MQTT.Topic.split('/').pop() + ' ' + V8.MQTT.PayloadRaw });
}
return { Code: 1 };`;
const DOWNLINK = "return V8.MQTT.Publish('commands/script', 'from a script', 1);";

class Pair {
  readonly hosts: readonly [HostProcess, HostProcess];
  readonly ports: readonly [number, number];
  readonly url: string;
  readonly #t: TestContext;

  private constructor(t: TestContext, hosts: readonly HostProcess[], ports: readonly [number, number], url: string) {
    this.#t = t;
    this.hosts = [hosts[0] as HostProcess, hosts[1] as HostProcess];
    this.ports = ports;
    this.url = url;
  }

  static async start(t: TestContext): Promise<Pair> {
    const { url } = await freshDatabase();
    const urls = { databaseUrl: url, cacheUrl: await freshRedis() };
    const ports = [await ownPort(), await ownPort()] as const;
    const hosts: HostProcess[] = [];
    for (const [n, port] of ports.entries()) {
      const mqtt = { enabled: true, port, ...ACCOUNT, engine: 'gate', shared: { enabled: true, port: 0 } };
      hosts.push(...(await prepareHosts(t, [`host-${n}`], urls, { mqtt, sandbox: { lanes: 1 } })));
    }
    for (const host of hosts) await host.start();
    const pair = new Pair(t, hosts, ports, url);
    const tables = tablesJson({ seen: ['Note'] });
    await push(pair.hosts[0], { 'gate.js': GATE, 'downlink.js': DOWNLINK, 'tables.json': tables });
    return pair;
  }

  client(at: 0 | 1, clientId: string, options: IClientOptions = {}, messages: string[] = []): Promise<MqttClient> {
    return connectClient(this.#t, `mqtt://127.0.0.1:${this.ports[at]}`, { ...LOGIN, clientId, ...options }, messages);
  }

  /** Messages that the gate has seen and committed, sorted. */
  seen(): Promise<string[]> {
    return column(this.url, 'SELECT Note FROM seen');
  }
}

const STAYS = { clean: false } as const;
const STAYS5 = { protocolVersion: 5, clean: false, properties: { sessionExpiryInterval: 600 } } as const;

test('devices of two hosts are one set of devices', LIMIT, async (t) => {
  const pair = await Pair.start(t);
  const [first, second] = pair.hosts;
  await eventually(() => assert.match(second.output, /devices reach it through this one/));

  const atFirst: string[] = [];
  const atSecond: string[] = [];
  const a = await pair.client(0, 'a', STAYS5, atFirst);
  const b = await pair.client(1, 'b', STAYS, atSecond);
  await a.subscribeAsync('to/a', { qos: 2 });
  await b.subscribeAsync('to/b', { qos: 1 });
  for (const qos of [1, 2] as const) {
    await a.publishAsync('to/b', `b${qos}`, { qos });
    await b.publishAsync('to/a', `a${qos}`, { qos });
  }
  await b.publishAsync('kept', 'retained', { qos: 1, retain: true });
  await eventually(() => assert.deepEqual([atFirst.length, atSecond.length], [2, 2]));
  const late: string[] = [];
  const reader = await pair.client(0, 'reader', { protocolVersion: 3, protocolId: 'MQIsdp' }, late);
  await reader.subscribeAsync('kept', { qos: 1 });
  await eventually(() => assert.deepEqual(late, ['tenant/demo/kept retained']));

  // Takeover: the same client id at the other host, first with its session, then without.
  const closed = new Promise((resolve) => b.once('close', () => resolve(undefined)));
  const moved: string[] = [];
  const b2 = await pair.client(0, 'b', STAYS, moved);
  await closed;
  await a.publishAsync('to/b', 'moved', { qos: 1 });
  await eventually(() => assert.deepEqual(moved, ['tenant/demo/to/b moved']));
  const closed2 = new Promise((resolve) => b2.once('close', () => resolve(undefined)));
  const fresh: string[] = [];
  await pair.client(1, 'b', { clean: true }, fresh);
  await closed2;
  await a.publishAsync('to/b', 'nobody', { qos: 1 });

  // People and scripts of the host without the broker.
  await a.subscribeAsync('commands/+', { qos: 1 });
  const { body: sent } = await second.api('POST', 'tenants/demo/mqtt/publish', { topic: 'commands/api', payload: 'x' });
  assert.deepEqual([sent.Code, sent.Data], [1, { subscribers: 1 }]);
  const { body: run } = await second.api('POST', 'tenants/demo/engines/downlink/run', {});
  assert.equal(run.Code, 1, JSON.stringify(run));
  await eventually(() =>
    assert.deepEqual(
      atFirst
        .slice(2)
        .map((text) => text.split('/').pop())
        .sort(),
      ['api x', 'script from a script'],
    ),
  );
  const { body: clients } = await second.api('GET', 'tenants/demo/mqtt/clients');
  assert.deepEqual(
    clients.Data.filter((row: { online: boolean }) => row.online)
      .map((row: { clientId: string }) => row.clientId)
      .sort(),
    ['a', 'b', 'reader'],
  );
  const online = await column(pair.url, 'SELECT ClientId FROM mci_mqtt_client WHERE IsOnline = 1');
  assert.deepEqual(online, ['a', 'b', 'reader']);
  assert.deepEqual(fresh, []);
  assert.deepEqual(await pair.seen(), ['a a1', 'a a2', 'b b1', 'b b2', 'b moved', 'b nobody', 'kept retained'].sort());
  assert.deepEqual([await second.stop(), await first.stop()], [0, 0]);
});

test('after SIGKILL of the host with the broker, the other one has every session and message', LIMIT, async (t) => {
  const pair = await Pair.start(t);
  const [first, second] = pair.hosts;
  for (const [at, clientId, options] of [
    [0, 'four', STAYS],
    [1, 'five', STAYS5],
  ] as const) {
    const device = await pair.client(at, clientId, options);
    await device.subscribeAsync('news/#', { qos: 2 });
    await device.endAsync();
  }
  const ofSender = { topic: 'news/will', payload: Buffer.from('gone'), qos: 1, retain: false } as const;
  const sender = await pair.client(1, 'sender', { protocolVersion: 5, will: ofSender });
  const polite = await pair.client(0, 'polite', { will: { ...ofSender, topic: 'news/none' } });
  await polite.endAsync();
  const properties = { userProperties: { unit: 'K' }, messageExpiryInterval: 600, correlationData: Buffer.from('c') };
  for (let n = 0; n < 5; n++) await sender.publishAsync('news/now', `q1-${n}`, { qos: 1, properties });
  await sender.publishAsync('news/now', 'q2', { qos: 2 });
  await sender.publishAsync('news/kept', 'still here', { qos: 1, retain: true });
  const gone = new Promise((resolve) => sender.once('close', () => resolve(undefined)));
  await first.kill();
  await gone;
  await eventually(() => assert.match(second.output, /"mqtt\.taken_over"/), 60_000);

  const expected = [...[0, 1, 2, 3, 4].map((n) => `now q1-${n}`), 'kept still here', 'will gone', 'now q2'];
  // The client shows a message of QoS 2 when it is released, after those of QoS 1 that came meanwhile.
  const last = (messages: readonly string[]) => {
    const texts = messages.map((text) => text.split('/').pop() ?? '');
    return [...texts.filter((text) => text !== 'now q2'), ...texts.filter((text) => text === 'now q2')];
  };
  const four: string[] = [];
  await pair.client(1, 'four', STAYS, four);
  await eventually(() => assert.deepEqual(last(four), expected));
  const five: string[] = [];
  const v5 = await pair.client(1, 'five', STAYS5, five);
  await eventually(() => assert.deepEqual(last(five), expected));
  await v5.publishAsync('after', 'the end', { qos: 2 });
  const reader: string[] = [];
  const fresh = await pair.client(1, 'fresh', {}, reader);
  await fresh.subscribeAsync('news/#');
  await eventually(() => assert.deepEqual(last(reader), ['kept still here']));
  const all = ['after the end', ...expected].sort();
  assert.deepEqual(await pair.seen(), all, 'each message was seen once');

  // The host that is back hands its devices on; when the other one says goodbye it takes over.
  await first.start();
  const before: string[] = [];
  const again = await pair.client(0, 'again', STAYS, before);
  await again.subscribeAsync('news/#', { qos: 1 });
  await v5.publishAsync('news/now', 'one more', { qos: 1 });
  // What it has not acknowledged comes again, rightly.
  await eventually(() => assert.deepEqual(last(before), ['kept still here', 'now one more']));
  await again.endAsync();
  await v5.publishAsync('news/now', 'while away', { qos: 1 });
  assert.equal(await second.stop(), 0);
  await eventually(() => assert.match(first.output, /"mqtt\.taken_over"/), 60_000);
  const back: string[] = [];
  await pair.client(0, 'again', STAYS, back);
  await eventually(() => assert.deepEqual(last(back), ['now while away']));
  assert.equal(await first.stop(), 0);
});

test('a start of the broker that fails says why, and is tried again', LIMIT, async (t) => {
  const redis = await freshRedis();
  const proxy = await TcpProxy.open(redis);
  t.after(() => proxy.refuse());
  await proxy.refuse();
  const stranger = createServer().listen(0, '127.0.0.1');
  t.after(() => stranger.close());
  await once(stranger, 'listening');
  const taken = (stranger.address() as AddressInfo).port;
  const { url } = await freshDatabase();
  const port = await ownPort();
  const mqtt = { enabled: true, port, ...ACCOUNT, shared: { enabled: true, port: taken } };
  const urls = { databaseUrl: url, cacheUrl: proxy.url(redis) };
  const host = only(await prepareHosts(t, ['host'], urls, { mqtt, sandbox: { lanes: 1 } }));
  await host.start();
  const failures = () => host.output.split('\n').filter((line) => line.includes('"mqtt.start_failed"'));
  await eventually(() => assert.match(failures().at(-1) ?? '', /CACHE_UNAVAILABLE/), 60_000);
  await assert.rejects(connectClient(t, `mqtt://127.0.0.1:${port}`, LOGIN));

  await proxy.listen();
  await eventually(() => assert.match(failures().at(-1) ?? '', /MQTT_LISTEN_FAILED/), 60_000);
  assert.match(failures().at(-1) ?? '', new RegExp(`127\\.0\\.0\\.1:${taken}.*EADDRINUSE.*mqtt\\.shared\\.port`));
  await assert.rejects(connectClient(t, `mqtt://127.0.0.1:${port}`, LOGIN));

  await new Promise((resolve) => stranger.close(resolve));
  await eventually(() => assert.match(host.output, /"mqtt\.taken_over"/), 60_000);
  const device = await connectClient(t, `mqtt://127.0.0.1:${port}`, LOGIN);
  await device.publishAsync('x', 'y', { qos: 1 });
  assert.equal(await host.stop(), 0);
});
