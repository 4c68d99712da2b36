import assert from 'node:assert/strict';
import type { Statement } from './statement.ts';
import { connectBytes } from './wire.ts';

const STAYS = { properties: { sessionExpiryInterval: 60 } };

/** CONNACK and what the server promises in it (MQTT 5, 3.2). */
export const CONNACK_STATEMENTS: readonly Statement[] = [
  [
    'MQTT-3.1.4-5',
    'a CONNECT is acknowledged with 0x00',
    async (mqtt) => assert.equal((await mqtt.ask()).connack.reasonCode, 0),
  ],
  [
    'MQTT-3.2.0-1',
    'CONNACK comes before everything else',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, ...STAYS });
      await first.subscribe(mqtt.topic(), { qos: 1 });
      await first.goodbye();
      await (await mqtt.client()).publish(mqtt.topic(), 'waits', { qos: 1 });
      const wire = await mqtt.open();
      wire.send(mqtt.connectPacket({ clientId: mqtt.word, clean: false, ...STAYS }));
      await wire.next('publish');
      assert.equal((wire.bytes[0] ?? 0) >> 4, 2);
    },
  ],
  [
    'MQTT-3.2.0-2',
    'there is one CONNACK',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.none('connack');
    },
  ],
  [
    'MQTT-3.2.2-1',
    'the acknowledge flags but for session present are 0',
    async (mqtt) => assert.equal((await mqtt.client()).bytes[2], 0),
  ],
  [
    'MQTT-3.2.2-2',
    'a clean start: session present is 0',
    async (mqtt) => {
      await (await mqtt.client({ clientId: mqtt.word, ...STAYS })).goodbye();
      const again = await mqtt.client({ clientId: mqtt.word, clean: true, ...STAYS });
      assert.equal(again.connack.sessionPresent, false);
    },
  ],
  [
    'MQTT-3.2.2-3',
    'a session that is there: session present is 1; one that is not: 0',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word, clean: false, ...STAYS });
      assert.equal(first.connack.sessionPresent, false);
      await first.goodbye();
      const again = await mqtt.client({ clientId: mqtt.word, clean: false, ...STAYS });
      assert.equal(again.connack.sessionPresent, true);
    },
  ],
  [
    'MQTT-3.2.2-6',
    'a refusal: session present is 0',
    async (mqtt) => {
      await (await mqtt.client({ clientId: mqtt.word, ...STAYS })).goodbye();
      const props = { sessionExpiryInterval: 60, authenticationMethod: 'none such' };
      const refused = await mqtt.ask({ clientId: mqtt.word, clean: false, properties: props });
      assert.equal(refused.connack.sessionPresent, false);
    },
  ],
  [
    'MQTT-3.2.2-7',
    'after a refusal the connection is closed',
    async (mqtt) => {
      const wire = await mqtt.ask({ properties: { authenticationMethod: 'none such' } });
      assert.ok((wire.connack.reasonCode ?? 0) >= 0x80);
      await wire.ended();
    },
  ],
  [
    'MQTT-3.2.2-12',
    'QoS 2 is announced by saying nothing, and taken',
    async (mqtt) => {
      const wire = await mqtt.client();
      assert.equal(wire.connack.properties?.maximumQoS, undefined);
      assert.ok((await wire.publish(mqtt.topic(), 'm', { qos: 2 })) < 0x80);
    },
  ],
  [
    'MQTT-3.2.2-14',
    'retained messages are announced as available, and taken',
    async (mqtt) => {
      const wire = await mqtt.client();
      assert.notEqual(wire.connack.properties?.retainAvailable, false);
      assert.ok((await wire.publish(mqtt.topic(), 'm', { qos: 1, retain: true })) < 0x80);
    },
  ],
  [
    'MQTT-3.2.2-15',
    'a packet above the announced maximum is refused with 0x95',
    async (mqtt) => {
      const wire = await mqtt.client();
      const most = wire.connack.properties?.maximumPacketSize;
      assert.ok(most !== undefined);
      wire.sendPublish(mqtt.topic(), 'x'.repeat(most));
      await wire.refused(0x95);
    },
  ],
  [
    'MQTT-3.2.2-16',
    'an assigned client id is not one in use',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: '' });
      await mqtt.client({ clientId: '' });
      await first.none('disconnect');
    },
  ],
  [
    'MQTT-3.1.2-28',
    'no response information unless it was asked for',
    async (mqtt) => {
      const wire = await mqtt.client({ properties: { requestResponseInformation: false } });
      assert.equal(wire.connack.properties?.responseInformation, undefined);
    },
  ],
  [
    'MQTT-4.12.0-6',
    'no authentication method and no AUTH for a client that named none',
    async (mqtt) => {
      const wire = await mqtt.client();
      assert.equal(wire.connack.properties?.authenticationMethod, undefined);
      await wire.none('auth');
    },
  ],
  [
    'MQTT-3.14.0-1',
    'no DISCONNECT before a CONNACK that lets in',
    async (mqtt) => {
      const wire = await mqtt.open();
      wire.write(connectBytes(mqtt.word, { flags: 3 }));
      await wire.ended();
      assert.ok(wire.packets.every(({ cmd }) => cmd !== 'disconnect'));
    },
  ],
  [
    'MQTT-3.1.2-24',
    'a CONNACK that is larger than the client takes is not sent',
    async (mqtt) => {
      const wire = await mqtt.open();
      wire.send(mqtt.connectPacket({ clientId: '', properties: { maximumPacketSize: 6 } }));
      await wire.ended();
      assert.ok(wire.bytes.byteLength <= 6);
    },
  ],
  [
    'MQTT-3.2.2-19',
    'a refusal fits the maximum packet size',
    async (mqtt) => {
      const wire = await mqtt.ask({ properties: { authenticationMethod: 'none such', maximumPacketSize: 20 } });
      assert.ok(wire.bytes.byteLength <= 20);
    },
  ],
];
