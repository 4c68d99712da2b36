import type { Statement } from './statement.ts';
import { frame, properties, text } from './wire.ts';

const NO = properties();
const BAD_TEXT = [0xff];
const USER = [0x26];

/** One illegal packet of a client that is connected, and the reason code that it loses its connection with. */
const ILLEGAL: readonly (readonly [number: string, what: string, bytes: Buffer, reason: number])[] = [
  ['MQTT-2.1.3-1', 'reserved flags of SUBSCRIBE', frame(0x80, [0, 1], NO, text('a'), [0]), 0x81],
  ['MQTT-2.1.3-1', 'reserved flags of PINGREQ', frame(0xc1), 0x81],
  ['MQTT-2.1.3-1', 'reserved flags of PUBACK', frame(0x41, [0, 1]), 0x81],
  ['MQTT-3.6.1-1', 'reserved flags of PUBREL', frame(0x60, [0, 1]), 0x81],
  ['MQTT-3.8.1-1', 'flags 3 of SUBSCRIBE', frame(0x83, [0, 1], NO, text('a'), [0]), 0x81],
  ['MQTT-3.10.1-1', 'reserved flags of UNSUBSCRIBE', frame(0xa0, [0, 1], NO, text('a')), 0x81],
  ['MQTT-3.14.1-1', 'reserved flags of DISCONNECT', frame(0xe1, [0]), 0x81],
  ['MQTT-3.15.1-1', 'reserved flags of AUTH', frame(0xf1, [0x18]), 0x81],
  ['MQTT-1.5.5-1', 'a property length in more bytes than it needs', frame(0x30, text('a'), [0x80, 0]), 0x81],
  ['MQTT-1.5.5-1', 'a length of five bytes', Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 1]), 0x81],
  ['MQTT-1.5.4-1', 'a topic in invalid UTF-8', frame(0x30, text(BAD_TEXT), NO), 0x81],
  ['MQTT-1.5.4-1', 'a topic with a surrogate', frame(0x30, text([0xed, 0xa0, 0x80]), NO), 0x81],
  ['MQTT-1.5.4-2', 'a topic with NUL', frame(0x30, text([0]), NO), 0x81],
  [
    'MQTT-1.5.7-1',
    'a User Property name in invalid UTF-8',
    frame(0x30, text('a'), properties(USER, text(BAD_TEXT), text(''))),
    0x81,
  ],
  [
    'MQTT-1.5.7-1',
    'a User Property value with NUL',
    frame(0x30, text('a'), properties(USER, text('a'), text([0]))),
    0x81,
  ],
  ['MQTT-2.2.1-3', 'packet id 0 of PUBLISH', frame(0x32, text('a'), [0, 0], NO), 0x82],
  ['MQTT-2.2.1-3', 'packet id 0 of SUBSCRIBE', frame(0x82, [0, 0], NO, text('a'), [0]), 0x82],
  ['MQTT-2.2.1-3', 'packet id 0 of UNSUBSCRIBE', frame(0xa2, [0, 0], NO, text('a')), 0x82],
  ['MQTT-2.2.2-1', 'no property length', frame(0x82, [0, 1]), 0x81],
  ['MQTT-3.3.1-2', 'DUP with QoS 0', frame(0x38, text('a'), NO), 0x81],
  ['MQTT-3.3.1-4', 'QoS 3', frame(0x36, text('a'), [0, 1], NO), 0x81],
  ['MQTT-3.3.2-1', 'no topic', frame(0x30, [0]), 0x81],
  ['MQTT-3.3.2-2', 'a topic with wildcards', frame(0x30, text('a/+'), NO), 0x90],
  ['MQTT-3.3.2-8', 'alias 0', frame(0x30, text('a'), properties([0x23, 0, 0])), 0x94],
  ['MQTT-3.3.2-9', 'an alias above the maximum', frame(0x30, text('a'), properties([0x23, 0xff, 0xff])), 0x94],
  ['MQTT-3.3.2-1', 'an empty topic without an alias', frame(0x30, text(''), NO), 0x82],
  ['MQTT-3.3.2-13', 'a response topic in invalid UTF-8', frame(0x30, text('a'), properties([8], text(BAD_TEXT))), 0x81],
  ['MQTT-3.3.2-14', 'a response topic with wildcards', frame(0x30, text('a'), properties([8], text('a/#'))), 0x82],
  ['MQTT-3.3.2-19', 'a content type in invalid UTF-8', frame(0x30, text('a'), properties([3], text(BAD_TEXT))), 0x81],
  ['MQTT-3.3.4-6', 'a subscription identifier in PUBLISH', frame(0x30, text('a'), properties([0x0b, 1])), 0x82],
  ['MQTT-3.3.2-4', 'payload format indicator 2', frame(0x30, text('a'), properties([1, 2])), 0x82],
  ['MQTT-3.3.2-4', 'payload format indicator 0 twice', frame(0x30, text('a'), properties([1, 0], [1, 0])), 0x82],
  [
    'MQTT-3.3.2-6',
    'message expiry interval twice',
    frame(0x30, text('a'), properties([2, 0, 0, 0, 0], [2, 0, 0, 0, 0])),
    0x82,
  ],
  ['MQTT-3.3.2-20', 'content type twice', frame(0x30, text('a'), properties([3], text('a'), [3], text('b'))), 0x82],
  ['MQTT-2.2.2-1', 'an unknown property', frame(0x30, text('a'), properties([0x7f, 0])), 0x81],
  ['MQTT-2.2.2-1', 'a property of another packet', frame(0x30, text('a'), properties([0x21, 0, 1])), 0x81],
  ['MQTT-2.2.2-1', 'a property that is cut', frame(0x30, text('a'), properties([2, 0, 0])), 0x81],
  ['MQTT-2.2.2-1', 'properties beyond the end of the packet', frame(0x30, text('a'), [100, 1]), 0x81],
  ['MQTT-3.4.2-1', 'an unknown reason code of PUBACK', frame(0x40, [0, 1, 0x42]), 0x82],
  ['MQTT-3.5.2-1', 'an unknown reason code of PUBREC', frame(0x50, [0, 1, 0x92]), 0x82],
  ['MQTT-3.6.2-1', 'an unknown reason code of PUBREL', frame(0x62, [0, 1, 0x80]), 0x82],
  ['MQTT-3.7.2-1', 'an unknown reason code of PUBCOMP', frame(0x70, [0, 1, 0x10]), 0x82],
  ['MQTT-2.2.1-5', 'a PUBACK without its packet id', frame(0x40, [1]), 0x81],
  ['MQTT-3.8.3-1', 'a filter in invalid UTF-8', frame(0x82, [0, 1], NO, text(BAD_TEXT), [0]), 0x81],
  ['MQTT-3.8.3-2', 'SUBSCRIBE without filters', frame(0x82, [0, 1], NO), 0x82],
  ['MQTT-3.8.3-5', 'reserved options of a subscription', frame(0x82, [0, 1], NO, text('a'), [0x40]), 0x81],
  ['MQTT-3.8.3-5', 'QoS 3 of a subscription', frame(0x82, [0, 1], NO, text('a'), [3]), 0x82],
  ['MQTT-3.8.3-5', 'retain handling 3', frame(0x82, [0, 1], NO, text('a'), [0x30]), 0x82],
  ['MQTT-3.8.3-1', 'a filter without its options', frame(0x82, [0, 1], NO, text('a')), 0x81],
  ['MQTT-3.8.4-1', 'subscription identifier 0', frame(0x82, [0, 1], properties([0x0b, 0]), text('a'), [0]), 0x82],
  [
    'MQTT-3.8.4-1',
    'two subscription identifiers',
    frame(0x82, [0, 1], properties([0x0b, 1], [0x0b, 2]), text('a'), [0]),
    0x82,
  ],
  ['MQTT-3.10.3-1', 'a filter of UNSUBSCRIBE in invalid UTF-8', frame(0xa2, [0, 1], NO, text(BAD_TEXT)), 0x81],
  ['MQTT-3.10.3-2', 'UNSUBSCRIBE without filters', frame(0xa2, [0, 1], NO), 0x82],
  ['MQTT-3.12.4-1', 'a PINGREQ with a body', frame(0xc0, [0]), 0x81],
  ['MQTT-3.14.2-1', 'an unknown reason code of DISCONNECT', frame(0xe0, [0x42]), 0x82],
  ['MQTT-3.14.2-1', 'a reason code of DISCONNECT that only servers send', frame(0xe0, [0x8b]), 0x82],
  ['MQTT-3.14.2-3', 'a server reference of a client', frame(0xe0, [0], properties([0x1c], text('x'))), 0x81],
  ['MQTT-3.2.0-2', 'a CONNACK of a client', frame(0x20, [0, 0, 0]), 0x82],
  ['MQTT-3.9.3-2', 'a SUBACK of a client', frame(0x90, [0, 1, 0, 0]), 0x82],
  ['MQTT-3.11.3-2', 'an UNSUBACK of a client', frame(0xb0, [0, 1, 0, 0]), 0x82],
  ['MQTT-3.12.4-1', 'a PINGRESP of a client', frame(0xd0), 0x82],
  ['MQTT-4.13.1-1', 'packet type 0', frame(0x00), 0x81],
];

export const ILLEGAL_STATEMENTS: readonly Statement[] = ILLEGAL.map(([number, what, bytes, reason]) => [
  number,
  `${what}: 0x${reason.toString(16)} and closed`,
  async (mqtt) => {
    const wire = await mqtt.client();
    wire.write(bytes);
    await wire.refused(reason);
  },
]);
