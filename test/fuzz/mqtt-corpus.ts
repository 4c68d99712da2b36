import mqttPacket, { type Packet } from 'mqtt-packet';

type Version = 3 | 4 | 5;

/** What the attackers know: the account of one tenant. */
export const ACCOUNT = { username: 'ta', password: Buffer.from('secret-of-ta') } as const;

const EVERY_PROPERTY = {
  userProperties: { a: ['1', '2'], OsClient: 'tb' },
  contentType: 'text/plain',
  responseTopic: 'answers/1',
  correlationData: Buffer.from([1, 2, 3]),
  payloadFormatIndicator: true,
  messageExpiryInterval: 1,
};

/** CONNECT packets of one version; few client ids, so that they take each other over. */
export function connects(version: Version): readonly Buffer[] {
  const head = { cmd: 'connect', protocolId: version === 3 ? 'MQIsdp' : 'MQTT', protocolVersion: version, ...ACCOUNT };
  const will = { topic: 'will/a', payload: Buffer.from('gone'), qos: 1, retain: true };
  const plain = { ...head, clientId: 'dev-1', clean: true, keepalive: 10 };
  const stays = { ...head, clientId: 'dev-2', clean: false, keepalive: 0, will };
  if (version !== 5) return [plain, stays].map((packet) => encode(packet, version));
  const properties = { sessionExpiryInterval: 1, receiveMaximum: 2, topicAliasMaximum: 3, maximumPacketSize: 200 };
  const rich = { ...stays, clientId: 'dev-3', properties, will: { ...will, properties: { willDelayInterval: 1 } } };
  return [plain, stays, rich, { ...plain, clientId: '' }].map((packet) => encode(packet, version));
}

/** One packet of each kind and more, as a client sends them after its CONNECT. */
export function packets(version: Version): readonly Buffer[] {
  const five = version === 5;
  const props = five ? { properties: EVERY_PROPERTY } : {};
  const filters = ['a/#', '+/b', '#', 'tenant/ta/x', 'tenant/tb/#', 'tb/#', '$share/g/a', '$SYS/#'];
  const subscriptions = filters.map((topic, n) => ({
    topic,
    qos: n % 3,
    ...(five ? { nl: false, rap: true, rh: n % 3 } : {}),
  }));
  const publishes = ['a/b', 'tenant/ta/x', 'tenant/tb/x', 'tb/x', '/a', 'answers/1'].flatMap((topic, n) =>
    [0, 1, 2].map((qos) => ({
      cmd: 'publish',
      topic,
      payload: Buffer.from(`from ta ${n}`),
      qos,
      retain: n % 2 === 0,
      dup: false,
      ...(qos > 0 ? { messageId: 1 + n } : {}),
      ...props,
    })),
  );
  const acks = ['puback', 'pubrec', 'pubrel', 'pubcomp'].flatMap((cmd) => [
    { cmd, messageId: 1 },
    { cmd, messageId: 2, ...(five ? { reasonCode: 0, properties: { reasonString: 'why' } } : {}) },
  ]);
  const all = [
    ...publishes,
    ...acks,
    ...subscriptions.map((subscription, n) => ({ cmd: 'subscribe', messageId: 10 + n, subscriptions: [subscription] })),
    {
      cmd: 'subscribe',
      messageId: 30,
      subscriptions,
      ...(five ? { properties: { subscriptionIdentifier: 300 } } : {}),
    },
    { cmd: 'unsubscribe', messageId: 31, unsubscriptions: filters },
    { cmd: 'pingreq' },
    { cmd: 'disconnect', ...(five ? { reasonCode: 4, properties: { sessionExpiryInterval: 1 } } : {}) },
  ];
  const aliased = { ...publishes[0], properties: { topicAlias: 1 } };
  const more = five ? [aliased, { ...aliased, topic: '' }, { cmd: 'auth', reasonCode: 0x18, properties: {} }] : [];
  return [...all, ...more].map((packet) => encode(packet, version));
}

function encode(packet: unknown, protocolVersion: Version): Buffer {
  return mqttPacket.generate(packet as Packet, { protocolVersion });
}
