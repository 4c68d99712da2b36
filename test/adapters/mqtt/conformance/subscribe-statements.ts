import assert from 'node:assert/strict';
import { type Statement, seconds } from './statement.ts';

/** SUBSCRIBE, UNSUBSCRIBE and matching (MQTT 5, 3.8 to 3.11, 4.7, 4.8). */
export const SUBSCRIBE_STATEMENTS: readonly Statement[] = [
  [
    'MQTT-3.8.4-1',
    'a SUBSCRIBE is answered with a SUBACK',
    async (mqtt) => assert.deepEqual(await (await mqtt.client()).subscribe(mqtt.topic()), [0]),
  ],
  [
    'MQTT-3.8.4-2',
    'with its packet id',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.send({ cmd: 'subscribe', messageId: 60_000, subscriptions: [{ topic: mqtt.topic(), qos: 0 }] });
      assert.equal((await wire.next('suback')).messageId, 60_000);
    },
  ],
  [
    'MQTT-3.8.4-3',
    'the same filter again replaces the subscription',
    async (mqtt) => {
      const wire = await mqtt.client();
      for (const qos of [1, 0]) await wire.subscribe(mqtt.topic(), { qos });
      await wire.publish(mqtt.topic(), 'm', { qos: 1 });
      assert.equal((await wire.next('publish')).qos, 0);
      await wire.none('publish');
    },
  ],
  [
    'MQTT-3.8.4-4',
    'a subscription that is replaced gets the retained messages again',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), 'r', { qos: 1, retain: true });
      for (let n = 0; n < 2; n++) {
        await wire.subscribe(mqtt.topic(), { rh: 0 });
        await wire.next('publish');
      }
    },
  ],
  [
    'MQTT-3.8.4-5',
    'several filters in one packet are as several packets',
    async (mqtt) => {
      const wire = await mqtt.client();
      const subscriptions = [0, 1, 2].map((qos) => ({ topic: mqtt.topic(`${qos}`), qos: qos as 0 | 1 | 2 }));
      wire.send({ cmd: 'subscribe', messageId: 1, subscriptions });
      await wire.next('suback');
      for (const qos of [0, 1, 2]) {
        await wire.publish(mqtt.topic(`${qos}`), 'm', { qos: 2 });
        assert.equal((await wire.message()).qos, qos);
      }
    },
  ],
  [
    'MQTT-3.9.3-1',
    'one reason code for each filter, in their order',
    async (mqtt) => {
      const wire = await mqtt.client();
      const topics = [mqtt.topic('a'), 'a/#/b', mqtt.topic('b')];
      wire.send({
        cmd: 'subscribe',
        messageId: 1,
        subscriptions: topics.map((topic, n) => ({ topic, qos: n as 0 | 1 | 2 })),
      });
      const { granted } = await wire.next('suback');
      assert.deepEqual(granted, [0, 0x8f, 2]);
    },
  ],
  [
    'MQTT-3.8.4-7',
    'the code is the granted QoS',
    async (mqtt) => {
      const wire = await mqtt.client();
      for (const qos of [0, 1, 2]) assert.deepEqual(await wire.subscribe(mqtt.topic(), { qos }), [qos]);
    },
  ],
  [
    'MQTT-3.8.4-8',
    'the QoS of a delivery is the smaller of both',
    async (mqtt) => {
      const wire = await mqtt.client();
      for (const granted of [0, 1, 2] as const) {
        await wire.subscribe(mqtt.topic(), { qos: granted });
        for (const qos of [0, 1, 2] as const) {
          await wire.publish(mqtt.topic(), 'm', { qos });
          assert.equal((await wire.message()).qos, Math.min(qos, granted));
        }
      }
    },
  ],
  [
    'MQTT-3.8.3-3',
    'no local: none of the own messages, all of others',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic(), { nl: true });
      await wire.publish(mqtt.topic(), 'own', { qos: 1 });
      await (await mqtt.client()).publish(mqtt.topic(), 'other', { qos: 1 });
      assert.equal((await wire.next('publish')).payload.toString(), 'other');
    },
  ],
  [
    'MQTT-3.8.3-3',
    'no local holds for a retained message of the client, too',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), 'own', { qos: 1, retain: true });
      await wire.subscribe(mqtt.topic(), { nl: true });
      await wire.none('publish');
    },
  ],
  [
    'MQTT-3.8.3-4',
    'no local with a shared subscription is a protocol error',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.send({
        cmd: 'subscribe',
        messageId: 1,
        subscriptions: [{ topic: `$share/g/${mqtt.topic()}`, qos: 0, nl: true }],
      });
      await wire.refused(0x82);
    },
  ],
  [
    'MQTT-4.8.2-1',
    'a shared subscription is as the CONNACK says: available and granted, or not and 0x9E',
    async (mqtt) => {
      const wire = await mqtt.client();
      const available = wire.connack.properties?.sharedSubscriptionAvailable !== false;
      assert.deepEqual(await wire.subscribe(`$share/g/${mqtt.topic()}`), [available ? 0 : 0x9e]);
    },
  ],
  [
    'MQTT-3.3.1-9',
    'retain handling 0: retained messages always',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), 'r', { qos: 1, retain: true });
      await wire.subscribe(mqtt.topic(), { rh: 0 });
      const { retain, payload } = await wire.next('publish');
      assert.deepEqual([retain, payload.toString()], [true, 'r']);
    },
  ],
  [
    'MQTT-3.3.1-10',
    'retain handling 1: for a new subscription only',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), 'r', { qos: 1, retain: true });
      await wire.subscribe(mqtt.topic(), { rh: 1 });
      await wire.next('publish');
      await wire.subscribe(mqtt.topic(), { rh: 1 });
      await wire.none('publish');
    },
  ],
  [
    'MQTT-3.3.1-11',
    'retain handling 2: never',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), 'r', { qos: 1, retain: true });
      await wire.subscribe(mqtt.topic(), { rh: 2 });
      await wire.none('publish');
    },
  ],
  [
    'MQTT-3.3.4-2',
    'subscriptions that overlap deliver at the highest of their QoS',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(`${mqtt.word}/+`, { qos: 1 });
      await wire.subscribe(mqtt.topic(), { qos: 2 });
      await wire.publish(mqtt.topic(), 'm', { qos: 2 });
      const got = [(await wire.message()).qos];
      // More copies are allowed, each with the QoS of its own subscription.
      await wire.none('pubrel');
      for (const packet of wire.packets) if (packet.cmd === 'publish') got.push(packet.qos);
      assert.equal(Math.max(...got), 2);
    },
  ],
  [
    'MQTT-3.3.4-3',
    'the identifiers of all subscriptions that took a message arrive, each once',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(`${mqtt.word}/+`, {}, { subscriptionIdentifier: 1 });
      await wire.subscribe(`${mqtt.word}/#`, {}, { subscriptionIdentifier: 268_435_455 });
      await wire.subscribe(mqtt.topic());
      await wire.publish(mqtt.topic(), 'm', { qos: 1 });
      wire.send({ cmd: 'pingreq' });
      await wire.next('pingresp');
      const copies = wire.packets.flatMap((packet) => (packet.cmd === 'publish' ? [packet.properties] : []));
      const identifiers = copies.flatMap((properties) => properties?.subscriptionIdentifier ?? []);
      assert.deepEqual(identifiers.sort(), [1, 268_435_455]);
    },
  ],
  [
    'MQTT-3.3.4-3',
    'the identifier of a subscription that takes no own messages is not in an own message',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(`${mqtt.word}/+`, { nl: true, qos: 2 }, { subscriptionIdentifier: 1 });
      await wire.subscribe(mqtt.topic(), { qos: 1 }, { subscriptionIdentifier: 2 });
      await wire.publish(mqtt.topic(), 'm', { qos: 2 });
      const { properties, qos } = await wire.message();
      assert.deepEqual([[properties?.subscriptionIdentifier].flat(), qos], [[2], 1]);
    },
  ],
  [
    'MQTT-3.3.4-3',
    'a retained message has the identifier of its subscription',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), 'r', { qos: 1, retain: true });
      await wire.subscribe(mqtt.topic(), {}, { subscriptionIdentifier: 7 });
      assert.deepEqual([(await wire.next('publish')).properties?.subscriptionIdentifier].flat(), [7]);
    },
  ],
  [
    'MQTT-3.3.4-5',
    'without identifiers there are none',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic(), {}, { subscriptionIdentifier: 7 });
      await wire.subscribe(mqtt.topic());
      await wire.publish(mqtt.topic(), 'm', { qos: 1 });
      assert.equal((await wire.next('publish')).properties?.subscriptionIdentifier, undefined);
    },
  ],
  [
    'MQTT-3.10.4-1',
    'an UNSUBSCRIBE deletes the subscription with those very characters',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(`${mqtt.word}/+`);
      assert.deepEqual(await wire.unsubscribe(mqtt.topic()), [0x11]);
      await wire.publish(mqtt.topic(), 'm', { qos: 1 });
      await wire.next('publish');
      assert.deepEqual(await wire.unsubscribe(`${mqtt.word}/+`), [0]);
    },
  ],
  [
    'MQTT-3.10.4-2',
    'after it no message is added',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic(), { qos: 1 });
      await wire.unsubscribe(mqtt.topic());
      await wire.publish(mqtt.topic(), 'm', { qos: 1 });
      await wire.none('publish');
    },
  ],
  [
    'MQTT-3.10.4-3',
    'what is under way is completed',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic(), { qos: 2 });
      await wire.publish(mqtt.topic(), 'm', { qos: 2 });
      const { messageId = 0 } = await wire.next('publish');
      await wire.unsubscribe(mqtt.topic());
      wire.send({ cmd: 'pubrec', messageId });
      await wire.next('pubrel');
    },
  ],
  [
    'MQTT-3.10.4-5',
    'an UNSUBACK has the packet id, also when nothing was deleted',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.send({ cmd: 'unsubscribe', messageId: 4_711, unsubscriptions: [mqtt.topic()] });
      const { messageId, granted } = await wire.next('unsuback');
      assert.deepEqual([messageId, granted], [4_711, [0x11]]);
    },
  ],
  [
    'MQTT-3.10.4-6',
    'several filters in one UNSUBSCRIBE are answered in one UNSUBACK, in their order',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic('b'));
      const granted = await wire.unsubscribe(mqtt.topic('a'), mqtt.topic('b'), mqtt.topic('b'));
      assert.deepEqual(granted, [0x11, 0, 0x11]);
    },
  ],
  ...['a/#/b', 'a#', '#/a', 'a/b#'].map(
    (filter): Statement => [
      'MQTT-4.7.1-1',
      `# stands for a whole last level: ${filter} is refused`,
      async (mqtt) => assert.deepEqual(await (await mqtt.client()).subscribe(filter), [0x8f]),
    ],
  ),
  ...['a+', '+a/b', 'a/+b/c'].map(
    (filter): Statement => [
      'MQTT-4.7.1-2',
      `+ stands for a whole level: ${filter} is refused`,
      async (mqtt) => assert.deepEqual(await (await mqtt.client()).subscribe(filter), [0x8f]),
    ],
  ),
  ...(
    [
      ['#', 'a', true],
      ['a/#', 'a', true],
      ['a/#', 'a/b/c', true],
      ['a/+', 'a/b', true],
      ['a/+', 'a', false],
      ['a/+', 'a/b/c', false],
      ['+/+', 'a/b', true],
      ['a/b', 'A/b', false],
      ['a/+/c', 'a/b/c', true],
    ] as const
  ).map(
    ([filter, topic, taken]): Statement => [
      'MQTT-4.7.0-1',
      `${filter} ${taken ? 'takes' : 'does not take'} ${topic}`,
      async (mqtt) => {
        const wire = await mqtt.client();
        await wire.subscribe(mqtt.topic(filter));
        await wire.publish(mqtt.topic(topic), 'm', { qos: 1 });
        if (taken) await wire.next('publish');
        await wire.none('publish');
      },
    ],
  ),
  [
    'MQTT-4.7.2-1',
    '# does not take the topics of the server that begin with $',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe('#', { rh: 0 });
      await seconds(0.2);
      wire.send({ cmd: 'pingreq' });
      await wire.next('pingresp');
      const topics = wire.packets.map((packet) => (packet.cmd === 'publish' ? packet.topic : ''));
      assert.ok(topics.every((topic) => !topic.startsWith('$')));
    },
  ],
];
