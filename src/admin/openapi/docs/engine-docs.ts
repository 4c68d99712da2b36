import { z } from 'zod';
import { BINDING_EDIT, NEW_BINDING } from '../../binding-routes.ts';
import { PUSH } from '../../engine-routes.ts';
import { LOGS_QUERY } from '../../log-route.ts';
import { STREAM_QUERY } from '../../log-stream-route.ts';
import { ANY, IN_DEMO, NOTHING, type RouteDocs } from '../route-doc.ts';

const ENGINE = z.object({
  key: z.string(),
  name: z.string(),
  version: z.string(),
  enabled: z.boolean(),
  stopHttp: z.boolean(),
});

const PUSH_REPORT = z.object({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  unchanged: z.array(z.string()),
  pruned: z.array(z.string()),
  tables: z.array(z.string()),
  leftOut: z.array(z.object({ table: z.string(), fields: z.array(z.string()), rows: z.array(z.int()) })),
});

const LOG_LINE = z.object({
  id: z.string(),
  time: z.string(),
  type: z.string(),
  title: z.string(),
  content: z.string(),
  level: z.int(),
  eventId: z.string(),
  runId: z.string(),
});

/** Settings are absent from a row that cannot be served. */
const BINDING = z.object({
  id: z.string(),
  queue: z.string(),
  engineKey: z.string(),
  enabled: z.boolean(),
  pushed: z.boolean(),
  retryCount: z.int().optional(),
  inbox: z.boolean().optional(),
  legacyAck: z.boolean().optional(),
  prefetch: z.int().optional(),
  timeoutSeconds: z.int().nullable().optional(),
  backoff: z.string().optional(),
  queueType: z.string().nullable().optional(),
  orderKey: z.string().nullable().optional(),
  refusal: z.string(),
});

const STATE = z.enum(['attached', 'waits', 'paused', 'failed', 'refused']);

const CHANGED_BINDING = BINDING.extend({ state: STATE.nullable(), notes: z.array(z.string()) });

const BINDING_STATE = z.object({
  queue: z.string(),
  engineKey: z.string().nullable(),
  state: STATE,
  notes: z.array(z.string()),
});

const TABLE = z.object({
  name: z.string(),
  writable: z.boolean(),
  columns: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['integer', 'decimal', 'text', 'datetime', 'date', 'time', 'boolean', 'blob']),
    }),
  ),
});

const ONE_ENGINE = { ...IN_DEMO, key: 'hello' } as const;

const HELLO = `/**
 * Greets, over HTTP and from the queue.
 *
 * @queue greetings
 */
return { Code: 1, Data: 'hello ' + (V8.Param.Name || 'queue') };
`;

/** Engines, what they log, and the queues that they handle. */
export const ENGINE_DOCS: RouteDocs = {
  'PUT /tenants/:tenant/engines': {
    tag: 'engine',
    summary: { zh: '上传脚本项目：全部成功或全部不变。', en: 'Pushes a script project, all or nothing.' },
    body: PUSH,
    data: PUSH_REPORT,
    errors: ['PUSH_REFUSED', 'DB_BUSY'],
    example: { path: IN_DEMO, body: { files: [{ path: 'hello.js', text: HELLO }] } },
  },
  'GET /tenants/:tenant/engines': {
    tag: 'engine',
    summary: { zh: '列出引擎。', en: 'Lists the engines.' },
    data: z.array(ENGINE),
    errors: [],
    example: { path: IN_DEMO },
  },
  'GET /tenants/:tenant/tables': {
    tag: 'engine',
    summary: { zh: '列出脚本可用的表及其列。', en: 'Lists the tables that scripts can name, with their columns.' },
    data: z.array(TABLE),
    errors: [],
    example: { path: IN_DEMO },
  },
  'GET /tenants/:tenant/engines/:key': {
    tag: 'engine',
    summary: { zh: '一个引擎及其源代码。', en: 'One engine with its source.' },
    data: ENGINE.extend({ source: z.string() }),
    errors: ['ENGINE_KEY_INVALID', 'ENGINE_MISSING'],
    example: { path: ONE_ENGINE },
  },
  'POST /tenants/:tenant/engines/:key/run': {
    tag: 'engine',
    summary: {
      zh: '运行引擎；请求体即 V8.Param。脚本返回的 DosResult 就是响应本身。',
      en: "Runs an engine; the body is its V8.Param. A script's own DosResult is the answer itself.",
    },
    body: z.json().optional(),
    data: ANY,
    errors: [
      'ENGINE_KEY_INVALID',
      'ENGINE_MISSING',
      'ENGINE_DISABLED',
      'ENGINE_PAUSED',
      'SCRIPT_THREW',
      'SCRIPT_SYNTAX',
      'V8_TIMEOUT',
      'V8_EXECUTION_QUEUE_TIMEOUT',
      'V8_MEMORY_LIMIT',
      'SANDBOX_UNAVAILABLE',
      'DRAINING',
    ],
    example: { path: ONE_ENGINE, body: { Name: 'Li' } },
  },
  'GET /tenants/:tenant/logs': {
    tag: 'engine',
    summary: { zh: '租户日志，最早的在前。', en: "Lines of the tenant's log, oldest first." },
    query: LOGS_QUERY,
    data: z.array(LOG_LINE),
    hasTimeZone: true,
    errors: [],
    example: { path: IN_DEMO, query: { limit: '20' } },
  },
  'GET /tenants/:tenant/logs/stream': {
    tag: 'engine',
    summary: {
      zh: '持续的租户日志（server-sent events）：事件 log 为一行，事件 end 说明为何结束；Last-Event-ID 从断处继续。',
      en: 'The log as it grows, as server-sent events: log is a line, end says why it ends; Last-Event-ID goes on after a break.',
    },
    query: STREAM_QUERY,
    data: z.string(),
    media: 'text/event-stream',
    errors: ['LOG_STREAMS_FULL'],
    example: { path: IN_DEMO, query: { limit: '5' } },
  },
  'GET /tenants/:tenant/bindings': {
    tag: 'binding',
    summary: { zh: '列出队列绑定，含停用的。', en: 'Lists the bindings, also those that are switched off.' },
    data: z.array(BINDING),
    errors: [],
    example: { path: IN_DEMO },
  },
  'GET /tenants/:tenant/binding-states': {
    tag: 'binding',
    summary: { zh: '各绑定在本主机上的状态。', en: 'How each binding does on this host.' },
    data: z.array(BINDING_STATE),
    errors: [],
    example: { path: IN_DEMO },
  },
  'POST /tenants/:tenant/bindings': {
    tag: 'binding',
    summary: { zh: '把队列绑定到引擎。', en: 'Binds a queue to an engine.' },
    status: 201,
    body: NEW_BINDING,
    data: CHANGED_BINDING,
    errors: ['BINDING_INVALID', 'BINDING_EXISTS', 'ENGINE_MISSING', 'QUEUE_INVALID', 'QUEUE_FOREIGN', 'QUEUE_RESERVED'],
    example: { path: IN_DEMO, body: { queue: 'visits', engineKey: 'hello', retryCount: 3, backoff: 'fixed:5s' } },
  },
  'PATCH /tenants/:tenant/bindings/:id': {
    tag: 'binding',
    summary: { zh: '修改绑定；只改给出的字段。', en: 'Changes the given fields of a binding.' },
    body: BINDING_EDIT,
    data: CHANGED_BINDING,
    errors: ['NOT_FOUND', 'BINDING_INVALID', 'BINDING_EXISTS', 'BINDING_PUSHED', 'ENGINE_MISSING'],
    example: { path: { ...IN_DEMO, id: '01JBINDING0000000000000000' }, body: { prefetch: 4 } },
  },
  'DELETE /tenants/:tenant/bindings/:id': {
    tag: 'binding',
    summary: { zh: '结束绑定；队列及其消息保留。', en: 'Ends a binding; its queue and messages stay.' },
    data: NOTHING,
    errors: ['NOT_FOUND', 'BINDING_PUSHED'],
    example: { path: { ...IN_DEMO, id: '01JBINDING0000000000000000' } },
  },
};
