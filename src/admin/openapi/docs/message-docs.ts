import { z } from 'zod';
import { DELIVERY_QUERY, SEND } from '../../message-routes.ts';
import { TRY, TRY_ENGINE } from '../../trial-route.ts';
import { ANY, IN_DEMO, MOMENT, type RouteDocs } from '../route-doc.ts';

const HOST_CALL = z.object({
  name: z.string(),
  durationMs: z.number(),
  code: z.int().nullable(),
  target: z.string().optional(),
});

const ATTEMPT = z.object({
  runId: z.string(),
  queue: z.string(),
  eventId: z.string(),
  attempt: z.int(),
  engineKey: z.string(),
  version: z.string(),
  startedAt: MOMENT,
  endedAt: MOMENT,
  verdict: z.string(),
  reason: z.string(),
  message: z.string(),
  hostCalls: z.array(HOST_CALL),
});

const INBOX_ROW = z.object({
  queue: z.string(),
  status: z.string(),
  engineKey: z.string(),
  attempt: z.int(),
  doneAt: z.string().nullable(),
});

const PARKED_ROW = z.object({
  queue: z.string(),
  cycle: z.int(),
  attempt: z.int(),
  state: z.string(),
  reason: z.string(),
  error: z.string(),
  dueAt: MOMENT,
});

const RECEIVED = z.object({
  type: z.enum(['发送', '接收']),
  queue: z.string(),
  message: z.string().nullable(),
  sendTime: z.string().nullable(),
  receiveTime: z.string().nullable(),
  completeTime: z.string().nullable(),
  status: z.enum(['成功', '失败']),
  statusInfo: z.string(),
  messageId: z.string(),
});

const LOGGED = z.object({
  type: z.string(),
  title: z.string(),
  content: z.string(),
  otherInfo: z.string().optional(),
  remark: z.string().optional(),
  api: z.string().optional(),
  param: z.string().optional(),
  level: z.int(),
  eventId: z.string(),
  runId: z.string(),
});

const STORY = z.object({
  eventId: z.string(),
  inbox: z.array(INBOX_ROW),
  attempts: z.array(ATTEMPT),
  parked: z.array(PARKED_ROW),
  outbox: z.array(
    z.object({ queue: z.string(), state: z.string(), attempts: z.int(), lastError: z.string().nullable() }),
  ),
  receiveLog: z.array(RECEIVED),
  sysLog: z.array(LOGGED),
});

const ROW = z.record(z.string(), ANY);

const TABLE_DIFF = z.object({
  table: z.string(),
  inserted: z.array(ROW),
  updated: z.array(z.object({ before: ROW, after: ROW, changed: z.array(z.string()) })),
  deleted: z.array(ROW),
  complete: z.boolean(),
});

const TRIAL = z.object({
  eventId: z.string(),
  queue: z.string(),
  engineKey: z.string(),
  version: z.string(),
  would: z.enum(['acknowledge', 'retry', 'dead', 'run-again', 'already-done']),
  reason: z.string(),
  reasonCode: z.string(),
  result: ANY,
  durationMs: z.number(),
  tables: z.array(TABLE_DIFF).nullable(),
  messages: z.array(z.object({ queue: z.string(), eventId: z.string(), message: z.string() })),
  requests: z.array(
    z.object({ method: z.string(), url: z.string(), status: z.int().nullable(), refused: z.boolean() }),
  ),
  cacheWrites: z.array(z.object({ operation: z.string(), key: z.string() })),
  logs: z.array(z.object({ level: z.int(), title: z.string(), text: z.string() })),
  hostCalls: z.array(HOST_CALL),
});

/** Messages, what became of them, and what they would do. */
export const MESSAGE_DOCS: RouteDocs = {
  'POST /tenants/:tenant/queues/:queue/messages': {
    tag: 'message',
    summary: {
      zh: '发送消息。Code 1 表示已可靠存储，不表示已处理。',
      en: 'Sends a message. Code 1 means stored durably, not done.',
    },
    body: SEND,
    data: z.object({ EventId: z.string(), QueueName: z.string().optional() }),
    errors: [
      'QUEUE_INVALID',
      'QUEUE_FOREIGN',
      'QUEUE_RESERVED',
      'QUEUE_UNAVAILABLE',
      'EVENT_ID_INVALID',
      'MESSAGE_TOO_LARGE',
      'MESSAGE_TOO_MANY_VALUES',
      'DRAINING',
    ],
    example: {
      path: { ...IN_DEMO, queue: 'greetings' },
      body: { EventId: 'greeting-1', Message: { Name: 'Li' } },
    },
  },
  'GET /tenants/:tenant/events/:eventId': {
    tag: 'message',
    summary: { zh: '一个 EventId 的完整经过。', en: 'The whole story of one EventId.' },
    data: STORY,
    hasTimeZone: true,
    errors: ['EVENT_ID_INVALID', 'NOT_FOUND'],
    example: { path: { ...IN_DEMO, eventId: 'greeting-1' } },
  },
  'GET /tenants/:tenant/deliveries': {
    tag: 'message',
    summary: { zh: '最近的运行，最新的在前。', en: 'Latest attempts, newest first.' },
    query: DELIVERY_QUERY,
    data: z.array(ATTEMPT),
    hasTimeZone: true,
    errors: [],
    example: { path: IN_DEMO, query: { state: 'acked', limit: '20' } },
  },
  'POST /tenants/:tenant/engines/:key/trial': {
    tag: 'engine',
    summary: {
      zh: '在会回滚的事务中试跑引擎或草稿，报告它会做什么。',
      en: 'Tries an engine, or a draft of it, in a transaction that is rolled back, and tells what it would do.',
    },
    body: TRY_ENGINE,
    data: TRIAL,
    errors: [
      'ENGINE_KEY_INVALID',
      'NOT_FOUND',
      'ENGINE_MISSING',
      'ENGINE_DISABLED',
      'SCRIPT_SYNTAX',
      'DB_BUSY',
      'DRAINING',
    ],
    example: {
      path: { ...IN_DEMO, key: 'hello' },
      body: { source: 'return { Code: 1, Data: V8.Param.Message };', Message: { Name: 'Li' } },
    },
  },
  'POST /tenants/:tenant/try': {
    tag: 'message',
    summary: {
      zh: '在会回滚的事务中试跑消息，报告它会做什么。',
      en: 'Runs a message in a transaction that is rolled back, and tells what it would do.',
    },
    body: TRY,
    data: TRIAL,
    errors: ['NOT_FOUND', 'ENGINE_MISSING', 'ENGINE_DISABLED', 'DB_BUSY', 'DRAINING'],
    example: { path: IN_DEMO, body: { queue: 'greetings', Message: { Name: 'Li' } } },
  },
};
