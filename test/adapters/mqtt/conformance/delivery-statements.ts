import assert from 'node:assert/strict';
import { type Statement, seconds, type Trial } from './statement.ts';
import { frame, properties, text, type Wire } from './wire.ts';

/** A subscriber and a publisher. */
async function pair(mqtt: Trial, options: Record<string, unknown> = {}, props = {}): Promise<readonly [Wire, Wire]> {
  const subscriber = await mqtt.client();
  await subscriber.subscribe(mqtt.topic(), { qos: 2, ...options }, props);
  return [subscriber, await mqtt.client()];
}

/** PUBLISH as the server sends it (MQTT 5, 3.3). */
export const DELIVERY_STATEMENTS: readonly Statement[] = [
  [
    'MQTT-3.3.1-2',
    'QoS 0 has no DUP',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      await publisher.publish(mqtt.topic(), 'm');
      const { qos, dup } = await subscriber.next('publish');
      assert.deepEqual([qos, dup], [0, false]);
    },
  ],
  [
    'MQTT-2.2.1-2',
    'QoS 0 has no packet id',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      await publisher.publish(mqtt.topic(), 'm');
      await subscriber.next('publish');
      const sent = frame(0x30, text(mqtt.topic()), properties(), Buffer.from('m'));
      assert.ok(subscriber.bytes.includes(sent));
    },
  ],
  [
    'MQTT-3.3.1-3',
    'DUP of a delivery is its own, not that of the publisher',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      await publisher.publish(mqtt.topic(), 'm', { qos: 1, dup: true });
      assert.equal((await subscriber.next('publish')).dup, false);
    },
  ],
  [
    'MQTT-2.2.1-4',
    'deliveries of QoS 1 and 2 have packet ids that are not 0 and not in use',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      const ids = new Set<number | undefined>();
      for (const qos of [1, 2, 1, 2] as const) {
        await publisher.publish(mqtt.topic(), 'm', { qos });
        ids.add((await subscriber.next('publish')).messageId);
      }
      assert.equal(ids.size, 4);
      assert.ok(!ids.has(0) && !ids.has(undefined));
    },
  ],
  [
    'MQTT-3.3.1-12',
    'without retain as published the flag is 0',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt, { rap: false });
      await publisher.publish(mqtt.topic(), 'm', { qos: 1, retain: true });
      assert.equal((await subscriber.next('publish')).retain, false);
    },
  ],
  [
    'MQTT-3.3.1-13',
    'with retain as published the flag is that of the publisher',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt, { rap: true });
      for (const retain of [true, false]) {
        await publisher.publish(mqtt.topic(), 'm', { qos: 1, retain });
        assert.equal((await subscriber.next('publish')).retain, retain);
      }
    },
  ],
  [
    'MQTT-3.3.2-3',
    'the topic of a delivery matches the filter',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(`${mqtt.word}/+/x`);
      await wire.publish(`${mqtt.word}/a/x`, 'm', { qos: 1 });
      assert.equal((await wire.next('publish')).topic, `${mqtt.word}/a/x`);
    },
  ],
  [
    'MQTT-3.3.2-4',
    'the payload format indicator arrives unaltered',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      for (const payloadFormatIndicator of [true, false]) {
        await publisher.publish(mqtt.topic(), 'm', { qos: 1, properties: { payloadFormatIndicator } });
        assert.equal((await subscriber.next('publish')).properties?.payloadFormatIndicator, payloadFormatIndicator);
      }
    },
  ],
  [
    'MQTT-3.3.2-15',
    'the response topic arrives unaltered',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      await publisher.publish(mqtt.topic(), 'm', { qos: 1, properties: { responseTopic: mqtt.topic('answer') } });
      assert.equal((await subscriber.next('publish')).properties?.responseTopic, mqtt.topic('answer'));
    },
  ],
  [
    'MQTT-3.3.2-16',
    'correlation data arrive unaltered',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      const correlationData = Buffer.from([0, 255, 1, 0]);
      await publisher.publish(mqtt.topic(), 'm', { qos: 1, properties: { correlationData } });
      assert.deepEqual((await subscriber.next('publish')).properties?.correlationData, correlationData);
    },
  ],
  [
    'MQTT-3.3.2-20',
    'the content type arrives unaltered',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      await publisher.publish(mqtt.topic(), 'm', { qos: 1, properties: { contentType: 'text/温度' } });
      assert.equal((await subscriber.next('publish')).properties?.contentType, 'text/温度');
    },
  ],
  [
    'MQTT-3.3.2-17',
    'User Properties arrive unaltered, empty and repeated ones, too',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      const pairs = [
        ['b', ''],
        ['b', '1'],
        ['', 'x'],
        ['b', ''],
      ] as const;
      const props = properties(...pairs.flatMap(([name, value]) => [[0x26], text(name), text(value)]));
      publisher.write(frame(0x30, text(mqtt.topic()), props, Buffer.from('m')));
      await subscriber.next('publish');
      assert.ok(subscriber.bytes.includes(props));
    },
  ],
  [
    'MQTT-3.3.2-18',
    'User Properties keep their order',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      const names = ['z', '2', 'a', '1', 'z', 'a'];
      const props = properties(...names.flatMap((name, n) => [[0x26], text(name), text(`${n}`)]));
      publisher.write(frame(0x30, text(mqtt.topic()), props, Buffer.from('m')));
      await subscriber.next('publish');
      assert.ok(subscriber.bytes.includes(props));
    },
  ],
  [
    'MQTT-3.3.2-6',
    'the expiry interval of a delivery is what is left of it',
    async (mqtt) => {
      const stays = { clientId: mqtt.word, properties: { sessionExpiryInterval: 60 } };
      const first = await mqtt.client(stays);
      await first.subscribe(mqtt.topic(), { qos: 1 });
      await first.goodbye();
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 1, properties: { messageExpiryInterval: 100 } });
      await seconds(2.1);
      const again = await mqtt.client({ ...stays, clean: false });
      const left = (await again.next('publish')).properties?.messageExpiryInterval ?? 0;
      assert.ok(left <= 98 && left >= 80, `${left}`);
    },
  ],
  [
    'MQTT-3.3.2-5',
    'a message whose expiry interval is over is not delivered',
    async (mqtt) => {
      const stays = { clientId: mqtt.word, properties: { sessionExpiryInterval: 60 } };
      const first = await mqtt.client(stays);
      await first.subscribe(mqtt.topic(), { qos: 1 });
      await first.goodbye();
      const publisher = await mqtt.client();
      await publisher.publish(mqtt.topic(), 'short', { qos: 1, properties: { messageExpiryInterval: 1 } });
      await publisher.publish(mqtt.topic(), 'long', { qos: 1, properties: { messageExpiryInterval: 100 } });
      await seconds(1.2);
      const again = await mqtt.client({ ...stays, clean: false });
      assert.equal((await again.next('publish')).payload.toString(), 'long');
    },
  ],
  [
    'MQTT-3.3.2-11',
    'aliases of the server keep to the topic alias maximum of the client',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { topicAliasMaximum: 2 } });
      await wire.subscribe(`${mqtt.word}/#`);
      for (const name of ['a', 'b', 'c', 'a', 'b', 'c']) await wire.publish(mqtt.topic(name), 'm', { qos: 1 });
      const known = new Map<number, string>();
      for (const name of ['a', 'b', 'c', 'a', 'b', 'c']) {
        const { topic, properties: got } = await wire.next('publish');
        const alias = got?.topicAlias ?? 0;
        assert.ok(alias <= 2);
        if (alias > 0 && topic !== '') known.set(alias, topic);
        assert.equal(topic === '' ? known.get(alias) : topic, mqtt.topic(name));
      }
    },
  ],
  [
    'MQTT-3.1.2-27',
    'a client without a topic alias maximum gets no aliases',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic());
      for (let n = 0; n < 3; n++) {
        await wire.publish(mqtt.topic(), 'm', { qos: 1 });
        assert.equal((await wire.next('publish')).properties?.topicAlias, undefined);
      }
    },
  ],
  [
    'MQTT-3.1.2-25',
    'a message above the maximum packet size is dropped, and what follows is not',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { maximumPacketSize: 100, receiveMaximum: 1 } });
      await wire.subscribe(mqtt.topic(), { qos: 1 });
      const publisher = await mqtt.client();
      for (const payload of ['x'.repeat(200), 'small']) await publisher.publish(mqtt.topic(), payload, { qos: 1 });
      assert.equal((await wire.next('publish')).payload.toString(), 'small');
    },
  ],
  [
    'MQTT-4.6.0-5',
    'messages of one client to one topic arrive in their order',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt, { qos: 1 });
      for (let n = 0; n < 50; n++) publisher.sendPublish(mqtt.topic(), `${n}`, { qos: 1, messageId: n + 1 });
      for (let n = 0; n < 50; n++) assert.equal((await subscriber.message()).payload.toString(), `${n}`);
    },
  ],
  [
    'MQTT-4.3.3-4',
    'QoS 2: PUBREC is answered with PUBREL, and the message is not sent again',
    async (mqtt) => {
      const [subscriber, publisher] = await pair(mqtt);
      await publisher.publish(mqtt.topic(), 'm', { qos: 2 });
      const { messageId = 0 } = await subscriber.next('publish');
      for (let n = 0; n < 2; n++) {
        subscriber.send({ cmd: 'pubrec', messageId });
        assert.equal((await subscriber.next('pubrel')).messageId, messageId);
      }
      await subscriber.none('publish');
    },
  ],
  [
    'MQTT-3.3.2-4',
    'a client of version 4 gets what one of version 5 published, and the other way',
    async (mqtt) => {
      const four = await mqtt.client({ protocolVersion: 4 });
      const five = await mqtt.client();
      four.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: mqtt.topic('a'), qos: 1 }] });
      await four.next('suback');
      await five.subscribe(mqtt.topic('b'), { qos: 1 });
      await five.publish(mqtt.topic('a'), 'of five', { qos: 1, properties: { contentType: 'x' } });
      four.sendPublish(mqtt.topic('b'), 'of four', { qos: 1 });
      assert.equal((await four.next('publish')).payload.toString(), 'of five');
      assert.equal((await five.next('publish')).payload.toString(), 'of four');
    },
  ],
];
