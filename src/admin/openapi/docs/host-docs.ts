import { z } from 'zod';
import { BACKUP } from '../../backup-routes.ts';
import { SETUP } from '../../broker-routes.ts';
import { NEW_TENANT } from '../../tenant-routes.ts';
import { ANY, IN_DEMO, MOMENT, NOTHING, type RouteDocs } from '../route-doc.ts';

const TENANT = z.object({
  tenant: z.string(),
  main: z.boolean(),
  state: z.enum(['open', 'disabled', 'unavailable']),
  reason: z.string().nullable(),
});

const PROBES = z.object({
  id: z.string(),
  until: MOMENT,
  accounts: z.array(z.object({ tenant: z.string(), user: z.string(), password: z.string() })),
});

const BACKUP_REPORT = z.object({
  dir: z.string(),
  files: z.array(z.object({ path: z.string(), bytes: z.int(), sha256: z.string() })),
  elsewhere: z.array(z.string()),
});

const BROKER_ACCOUNT = z.object({
  user: z.string(),
  vhost: z.string(),
  permissions: z.object({ configure: z.string(), write: z.string(), read: z.string() }),
  password: z.string().optional(),
});

const OVERVIEW = z.object({
  at: MOMENT,
  minutes: z.array(z.object({ at: MOMENT, verdict: z.string(), runs: z.int() })),
  deadLetters: z.int(),
  waiting: z.int(),
  outbox: z.object({ rows: z.int(), failed: z.int() }),
  queues: z.array(
    z.object({
      queue: z.string(),
      engineKey: z.string(),
      ready: z.int().nullable(),
      unsettled: z.int().nullable(),
      reason: z.string(),
    }),
  ),
  refusedBindings: z.int(),
});

const CIRCUIT = z.object({
  tenant: z.string(),
  subject: z.string(),
  phase: z.string(),
  since: MOMENT.optional(),
  until: MOMENT.optional(),
  pauses: z.int().optional(),
  runs: z.int(),
  troublePercent: z.number(),
  faultPercent: z.number(),
});

const LIMITS = z.object({
  engines: z.array(
    z.object({
      key: z.string(),
      name: z.string(),
      version: z.string(),
      enabled: z.boolean(),
      limits: z.record(z.string(), z.number()),
      warnings: z.array(z.string()),
    }),
  ),
  hostCallsPerSecond: z.number(),
  load: z
    .object({
      tenant: z.string(),
      running: z.int(),
      waiting: z.int(),
      cpuBalanceMs: z.number(),
      quarantined: z.boolean(),
    })
    .nullable(),
  breakers: z.array(CIRCUIT),
  pauses: z.array(CIRCUIT),
});

/** The host and its tenants. */
export const HOST_DOCS: RouteDocs = {
  'GET /openapi.json': {
    tag: 'host',
    summary: {
      zh: '本文档：OpenAPI 3.1，由路由自身的规则生成。',
      en: 'This document: OpenAPI 3.1, made of the routes themselves.',
    },
    data: z.record(z.string(), ANY),
    media: 'application/json',
    errors: [],
    example: {},
  },
  'GET /docs': {
    tag: 'host',
    summary: { zh: '同一文档的网页。', en: 'The same document as a page.' },
    data: z.string(),
    media: 'text/html',
    errors: [],
    example: {},
  },
  'POST /backups': {
    tag: 'host',
    summary: { zh: '主机运行时复制数据目录。', en: 'Copies the data directory while the host runs.' },
    status: 201,
    body: BACKUP,
    data: BACKUP_REPORT,
    errors: ['BACKUP_TARGET_EXISTS', 'BACKUP_FAILED'],
    example: { body: {} },
  },
  'GET /tenants': {
    tag: 'tenant',
    summary: { zh: '列出租户，主租户在前。', en: 'Lists the tenants, the main one first.' },
    data: z.array(TENANT),
    errors: [],
    example: {},
  },
  'POST /tenants': {
    tag: 'tenant',
    summary: { zh: '新建租户。', en: 'Creates a tenant.' },
    status: 201,
    body: NEW_TENANT,
    data: TENANT,
    errors: ['TENANT_INVALID', 'TENANT_EXISTS', 'DB_URL_INVALID', 'DB_UNREACHABLE', 'DB_LOGIN_REFUSED'],
    example: { body: { tenant: 'acme' } },
  },
  'POST /isolation-checks': {
    tag: 'host',
    summary: {
      zh: '为一次隔离检查建立两个临时租户，各有一个设备账号；15 分钟后主机自行删除。',
      en: 'Makes two tenants with a device account each for a check of the isolation; the host removes them after 15 minutes.',
    },
    status: 201,
    data: PROBES,
    errors: ['DB_PROVISION_REFUSED'],
    example: {},
  },
  'DELETE /isolation-checks/:checkId': {
    tag: 'host',
    summary: {
      zh: '删除一次隔离检查的两个租户及其全部数据。',
      en: 'Removes the two tenants of a check with everything that they have.',
    },
    data: NOTHING,
    errors: ['NOT_FOUND'],
    example: { path: { checkId: '01jd0000000000000000000000' } },
  },
  'POST /tenants/:tenant/reload': {
    tag: 'tenant',
    summary: {
      zh: '重新读取租户设置并重建队列连接。',
      en: "Reads the tenant's settings again and rebuilds its queue connections.",
    },
    data: NOTHING,
    errors: ['QUEUE_IDENTITY_MISSING', 'QUEUE_IDENTITY_INVALID'],
    example: { path: IN_DEMO },
  },
  'POST /tenants/:tenant/rabbitmq-setup': {
    tag: 'tenant',
    summary: {
      zh: '通过 RabbitMQ 管理接口为租户建立专用账号。',
      en: 'Gives the tenant its own RabbitMQ account through the management interface.',
    },
    body: SETUP,
    data: BROKER_ACCOUNT,
    errors: [
      'QUEUE_IDENTITY_MISSING',
      'BROKER_ADMIN_UNREACHABLE',
      'BROKER_ADMIN_LOGIN_REFUSED',
      'BROKER_ADMIN_REFUSED',
      'BROKER_ACCOUNT_FOREIGN',
      'BROKER_ACCOUNT_MAIN',
      'BROKER_COLUMN_MISSING',
    ],
    example: {
      path: { tenant: 'acme' },
      body: { url: 'http://127.0.0.1:15672', user: 'guest', password: 'guest' },
    },
  },
  'GET /tenants/:tenant/overview': {
    tag: 'tenant',
    summary: {
      zh: '最近一小时的运行、死信与各队列积压。',
      en: "The last hour's runs, dead letters and the backlog of each queue.",
    },
    data: OVERVIEW,
    hasTimeZone: true,
    errors: [],
    example: { path: IN_DEMO },
  },
  'GET /tenants/:tenant/limits': {
    tag: 'tenant',
    summary: { zh: '各引擎的限额、余额与暂停。', en: 'Limits per engine, balances and pauses.' },
    data: LIMITS,
    hasTimeZone: true,
    errors: [],
    example: { path: IN_DEMO },
  },
};
