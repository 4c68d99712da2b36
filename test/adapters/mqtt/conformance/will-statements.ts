import assert from 'node:assert/strict';
import { type Statement, seconds, type Trial } from './statement.ts';
import type { ConnectOptions, Wire } from './wire.ts';

async function watched(mqtt: Trial, options: Record<string, unknown> = {}): Promise<Wire> {
  const watcher = await mqtt.client();
  await watcher.subscribe(mqtt.topic('will'), { qos: 2, ...options });
  return watcher;
}

function dying(mqtt: Trial, will: Record<string, unknown> = {}, more: ConnectOptions = {}): Promise<Wire> {
  const whole = { topic: mqtt.topic('will'), payload: Buffer.from('gone'), qos: 1, retain: false, ...will };
  return mqtt.client({ clientId: `${mqtt.word}-dies`, will: whole, ...more });
}

/** Will messages (MQTT 5, 3.1.2.5 and 3.1.3.2). */
export const WILL_STATEMENTS: readonly Statement[] = [
  [
    'MQTT-3.1.2-7',
    'a will is kept with the session and published when the connection is lost',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      (await dying(mqtt)).cut();
      assert.equal((await watcher.message()).payload.toString(), 'gone');
    },
  ],
  [
    'MQTT-3.1.2-8',
    'a will is published when the client broke the protocol',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      (await dying(mqtt)).write([0x80, 0]);
      await watcher.message();
    },
  ],
  [
    'MQTT-3.1.2-8',
    'a will is published when the keep-alive is over',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      await dying(mqtt, {}, { keepalive: 1 });
      await watcher.message();
    },
  ],
  [
    'MQTT-3.1.2-8',
    'a will is published after its delay, not before',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      const from = performance.now();
      const will = { properties: { willDelayInterval: 1 } };
      (await dying(mqtt, will, { properties: { sessionExpiryInterval: 60 } })).cut();
      await watcher.message();
      assert.ok(performance.now() - from >= 950);
    },
  ],
  [
    'MQTT-3.1.2-8',
    'a will is published when the session ends before its delay',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      const will = { properties: { willDelayInterval: 300 } };
      (await dying(mqtt, will, { properties: { sessionExpiryInterval: 1 } })).cut();
      await watcher.message();
    },
  ],
  ...[0x04, 0x80, 0x81, 0x97].map(
    (reason): Statement => [
      'MQTT-3.1.2-8',
      `a DISCONNECT with 0x${reason.toString(16)} leaves the will`,
      async (mqtt) => {
        const watcher = await watched(mqtt);
        await (await dying(mqtt)).goodbye(reason);
        await watcher.message();
      },
    ],
  ),
  [
    'MQTT-3.14.4-3',
    'a DISCONNECT with 0x00 deletes the will',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      await (await dying(mqtt)).goodbye();
      await seconds(0.3);
      await watcher.none('publish');
    },
  ],
  [
    'MQTT-3.1.2-10',
    'a will is published once',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      const stays = { properties: { sessionExpiryInterval: 60 } };
      (await dying(mqtt, {}, stays)).cut();
      await watcher.message();
      const again = await mqtt.client({ clientId: `${mqtt.word}-dies`, clean: false, ...stays });
      again.cut();
      await seconds(0.3);
      await watcher.none('publish');
    },
  ],
  [
    'MQTT-3.1.3-9',
    'a client that comes back within the delay: no will',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      const stays = { properties: { sessionExpiryInterval: 60 } };
      (await dying(mqtt, { properties: { willDelayInterval: 1 } }, stays)).cut();
      await mqtt.client({ clientId: `${mqtt.word}-dies`, clean: false, ...stays });
      await seconds(2.2);
      await watcher.none('publish');
    },
  ],
  [
    'MQTT-3.1.2-14',
    'a will without retain is not retained',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      (await dying(mqtt)).cut();
      await watcher.message();
      const late = await mqtt.client();
      await late.subscribe(mqtt.topic('will'));
      await late.none('publish');
    },
  ],
  [
    'MQTT-3.1.2-15',
    'a will with retain is retained',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      (await dying(mqtt, { retain: true })).cut();
      await watcher.message();
      const late = await mqtt.client();
      await late.subscribe(mqtt.topic('will'));
      assert.equal((await late.next('publish')).retain, true);
    },
  ],
  [
    'MQTT-3.1.2-9',
    'the QoS of a will is that of its flags',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      for (const qos of [0, 1, 2]) {
        (await dying(mqtt, { qos })).cut();
        assert.equal((await watcher.message()).qos, qos);
      }
    },
  ],
  [
    'MQTT-3.1.3-10',
    'the User Properties of a will keep their order',
    async (mqtt) => {
      const watcher = await watched(mqtt);
      (await dying(mqtt, { properties: { userProperties: { z: '1', a: ['2', '3'] } } })).cut();
      await watcher.message();
      const pairs = ['z', '1', 'a', '2', 'a', '3'].map((word) => `\0\x01${word}`).join('');
      assert.ok(watcher.bytes.toString('latin1').replaceAll('&', '').includes(pairs));
    },
  ],
];
