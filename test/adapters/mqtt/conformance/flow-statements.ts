import assert from 'node:assert/strict';
import type { Statement } from './statement.ts';

/** Flow control, reasons and DISCONNECT (MQTT 5, 4.9, 4.13, 3.14). */
export const FLOW_STATEMENTS: readonly Statement[] = [
  [
    'MQTT-3.3.4-9',
    'no more messages under way than the receive maximum of the client',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { receiveMaximum: 2 } });
      await wire.subscribe(mqtt.topic(), { qos: 1 });
      const publisher = await mqtt.client();
      for (let n = 0; n < 4; n++) await publisher.publish(mqtt.topic(), `${n}`, { qos: 1 });
      const first = await wire.next('publish');
      await wire.next('publish');
      await wire.none('publish');
      wire.send({ cmd: 'puback', messageId: first.messageId ?? 0 });
      assert.equal((await wire.next('publish')).payload.toString(), '2');
      await wire.none('publish');
    },
  ],
  [
    'MQTT-4.9.0-2',
    'a QoS 2 message counts until its PUBCOMP',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { receiveMaximum: 1 } });
      await wire.subscribe(mqtt.topic(), { qos: 2 });
      const publisher = await mqtt.client();
      for (const word of ['a', 'b']) await publisher.publish(mqtt.topic(), word, { qos: 2 });
      const { messageId = 0 } = await wire.next('publish');
      wire.send({ cmd: 'pubrec', messageId });
      await wire.next('pubrel');
      await wire.none('publish');
      wire.send({ cmd: 'pubcomp', messageId });
      assert.equal((await wire.next('publish')).payload.toString(), 'b');
    },
  ],
  [
    'MQTT-4.9.0-2',
    'a PUBREC with a refusal makes room',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { receiveMaximum: 1 } });
      await wire.subscribe(mqtt.topic(), { qos: 2 });
      const publisher = await mqtt.client();
      for (const word of ['a', 'b']) await publisher.publish(mqtt.topic(), word, { qos: 2 });
      const { messageId = 0 } = await wire.next('publish');
      wire.send({ cmd: 'pubrec', messageId, reasonCode: 0x97 });
      assert.equal((await wire.next('publish')).payload.toString(), 'b');
    },
  ],
  [
    'MQTT-3.3.4-10',
    'QoS 0 and every other packet do not wait for the receive maximum',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { receiveMaximum: 1 } });
      await wire.subscribe(mqtt.topic(), { qos: 1 });
      const publisher = await mqtt.client();
      for (const word of ['a', 'b']) await publisher.publish(mqtt.topic(), word, { qos: 1 });
      assert.equal((await wire.next('publish')).payload.toString(), 'a');
      await publisher.publish(mqtt.topic(), 'zero');
      assert.equal((await wire.next('publish')).payload.toString(), 'zero');
      assert.equal((await wire.subscribe(mqtt.topic('other')))[0], 0);
    },
  ],
  [
    'MQTT-4.9.0-3',
    'while its quota is used up a client is heard',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { receiveMaximum: 1 } });
      await wire.subscribe(mqtt.topic(), { qos: 1 });
      for (const word of ['a', 'b']) await wire.publish(mqtt.topic(), word, { qos: 1 });
      assert.ok((await wire.publish(mqtt.topic('other'), 'm', { qos: 2 })) < 0x80);
    },
  ],
  [
    'MQTT-3.1.2-29',
    'without request problem information acknowledgements have no reason string',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { requestProblemInformation: false } });
      wire.sendPublish(`$SYS/${mqtt.word}`, 'm', { qos: 1, messageId: 1 });
      assert.equal((await wire.next('puback')).properties, undefined);
    },
  ],
  [
    'MQTT-3.4.2-2',
    'a reason string never makes a PUBACK larger than the client takes',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { maximumPacketSize: 40 } });
      const before = wire.bytes.byteLength;
      wire.sendPublish('$SYS/x', 'm', { qos: 1, messageId: 1 });
      await wire.next('puback');
      assert.ok(wire.bytes.byteLength - before <= 40);
    },
  ],
  [
    'MQTT-4.13.2-1',
    'after a DISCONNECT with an error the connection is closed',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.write([0x00, 0]);
      assert.ok(((await wire.next('disconnect')).reasonCode ?? 0) >= 0x80);
      await wire.ended();
    },
  ],
  [
    'MQTT-4.13.1-1',
    'who is wrong is closed, and nobody else',
    async (mqtt) => {
      const other = await mqtt.client();
      await other.subscribe(mqtt.topic());
      const wire = await mqtt.client();
      wire.write([0x36, 0]);
      await wire.ended();
      await (await mqtt.client()).publish(mqtt.topic(), 'm', { qos: 1 });
      await other.next('publish');
    },
  ],
  [
    'MQTT-3.14.4-1',
    'what follows a DISCONNECT is not done',
    async (mqtt) => {
      const watcher = await mqtt.client();
      await watcher.subscribe(mqtt.topic());
      const wire = await mqtt.client();
      wire.send({ cmd: 'disconnect', reasonCode: 0 });
      wire.sendPublish(mqtt.topic(), 'never');
      await wire.ended();
      await watcher.none('publish');
    },
  ],
  [
    'MQTT-3.14.4-2',
    'the server closes after a DISCONNECT of the client',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.goodbye();
      assert.deepEqual(wire.packets, []);
    },
  ],
  [
    'MQTT-3.14.2-1',
    'DISCONNECT without a reason is 0x00',
    async (mqtt) => {
      const watcher = await mqtt.client();
      await watcher.subscribe(mqtt.topic());
      const will = { topic: mqtt.topic(), payload: Buffer.from('never'), qos: 0, retain: false };
      const wire = await mqtt.client({ will });
      wire.write([0xe0, 0]);
      await wire.ended();
      await watcher.none('publish');
    },
  ],
];
