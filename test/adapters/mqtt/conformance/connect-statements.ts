import assert from 'node:assert/strict';
import { type Statement, seconds } from './statement.ts';
import { connectBytes, properties, text } from './wire.ts';

/** CONNECT: its header, its flags, its properties (MQTT 5, 3.1). */
export const CONNECT_STATEMENTS: readonly Statement[] = [
  [
    'MQTT-3.1.0-1',
    'the first packet is a CONNECT',
    async (mqtt) => {
      const wire = await mqtt.open();
      wire.write([0xc0, 0]);
      await wire.ended();
      assert.deepEqual(wire.packets, []);
    },
  ],
  [
    'MQTT-3.1.0-2',
    'a second CONNECT is a protocol error',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.send(mqtt.connectPacket());
      await wire.refused(0x82);
    },
  ],
  [
    'MQTT-3.1.2-1',
    'another protocol name closes the connection',
    async (mqtt) => {
      const wire = await mqtt.open();
      wire.write(connectBytes(mqtt.word, { name: 'MQTS' }));
      await wire.ended();
    },
  ],
  [
    'MQTT-3.1.2-2',
    'a version that is not spoken is told so and closed',
    async (mqtt) => {
      const wire = await mqtt.open();
      wire.write(connectBytes(mqtt.word, { level: 6, properties: properties() }));
      assert.equal((await wire.next('connack')).reasonCode, 0x84);
      await wire.ended();
    },
  ],
  [
    'MQTT-3.1.2-2',
    'MQTT 3.1.1: an unacceptable level is return code 1',
    async (mqtt) => {
      const wire = await mqtt.open(4);
      wire.write(connectBytes(mqtt.word, { level: 2 }));
      assert.equal((await wire.next('connack')).returnCode, 1);
      await wire.ended();
    },
  ],
  ...(
    [
      ['MQTT-3.1.2-3', 'the reserved flag is 0', { flags: 3 }],
      ['MQTT-3.1.2-11', 'QoS of a will without a will', { flags: 2 | 8 }],
      ['MQTT-3.1.2-12', 'QoS 3 of a will', { flags: 2 | 4 | 0x18, rest: Buffer.from([0, 0, 1, 0x61, 0, 0]) }],
      ['MQTT-3.1.2-13', 'retain of a will without a will', { flags: 2 | 0x20 }],
      ['MQTT-3.1.2-16', 'a user name that is not announced', { rest: text('name') }],
      ['MQTT-3.1.2-17', 'an announced user name that is not there', { flags: 0x82 }],
      [
        'MQTT-3.1.2-18',
        'a password that is not announced',
        { flags: 0x82, rest: Buffer.concat([text('n'), text('p')]) },
      ],
      ['MQTT-3.1.2-19', 'an announced password that is not there', { flags: 0xc2, rest: text('n') }],
      ['MQTT-3.1.2-9', 'a will without its topic', { flags: 6, rest: properties() }],
      ['MQTT-3.1.3-3', 'no client id', { clientId: [], rest: Buffer.alloc(0), properties: Buffer.from([0x7f]) }],
      ['MQTT-3.1.3-4', 'a client id in invalid UTF-8', { clientId: [0x61, 0xc3] }],
      ['MQTT-3.1.3-11', 'a will topic in invalid UTF-8', { flags: 6, rest: Buffer.from([0, 0, 1, 0xff, 0, 0]) }],
      ['MQTT-3.1.3-12', 'a user name in invalid UTF-8', { flags: 0x82, rest: text([0xed, 0xa0, 0x80]) }],
      ['MQTT-1.5.4-2', 'NUL in a client id', { clientId: [0x61, 0] }],
      ['MQTT-3.1.4-1', 'bytes beyond the end', { rest: Buffer.from([1, 2, 3]) }],
      ['MQTT-1.5.7-1', 'a User Property in invalid UTF-8', { properties: properties([0x26], text('a'), text([0xff])) }],
    ] as const
  ).map(
    ([number, what, bytes]): Statement => [
      number,
      `${what}: no connection`,
      async (mqtt) => {
        const wire = await mqtt.open();
        wire.write(connectBytes(mqtt.word, bytes));
        await wire.ended();
        for (const packet of wire.packets) {
          assert.equal(packet.cmd, 'connack');
          assert.equal(packet.cmd === 'connack' && packet.reasonCode, 0x81);
        }
      },
    ],
  ),
  ...(
    [
      ['receive maximum 0', properties([0x21, 0, 0])],
      ['maximum packet size 0', properties([0x27, 0, 0, 0, 0])],
      ['session expiry interval twice', properties([0x11, 0, 0, 0, 0], [0x11, 0, 0, 0, 0])],
      ['request problem information 2', properties([0x17, 2])],
      ['request response information 2', properties([0x19, 2])],
      ['topic alias maximum twice', properties([0x22, 0, 0], [0x22, 0, 0])],
      ['authentication data without a method', properties([0x16, 0, 1, 1])],
    ] as const
  ).map(
    ([what, props]): Statement => [
      'MQTT-3.1.4-1',
      `${what} is a protocol error`,
      async (mqtt) => {
        const wire = await mqtt.open();
        wire.write(connectBytes(mqtt.word, { properties: props }));
        assert.equal((await wire.next('connack')).reasonCode, 0x82);
        await wire.ended();
      },
    ],
  ),
  [
    'MQTT-3.1.2-22',
    'silence of one and a half keep-alives ends the connection',
    async (mqtt) => {
      const wire = await mqtt.client({ keepalive: 1 });
      const from = performance.now();
      await wire.refused(0x8d);
      assert.ok(performance.now() - from >= 1_400, `${performance.now() - from}`);
    },
  ],
  [
    'MQTT-3.2.2-22',
    'without a server keep alive, that of the client holds: 0 for none',
    async (mqtt) => {
      const wire = await mqtt.client({ keepalive: 0 });
      assert.equal(wire.connack.properties?.serverKeepAlive, undefined);
      await seconds(2.5);
      await wire.none('disconnect');
    },
  ],
  [
    'MQTT-3.12.4-1',
    'a PINGREQ is answered',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.write([0xc0, 0]);
      await wire.next('pingresp');
    },
  ],
  [
    'MQTT-3.1.3-5',
    'client ids of 1 to 23 letters and digits are let in',
    async (mqtt) => {
      for (const clientId of ['0', 'abcdefghijklmnopqrstuvw', 'ABCDEFGHIJKLMNOPQRSTUVW', '01234567890123456789012']) {
        await mqtt.client({ clientId });
      }
    },
  ],
  [
    'MQTT-3.1.3-6',
    'an empty client id is given one, each its own',
    async (mqtt) => {
      const ids = new Set<string | undefined>();
      for (let n = 0; n < 3; n++) {
        ids.add((await mqtt.client({ clientId: '' })).connack.properties?.assignedClientIdentifier);
      }
      assert.equal(ids.size, 3);
      assert.ok(!ids.has(undefined));
    },
  ],
  [
    'MQTT-3.1.3-7',
    'the given id is told and is that of the session',
    async (mqtt) => {
      const props = { sessionExpiryInterval: 60 };
      const first = await mqtt.client({ clientId: '', properties: props });
      const clientId = first.connack.properties?.assignedClientIdentifier ?? '';
      assert.ok(clientId.length > 0);
      await first.goodbye();
      const again = await mqtt.client({ clientId, clean: false, properties: props });
      assert.equal(again.connack.sessionPresent, true);
      assert.equal(again.connack.properties?.assignedClientIdentifier, undefined);
    },
  ],
  [
    'MQTT-3.1.3-8',
    'a client id that is not accepted is 0x85 and closed',
    async (mqtt) => {
      const wire = await mqtt.ask({ clientId: 'x'.repeat(300) });
      assert.equal(wire.connack.reasonCode, 0x85);
      await wire.ended();
    },
  ],
  [
    'MQTT-3.1.3-2',
    'the client id is the session: letters in another case are another',
    async (mqtt) => {
      const props = { sessionExpiryInterval: 60 };
      await (await mqtt.client({ clientId: `${mqtt.word}a`, properties: props })).goodbye();
      const other = await mqtt.client({ clientId: `${mqtt.word}A`, clean: false, properties: props });
      assert.equal(other.connack.sessionPresent, false);
    },
  ],
  [
    'MQTT-3.1.4-3',
    'a second connection of a client ends the first with 0x8E',
    async (mqtt) => {
      const first = await mqtt.client({ clientId: mqtt.word });
      const second = await mqtt.client({ clientId: mqtt.word });
      await first.refused(0x8e);
      await second.none('disconnect');
    },
  ],
  [
    'MQTT-3.1.4-6',
    'nothing that a refused client sent is done',
    async (mqtt) => {
      const watcher = await mqtt.client();
      await watcher.subscribe(mqtt.topic());
      const wire = await mqtt.open();
      wire.send(mqtt.connectPacket({ properties: { authenticationMethod: 'none such' } }));
      wire.sendPublish(mqtt.topic(), 'never');
      await wire.ended();
      await watcher.none('publish');
    },
  ],
  [
    'MQTT-4.12.0-1',
    'an authentication method that is not supported is 0x8C and closed',
    async (mqtt) => {
      const wire = await mqtt.ask({ properties: { authenticationMethod: 'none such' } });
      assert.equal(wire.connack.reasonCode, 0x8c);
      await wire.ended();
    },
  ],
  [
    'MQTT-4.12.0-7',
    'AUTH without a method is a protocol error',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.write([0xf0, 2, 0x18, 0]);
      await wire.refused(0x82);
    },
  ],
  [
    'MQTT-4.12.1-2',
    'an authentication again without a first one is a protocol error',
    async (mqtt) => {
      const wire = await mqtt.client();
      wire.write([0xf0, 2, 0x19, 0]);
      await wire.refused(0x82);
    },
  ],
];
