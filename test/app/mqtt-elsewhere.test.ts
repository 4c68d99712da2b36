/** Commands of a host whose broker is on another one, over a line that is cut. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { fastClock } from '../support/fast-clock.ts';
import { OpenRules } from '../support/mqtt-broker.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { type Relayed, relayed } from '../support/relayed-broker.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const LIMIT = { timeout: 180_000 };

/** Sends a command and notes what it is told of it. */
const COMMAND = `/** @queue command */
var message = V8.Param.Message.Message;
var sent = V8.MQTT.Publish({ Topic: 'commands', Payload: V8.Param.EventId, Qos: 1, Retain: message.Retain === true });
if (sent.Code !== 1) return sent;
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: JSON.stringify(sent.Data) });
`;

interface Elsewhere extends Relayed {
  readonly host: TestHost;
  /** What the device has. */
  readonly got: readonly string[];
  /** What the scripts were told, by EventId. */
  told(): Promise<Record<string, unknown>>;
  /** Messages that wait in the outbox; the next sweep takes them. */
  waiting(): Promise<number>;
}

async function elsewhere(t: TestContext, rules = new OpenRules()): Promise<Elsewhere> {
  const parts = await relayed(t, { rules });
  const dir = tempDir(t);
  const host = await TestHost.open(dir, {
    mqtt: { enabled: true, account: 'device', password: 'device-password' },
    decorate: (adapters) => ({ ...adapters, clock: fastClock(adapters.clock, 20) }),
  });
  t.after(() => host.close());
  host.host.mqtt.isStandby = true;
  host.host.mqtt.elsewhere = parts.relay;
  assert.equal(await host.host.mqtt.isWanted(), true);
  await host.push({ 'command.js': COMMAND });
  await host.host.start();
  const got: string[] = [];
  const device = await parts.broker.client({ username: 'demo', clientId: 'd' });
  device.on('message', (_topic, payload) => got.push(payload.toString()));
  await device.subscribeAsync('commands', { qos: 1 });
  return {
    ...parts,
    host,
    got,
    told: async () => {
      const rows = await host.rows('effect');
      return Object.fromEntries(rows.map(({ EventId, Note }) => [EventId, JSON.parse(String(Note))]));
    },
    waiting: async () => {
      await outside(dir, tenantFile('demo'), 'update mq_outbox set ClaimUntil = 0');
      return (await host.store.outbox.pending()).rows;
    },
  };
}

test('while the broker is not reached its subscribers are not known; the command comes once', LIMIT, async (t) => {
  const { host, proxy, got, told, waiting } = await elsewhere(t);
  await host.send('command', 'e1', {});
  await eventually(async () => assert.deepEqual(await told(), { e1: { Subscribers: 1 } }));
  await eventually(() => assert.deepEqual(got, ['e1']));

  await proxy.refuse();
  await host.send('command', 'e2', {});
  await eventually(async () => assert.deepEqual((await told()).e2, { Subscribers: null }));
  assert.equal(await waiting(), 1);
  await proxy.listen();
  await eventually(async () => assert.equal(await waiting(), 0), 60_000);
  await host.send('command', 'e3', {});
  await eventually(async () => assert.deepEqual((await told()).e3, { Subscribers: 1 }));
  await eventually(() => assert.deepEqual(got, ['e1', 'e2', 'e3']));
});

/** The line is cut when the broker has a message, before it can answer. */
class CutLine extends OpenRules {
  cut: () => void = () => {};

  override async retainedChanged(...args: Parameters<OpenRules['retainedChanged']>): Promise<void> {
    await super.retainedChanged(...args);
    this.cut();
  }
}

test('a command whose answer was lost is sent again by the outbox, and comes once', LIMIT, async (t) => {
  const rules = new CutLine();
  const { host, proxy, got, waiting } = await elsewhere(t, rules);
  let cuts = 0;
  rules.cut = () => {
    cuts++;
    proxy.cut();
  };
  await host.send('command', 'e1', { Retain: true });
  await eventually(() => assert.deepEqual(got, ['e1']));
  await eventually(async () => assert.equal(await waiting(), 0), 60_000);
  await host.send('command', 'e2', {});
  await eventually(() => assert.deepEqual(got, ['e1', 'e2']));
  assert.deepEqual([cuts, rules.retained], [1, ['tenant/demo/commands']]);
});
