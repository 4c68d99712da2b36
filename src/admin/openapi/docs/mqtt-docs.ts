import { z } from 'zod';
import { PUBLISH } from '../../mqtt-routes.ts';
import { NEW_TOPIC_BINDING, TOPIC_BINDING_EDIT } from '../../topic-binding-routes.ts';
import { IN_DEMO, MOMENT, NOTHING, type RouteDocs } from '../route-doc.ts';

const QOS = z.int().min(0).max(2);

const STATUS = z.object({
  isRunning: z.boolean(),
  isStandby: z.boolean(),
  listeners: z.array(z.object({ kind: z.enum(['mqtt', 'mqtts', 'ws', 'wss']), bind: z.string(), port: z.int() })),
  connected: z.int(),
  sessions: z.int(),
  queued: z.int(),
  dropped: z.int(),
});

const SESSION = z.object({
  clientId: z.string(),
  online: z.boolean(),
  address: z.string().nullable(),
  userName: z.string().nullable(),
  protocolVersion: z.int().nullable(),
  connectedAt: MOMENT.nullable(),
  epoch: z.int().nullable(),
  subscriptions: z.array(z.object({ filter: z.string(), qos: QOS })),
  queued: z.int(),
  dropped: z.int(),
});

const TOPIC_BINDING = z.object({
  id: z.string(),
  filter: z.string().describe('canonical, such as tenant/demo/sensor/+'),
  queue: z.string(),
  engineKey: z.string().nullable().describe('the engine that handles the queue; null while there is none'),
  eventIdPath: z.string().describe('where the EventId stands in the payload, such as head.id; may be empty'),
  enabled: z.boolean(),
  refusal: z.string().describe('why the row cannot be used; empty for one that is right'),
});

const REFUSALS = [
  'TOPIC_INVALID',
  'TOPIC_FOREIGN',
  'TOPIC_RESERVED',
  'TOPIC_BOUND',
  'QUEUE_INVALID',
  'QUEUE_FOREIGN',
  'QUEUE_RESERVED',
  'PARAM_INVALID',
] as const;

const OF_A_TOPIC = { ...IN_DEMO, id: '01JTOPIC000000000000000000' } as const;

/** The tenant's devices. */
export const MQTT_DOCS: RouteDocs = {
  'GET /tenants/:tenant/mqtt': {
    tag: 'mqtt',
    summary: { zh: 'MQTT 服务的状态与租户的计数。', en: "The MQTT broker's state and the tenant's numbers." },
    data: STATUS,
    errors: [],
    example: { path: IN_DEMO },
  },
  'GET /tenants/:tenant/mqtt/clients': {
    tag: 'mqtt',
    summary: { zh: '在线或有会话的客户端。', en: 'Clients, connected or with a session.' },
    data: z.array(SESSION),
    hasTimeZone: true,
    errors: ['MQTT_NOT_RUNNING', 'MQTT_STANDBY'],
    example: { path: IN_DEMO },
  },
  'GET /tenants/:tenant/mqtt/retained': {
    tag: 'mqtt',
    summary: { zh: '有保留消息的主题。', en: 'Topics with a retained message.' },
    data: z.array(z.object({ topic: z.string(), qos: QOS, bytes: z.int() })),
    errors: ['MQTT_NOT_RUNNING', 'MQTT_STANDBY'],
    example: { path: IN_DEMO },
  },
  'GET /tenants/:tenant/mqtt/bindings': {
    tag: 'mqtt',
    summary: {
      zh: '消息进入队列的主题，含停用的。',
      en: 'Topics whose messages go into a queue, also those switched off.',
    },
    data: z.array(TOPIC_BINDING),
    errors: [],
    example: { path: IN_DEMO },
  },
  'POST /tenants/:tenant/mqtt/bindings': {
    tag: 'mqtt',
    status: 201,
    summary: {
      zh: '把设备的主题绑定到队列；省略的字段取默认值。',
      en: 'Binds a topic of devices to a queue; fields left out have their defaults.',
    },
    body: NEW_TOPIC_BINDING,
    data: TOPIC_BINDING,
    errors: [...REFUSALS, 'TOPIC_BINDINGS_FULL', 'COLUMN_MISSING'],
    example: { path: IN_DEMO, body: { filter: 'sensor/+/reading', queue: 'readings', eventIdPath: 'head.id' } },
  },
  'PATCH /tenants/:tenant/mqtt/bindings/:id': {
    tag: 'mqtt',
    summary: { zh: '修改主题绑定；只改给出的字段。', en: "Changes the given fields of a topic's binding." },
    body: TOPIC_BINDING_EDIT,
    data: TOPIC_BINDING,
    errors: ['NOT_FOUND', ...REFUSALS, 'COLUMN_MISSING'],
    example: { path: OF_A_TOPIC, body: { enabled: false } },
  },
  'DELETE /tenants/:tenant/mqtt/bindings/:id': {
    tag: 'mqtt',
    summary: {
      zh: '结束主题绑定；已在队列中的消息保留。',
      en: "Ends a topic's binding; messages that are in the queue stay.",
    },
    data: NOTHING,
    errors: ['NOT_FOUND'],
    example: { path: OF_A_TOPIC },
  },
  'POST /tenants/:tenant/mqtt/publish': {
    tag: 'mqtt',
    summary: { zh: '向租户的设备发布消息。', en: "Publishes to the tenant's devices." },
    body: PUBLISH,
    data: z.object({ subscribers: z.int() }),
    errors: ['TOPIC_INVALID', 'TOPIC_FOREIGN', 'TOPIC_RESERVED', 'MQTT_NOT_RUNNING', 'MQTT_STANDBY'],
    example: { path: IN_DEMO, body: { topic: 'M100/command', payload: { on: true }, qos: 1 } },
  },
  'POST /tenants/:tenant/mqtt/clients/:clientId/disconnect': {
    tag: 'mqtt',
    summary: { zh: '断开客户端的连接。', en: "Ends a client's connection." },
    data: NOTHING,
    errors: ['NOT_FOUND', 'MQTT_NOT_RUNNING'],
    example: { path: { ...IN_DEMO, clientId: 'sensor-1' } },
  },
};
