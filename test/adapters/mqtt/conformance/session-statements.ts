import assert from 'node:assert/strict';
import { type Statement, seconds } from './statement.ts';

const STAYS = { properties: { sessionExpiryInterval: 60 } };

/** Sessions: clean start, expiry, what is kept and sent again (MQTT 5, 3.1.2.4, 3.1.2.11.2, 4.1, 4.4). */
export const SESSION_STATEMENTS: readonly Statement[] = [
  [
    'MQTT-3.1.2-4',
    'a clean start discards the session',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await first.subscribe(mqtt.topic(), { qos: 1 });
      await first.goodbye();
      await (await mqtt.client({ clientId: mqtt.word, clean: true, ...STAYS })).goodbye();
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 1 });
      const again = await mqtt.client({ clientId: mqtt.word, clean: false, ...STAYS });
      await again.none('publish');
    },
  ],
  [
    'MQTT-3.1.2-5',
    'without a clean start the session goes on',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await first.subscribe(mqtt.topic(), { qos: 1 });
      await first.goodbye();
      const again = await mqtt.client({ clientId: mqtt.word, clean: false, ...STAYS });
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 1 });
      assert.equal((await again.message()).payload.toString(), 'm');
    },
  ],
  [
    'MQTT-3.1.2-6',
    'without a clean start and without a session there is a new one',
    async (mqtt) => {
      const wire = await mqtt.client({ clientId: mqtt.word, clean: false });
      assert.equal(wire.connack.sessionPresent, false);
    },
  ],
  [
    'MQTT-3.1.2-23',
    'a session with an expiry interval is kept with what waits for it',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await first.subscribe(mqtt.topic(), { qos: 2 });
      await first.goodbye();
      const publisher = await mqtt.client();
      for (const qos of [1, 2] as const) await publisher.publish(mqtt.topic(), `q${qos}`, { qos });
      const again = await mqtt.client({ clientId: mqtt.word, clean: false, ...STAYS });
      const got = [await again.message(), await again.message()].map(({ payload }) => payload.toString());
      assert.deepEqual(got, ['q1', 'q2']);
    },
  ],
  [
    'MQTT-4.1.0-2',
    'a session without an expiry interval goes with its connection',
    async (mqtt) => {
      await (await mqtt.client({ clientId: mqtt.word })).goodbye();
      assert.equal((await mqtt.client({ clientId: mqtt.word, clean: false })).connack.sessionPresent, false);
    },
  ],
  [
    'MQTT-4.1.0-2',
    'a session goes when its expiry interval is over',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, properties: { sessionExpiryInterval: 1 } });
      await first.goodbye();
      await seconds(1.5);
      assert.equal((await mqtt.client({ clientId: mqtt.word, clean: false })).connack.sessionPresent, false);
    },
  ],
  [
    'MQTT-4.1.0-1',
    'a session stays while its connection does, whatever its expiry interval',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { sessionExpiryInterval: 1 } });
      await wire.subscribe(mqtt.topic());
      await seconds(2.2);
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 1 });
      await wire.next('publish');
    },
  ],
  [
    'MQTT-3.14.2-2',
    'a DISCONNECT can change the session expiry interval',
    async (mqtt) => {
      await (await mqtt.client({ clientId: mqtt.word, ...STAYS })).goodbye(0, { sessionExpiryInterval: 0 });
      assert.equal((await mqtt.client({ clientId: mqtt.word, clean: false })).connack.sessionPresent, false);
    },
  ],
  [
    'MQTT-3.14.2-2',
    'a DISCONNECT cannot begin a session that stays',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.send({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 60 } });
      await wire.refused(0x82);
    },
  ],
  [
    'MQTT-4.4.0-1',
    'after a reconnect an unacknowledged PUBLISH comes again, with its id and DUP',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await first.subscribe(mqtt.topic(), { qos: 1 });
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 1 });
      const { messageId } = await first.next('publish');
      first.cut();
      const again = await mqtt.client({ clientId: mqtt.word, clean: false, ...STAYS });
      const sent = await again.message();
      assert.deepEqual([sent.messageId, sent.dup, sent.payload.toString()], [messageId, true, 'm']);
    },
  ],
  [
    'MQTT-4.4.0-1',
    'after a reconnect an unacknowledged PUBREL comes again, with its id',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await first.subscribe(mqtt.topic(), { qos: 2 });
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 2 });
      const { messageId = 0 } = await first.next('publish');
      first.send({ cmd: 'pubrec', messageId });
      await first.next('pubrel');
      first.cut();
      const again = await mqtt.client({ clientId: mqtt.word, clean: false, ...STAYS });
      assert.equal((await again.next('pubrel')).messageId, messageId);
      await again.none('publish');
    },
  ],
  [
    'MQTT-4.4.0-1',
    'nothing is sent again within one connection',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic(), { qos: 1 });
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 1 });
      await wire.next('publish');
      await seconds(2);
      await wire.none('publish');
    },
  ],
  [
    'MQTT-4.4.0-2',
    'a PUBACK with a refusal is an acknowledgement',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await first.subscribe(mqtt.topic(), { qos: 1 });
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 1 });
      const { messageId = 0 } = await first.next('publish');
      first.send({ cmd: 'puback', messageId, reasonCode: 0x97 });
      await first.none('publish');
      await first.goodbye();
      const again = await mqtt.client({ clientId: mqtt.word, clean: false, ...STAYS });
      await again.none('publish');
    },
  ],
  [
    'MQTT-4.4.0-2',
    'a PUBREC with a refusal is an acknowledgement',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic(), { qos: 2 });
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 2 });
      const { messageId = 0 } = await wire.next('publish');
      wire.send({ cmd: 'pubrec', messageId, reasonCode: 0x83 });
      await wire.none('pubrel');
    },
  ],
  [
    'MQTT-4.6.0-1',
    'what is sent again keeps its order, before anything new',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await first.subscribe(mqtt.topic(), { qos: 1 });
      const publisher = await mqtt.client();
      for (const word of ['1', '2', '3']) await publisher.publish(mqtt.topic(), word, { qos: 1 });
      for (let n = 0; n < 3; n++) await first.next('publish');
      first.cut();
      await publisher.publish(mqtt.topic(), '4', { qos: 1 });
      const again = await mqtt.client({ clientId: mqtt.word, clean: false, ...STAYS });
      const got: string[] = [];
      for (let n = 0; n < 4; n++) got.push((await again.message()).payload.toString());
      assert.deepEqual(got, ['1', '2', '3', '4']);
    },
  ],
  [
    'MQTT-3.3.4-9',
    'what is sent again keeps to the receive maximum of the new connection',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await first.subscribe(mqtt.topic(), { qos: 1 });
      const publisher = await mqtt.client();
      for (const word of ['1', '2', '3']) await publisher.publish(mqtt.topic(), word, { qos: 1 });
      for (let n = 0; n < 3; n++) await first.next('publish');
      first.cut();
      const props = { sessionExpiryInterval: 60, receiveMaximum: 1 };
      const again = await mqtt.client({ clientId: mqtt.word, clean: false, properties: props });
      for (const word of ['1', '2', '3']) {
        const packet = await again.next('publish');
        assert.equal(packet.payload.toString(), word);
        await again.none('publish');
        again.send({ cmd: 'puback', messageId: packet.messageId ?? 0 });
      }
    },
  ],
  [
    'MQTT-3.1.2-25',
    'what was under way and is too large for the new connection is done with',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await first.subscribe(mqtt.topic(), { qos: 1 });
      const publisher = await mqtt.client();
      await publisher.publish(mqtt.topic(), 'x'.repeat(500), { qos: 1 });
      await first.next('publish');
      first.cut();
      await publisher.publish(mqtt.topic(), 'small', { qos: 1 });
      const props = { sessionExpiryInterval: 60, receiveMaximum: 1, maximumPacketSize: 200 };
      const again = await mqtt.client({ clientId: mqtt.word, clean: false, properties: props });
      assert.equal((await again.next('publish')).payload.toString(), 'small');
    },
  ],
  [
    'MQTT-4.5.0-1',
    'what the server took is for every session that subscribed, there or not',
    async (mqtt) => {
      const away = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await away.subscribe(mqtt.topic(), { qos: 1 });
      away.cut();
      const here = await mqtt.client();
      await here.subscribe(mqtt.topic(), { qos: 1 });
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 1 });
      await here.message();
      await (await mqtt.client({ clientId: mqtt.word, clean: false, ...STAYS })).message();
    },
  ],
];
