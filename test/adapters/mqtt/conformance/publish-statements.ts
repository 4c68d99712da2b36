import assert from 'node:assert/strict';
import { type Statement, seconds } from './statement.ts';
import { frame, properties, text } from './wire.ts';

/** PUBLISH as the server takes it: retain, aliases, acknowledgements (MQTT 5, 3.3, 3.4 to 3.7). */
export const PUBLISH_STATEMENTS: readonly Statement[] = [
  [
    'MQTT-3.3.1-5',
    'a retained message replaces the one before',
    async (mqtt) => {
      const wire = await mqtt.client();
      for (const word of ['old', 'new']) await wire.publish(mqtt.topic(), word, { qos: 1, retain: true });
      await wire.subscribe(mqtt.topic());
      assert.equal((await wire.next('publish')).payload.toString(), 'new');
      await wire.none('publish');
    },
  ],
  [
    'MQTT-3.3.1-6',
    'an empty retained message removes the one before, and is delivered',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), 'old', { qos: 1, retain: true });
      const watcher = await mqtt.client();
      await watcher.subscribe(mqtt.topic(), { rh: 2 });
      await wire.publish(mqtt.topic(), '', { qos: 1, retain: true });
      assert.equal((await watcher.next('publish')).payload.length, 0);
      const late = await mqtt.client();
      await late.subscribe(mqtt.topic());
      await late.none('publish');
    },
  ],
  [
    'MQTT-3.3.1-7',
    'an empty retained message is not retained',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), '', { qos: 1, retain: true });
      await wire.subscribe(mqtt.topic());
      await wire.none('publish');
    },
  ],
  [
    'MQTT-3.3.1-8',
    'a message without retain neither is retained nor removes one',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), 'kept', { qos: 1, retain: true });
      for (const word of ['m', '']) await wire.publish(mqtt.topic(), word, { qos: 1 });
      await wire.subscribe(mqtt.topic());
      assert.equal((await wire.next('publish')).payload.toString(), 'kept');
      await wire.none('publish');
    },
  ],
  [
    'MQTT-3.3.2-5',
    'a retained message whose expiry interval is over is gone',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), 'm', { qos: 1, retain: true, properties: { messageExpiryInterval: 1 } });
      await seconds(1.3);
      await wire.subscribe(mqtt.topic());
      await wire.none('publish');
    },
  ],
  [
    'MQTT-3.3.2-12',
    'every alias up to the announced maximum is taken',
    async (mqtt) => {
      const wire = await mqtt.client();
      const most = wire.connack.properties?.topicAliasMaximum ?? 0;
      assert.ok(most > 0);
      await wire.subscribe(`${mqtt.word}/#`);
      for (let alias = 1; alias <= most; alias++) {
        await wire.publish(mqtt.topic(`${alias}`), 'first', { qos: 1, properties: { topicAlias: alias } });
      }
      for (let alias = 1; alias <= most; alias++) {
        await wire.publish('', 'again', { qos: 1, properties: { topicAlias: alias } });
      }
      const topics: string[] = [];
      for (let n = 0; n < 2 * most; n++) topics.push((await wire.next('publish')).topic);
      assert.deepEqual(topics.slice(most), topics.slice(0, most));
      assert.equal(topics[most - 1], mqtt.topic(`${most}`));
    },
  ],
  [
    'MQTT-3.3.2-12',
    'an alias that is given again means the newer topic',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(`${mqtt.word}/#`);
      for (const name of ['a', 'b'])
        await wire.publish(mqtt.topic(name), 'm', { qos: 1, properties: { topicAlias: 1 } });
      await wire.publish('', 'm', { qos: 1, properties: { topicAlias: 1 } });
      const topics = [await wire.next('publish'), await wire.next('publish'), await wire.next('publish')];
      assert.equal(topics[2]?.topic, mqtt.topic('b'));
    },
  ],
  [
    'MQTT-3.3.2-7',
    'aliases end with their connection',
    async (mqtt) => {
      const stays = { clientId: mqtt.word, properties: { sessionExpiryInterval: 60 } };
      const first = await mqtt.client(stays);
      await first.publish(mqtt.topic(), 'm', { qos: 1, properties: { topicAlias: 1 } });
      await first.goodbye();
      const again = await mqtt.client({ ...stays, clean: false });
      again.sendPublish('', 'm', { properties: { topicAlias: 1 } });
      const { reasonCode = 0 } = await again.next('disconnect');
      assert.ok(reasonCode === 0x94 || reasonCode === 0x82, `${reasonCode}`);
    },
  ],
  [
    'MQTT-3.3.4-7',
    'more messages under way than the announced receive maximum: 0x93',
    async (mqtt) => {
      const wire = await mqtt.client();
      const most = wire.connack.properties?.receiveMaximum ?? 65_535;
      for (let id = 1; id <= most + 1; id++) wire.sendPublish(mqtt.topic(), '', { qos: 2, messageId: id });
      await wire.refused(0x93);
    },
  ],
  [
    'MQTT-3.3.4-1',
    'QoS 0 is not answered, QoS 1 with PUBACK, QoS 2 with PUBREC',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.publish(mqtt.topic(), 'm');
      assert.deepEqual(wire.packets, []);
      wire.sendPublish(mqtt.topic(), 'm', { qos: 1, messageId: 7 });
      assert.equal((await wire.next('puback')).messageId, 7);
      wire.sendPublish(mqtt.topic(), 'm', { qos: 2, messageId: 8 });
      assert.equal((await wire.next('pubrec')).messageId, 8);
    },
  ],
  [
    'MQTT-2.2.1-5',
    'acknowledgements have the packet id of their message',
    async (mqtt) => {
      const wire = await mqtt.client();
      for (const messageId of [1, 255, 256, 65_535]) {
        wire.sendPublish(mqtt.topic(), 'm', { qos: 2, messageId });
        assert.equal((await wire.next('pubrec')).messageId, messageId);
        wire.send({ cmd: 'pubrel', messageId });
        assert.equal((await wire.next('pubcomp')).messageId, messageId);
      }
    },
  ],
  [
    'MQTT-3.4.2-1',
    'a PUBACK says whether anybody has subscribed',
    async (mqtt) => {
      const wire = await mqtt.client();
      assert.equal(await wire.publish(mqtt.topic(), 'm', { qos: 1 }), 0x10);
      await wire.subscribe(mqtt.topic());
      assert.equal(await wire.publish(mqtt.topic(), 'm', { qos: 1 }), 0);
    },
  ],
  [
    'MQTT-3.5.2-1',
    'a PUBREC says whether anybody has subscribed',
    async (mqtt) => {
      const wire = await mqtt.client();
      assert.equal(await wire.publish(mqtt.topic(), 'm', { qos: 2 }), 0x10);
    },
  ],
  [
    'MQTT-3.7.2-1',
    'PUBREL of an id that is not known: PUBCOMP with 0x92',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.send({ cmd: 'pubrel', messageId: 99 });
      assert.equal((await wire.next('pubcomp')).reasonCode, 0x92);
    },
  ],
  [
    'MQTT-3.6.2-1',
    'PUBREC of an id that is not known: PUBREL with 0x92',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.send({ cmd: 'pubrec', messageId: 99 });
      assert.equal((await wire.next('pubrel')).reasonCode, 0x92);
    },
  ],
  [
    'MQTT-4.3.2-4',
    'QoS 1: acknowledged after the message is taken; a second one with the id is a new message',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic());
      for (const dup of [false, true]) await wire.publish(mqtt.topic(), 'm', { qos: 1, messageId: 5, dup });
      await wire.next('publish');
      await wire.next('publish');
    },
  ],
  [
    'MQTT-4.3.3-10',
    'QoS 2: until its PUBREL a message is taken once, however often it comes',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic());
      for (const dup of [false, true, true]) {
        wire.sendPublish(mqtt.topic(), 'm', { qos: 2, messageId: 5, dup });
        await wire.next('pubrec');
      }
      wire.send({ cmd: 'pubrel', messageId: 5 });
      await wire.next('pubcomp');
      await wire.next('publish');
      await wire.none('publish');
    },
  ],
  [
    'MQTT-4.3.3-12',
    'QoS 2: after the PUBCOMP the id is free for a new message',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic());
      for (const word of ['a', 'b']) await wire.publish(mqtt.topic(), word, { qos: 2, messageId: 5 });
      assert.equal((await wire.next('publish')).payload.toString(), 'a');
      assert.equal((await wire.next('publish')).payload.toString(), 'b');
    },
  ],
  [
    'MQTT-4.3.3-10',
    'QoS 2: the id is remembered over a reconnect',
    async (mqtt) => {
      const watcher = await mqtt.client();
      await watcher.subscribe(mqtt.topic());
      const stays = { clientId: mqtt.word, properties: { sessionExpiryInterval: 60 } };
      const first = await mqtt.client(stays);
      first.sendPublish(mqtt.topic(), 'm', { qos: 2, messageId: 5 });
      await first.next('pubrec');
      first.cut();
      const again = await mqtt.client({ ...stays, clean: false });
      await again.publish(mqtt.topic(), 'm', { qos: 2, messageId: 5, dup: true });
      await watcher.next('publish');
      await watcher.none('publish');
    },
  ],
  [
    'MQTT-4.6.0-2',
    'PUBACKs and PUBRECs come in the order of their messages',
    async (mqtt) => {
      const wire = await mqtt.client();
      for (let id = 1; id <= 20; id++) wire.sendPublish(mqtt.topic(), 'm', { qos: id % 2 ? 1 : 2, messageId: id });
      for (let id = 1; id <= 20; id++) {
        const packet = id % 2 ? await wire.next('puback') : await wire.next('pubrec');
        assert.equal(packet.messageId, id);
      }
    },
  ],
  [
    'MQTT-4.6.0-4',
    'PUBCOMPs come in the order of the PUBRELs',
    async (mqtt) => {
      const wire = await mqtt.client();
      for (const messageId of [3, 1, 2]) {
        wire.sendPublish(mqtt.topic(), 'm', { qos: 2, messageId });
        await wire.next('pubrec');
      }
      for (const messageId of [1, 2, 3]) wire.send({ cmd: 'pubrel', messageId });
      for (const messageId of [1, 2, 3]) assert.equal((await wire.next('pubcomp')).messageId, messageId);
    },
  ],
  [
    'MQTT-1.5.4-3',
    'U+FEFF in a User Property is a character like others',
    async (mqtt) => {
      const wire = await mqtt.client();
      await wire.subscribe(mqtt.topic());
      wire.write(
        frame(0x30, text(mqtt.topic()), properties([0x26], text('\ufeffname'), text('\ufeff')), Buffer.from('m')),
      );
      const { properties: got } = await wire.next('publish');
      assert.deepEqual({ ...got?.userProperties }, { '\ufeffname': '\ufeff' });
    },
  ],
];
