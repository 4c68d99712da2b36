/** Every setting of the host: its rule, its default and what the documentation says about it. */
import * as z from 'zod';
import { bilingual } from '../core/bilingual.ts';
import { LANE_BASE_MB } from '../core/limit-policy.ts';
import { parseModuleName } from '../core/trusted-module.ts';
import { BREAKER_SETTINGS } from './breaker-settings.ts';
import { CACHE_SETTINGS } from './cache-settings.ts';
import { HTTP_SETTINGS, IDENTITY_SETTINGS } from './http-settings.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { MQTT_SETTINGS } from './mqtt-settings.ts';
import { TARGET, TENANT, TENANT_OUTBOUND } from './outbound-schema.ts';
import { Secret } from './secret.ts';
import { SECRET_SETTINGS } from './secret-settings.ts';
import { setting } from './setting-doc.ts';
import { TELEMETRY_SETTINGS } from './telemetry-settings.ts';

const TIMEZONE = z.string().refine(isTimezone, {
  error: bilingual('须为 IANA 时区名，如 Asia/Shanghai', 'an IANA time zone such as Asia/Shanghai'),
});

/** A URL with credentials: checked here, never printed. */
function secretUrl(...schemes: readonly string[]) {
  return z
    .string()
    .refine((text) => schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text), {
      error: bilingual(
        `须为 ${schemes.join(':// 或 ')}:// 开头的 URL`,
        `a URL that begins with ${schemes.join(':// or ')}://`,
      ),
    })
    .transform((text) => new Secret(text));
}

const MODULE_HANDLERS = z.record(
  z.string().refine((name) => parseModuleName(name).ok && !/\.dll$/i.test(name), {
    error: bilingual('模块名：字母、数字、_ -，最多 41 个字符', 'letters, digits, _ and -, at most 41'),
  }),
  z.strictObject({ file: z.string().min(1), sha256: z.string().regex(/^[0-9a-fA-F]{64}$/) }),
);

/** Dead letters may be replayed until they are purged; the inbox must still know them then (or they run twice). */
const INBOX_MARGIN_DAYS = 7;

export const SETTINGS_SCHEMA = z.strictObject({
  tenant: setting(TENANT.default('demo'), {
    zh: '主租户。它的数据库保存租户登记表 sys_osclients。环境变量 OsClient 同样有效。',
    en: 'The main tenant. Its database holds the register of tenants, sys_osclients. The variable OsClient is read, too.',
  }),
  dataDir: setting(z.string().min(1).default('./data'), {
    zh: '数据目录，相对路径以启动目录为准。一个目录同时只能由一个主机使用。',
    en: 'Folder of the data; a relative one starts at the working directory. One host at a time uses it.',
  }),
  demo: setting(z.boolean(), {
    zh: '首次启动时建立演示租户的表和脚本；从不覆盖已有数据。',
    en: "Provisions the demo tenant's tables and scripts at the first start; never resets data.",
    computedDefault: {
      zh: '除 lang 和 log 外没有任何设置时为 true',
      en: 'true when nothing but lang and log is configured',
    },
  }),
  databaseUrl: setting(secretUrl('mysql', 'mariadb').optional(), {
    zh: '主租户数据库，如 mysql://user:password@host:3306/db。不设置时使用 {dataDir}/tenants/{租户}.db（SQLite）。',
    en: 'Database of the main tenant, such as mysql://user:password@host:3306/db. Without it: {dataDir}/tenants/{tenant}.db (SQLite).',
    computedDefault: { zh: 'SQLite', en: 'SQLite' },
    secret: true,
  }),
  queueUrl: setting(secretUrl('amqp', 'amqps').optional(), {
    zh: 'RabbitMQ，如 amqp://user:password@host:5672/vhost。它补全主租户 sys_osclients 中空白的 MQ 字段，从不写入数据库；其他租户只继承主机、端口和 TLS。不设置时使用内置队列。',
    en: 'RabbitMQ, such as amqp://user:password@host:5672/vhost. It fills the blank MQ fields of the main tenant and is never stored; other tenants inherit host, port and TLS only. Without it: the embedded queue.',
    computedDefault: { zh: '内置队列', en: 'embedded' },
    secret: true,
  }),
  cacheUrl: setting(secretUrl('redis', 'rediss').optional(), {
    zh: 'Redis，如 redis://:password@host:6379/0，用于多主机之间的缓存、锁和失效通知。不设置时在本进程内。',
    en: 'Redis, such as redis://:password@host:6379/0, for cache, locks and invalidation between hosts. Without it: inside this process.',
    computedDefault: { zh: '本进程', en: 'in this process' },
    secret: true,
  }),
  mongoUrl: setting(secretUrl('mongodb', 'mongodb+srv').optional(), {
    zh: '主租户的 MongoDB，如 mongodb://user:password@host:27017，供 V8.MongoDb 使用；sys_osclients 的 DbMongoConnection 优先。其他租户用各自的 DbMongoConnection，账号不能与别的租户相同。没有时，文档保存在租户数据库中。',
    en: 'MongoDB of the main tenant for V8.MongoDb, such as mongodb://user:password@host:27017; DbMongoConnection in sys_osclients comes first. Other tenants have a DbMongoConnection of their own, with an account that no other tenant has. Without it: documents are in the tenant’s database.',
    computedDefault: { zh: '租户数据库', en: "the tenant's database" },
    secret: true,
  }),
  timezone: setting(TIMEZONE.default('Asia/Shanghai'), {
    zh: '时区：主机、脚本和数据库时间文本都使用它。',
    en: 'Time zone of the host, of scripts and of the time texts in the database.',
  }),
  lang: setting(z.enum(['zh', 'en']).default('zh'), {
    zh: '没有指定语言的请求得到的提示语言。命令行使用 LANG。',
    en: 'Language of messages where a request names none. The command line uses LANG.',
  }),
  drainSeconds: setting(seconds(0, 600, 20), {
    zh: '收到 SIGTERM 后等待运行中脚本结束的时间（秒）；第二次信号后最多 2 秒。',
    en: 'Time for running scripts to end after SIGTERM, in seconds; at most 2 after a second signal.',
  }),
  reconcileSeconds: setting(z.int().min(1).max(3_600), {
    zh: '重新读取队列绑定和租户的间隔（秒）。v8host push 立即生效。',
    en: 'Interval of reading bindings and tenants again, in seconds. v8host push takes effect at once.',
    computedDefault: { zh: '15，使用 databaseUrl 时 180', en: '15, with databaseUrl 180' },
  }),
  http: HTTP_SETTINGS,
  identity: IDENTITY_SETTINGS,
  secrets: SECRET_SETTINGS,
  log: z
    .strictObject({
      level: setting(z.enum(['debug', 'info', 'warn', 'error']).default('info'), {
        zh: '主机日志的最低级别。',
        en: "Lowest level of the host's log.",
      }),
      format: setting(z.enum(['auto', 'json', 'text']).default('auto'), {
        zh: '主机日志格式：auto 在终端上为一行文字，否则为 JSON 行。',
        en: "Format of the host's log: auto is one human line on a terminal, JSON lines elsewhere.",
      }),
    })
    .prefault({}),
  telemetry: TELEMETRY_SETTINGS,
  // No default of its own: the number of lanes is worked out at start.
  sandbox: z.strictObject({
    lanes: setting(z.int().min(1).max(64), {
      zh: '沙箱进程数，即同时运行的脚本数。每个约 20 MB；等待 HTTP 的脚本占用一个。',
      en: 'Sandbox processes, and so scripts that run at once. About 20 MB each; a script that waits for HTTP holds one.',
      computedDefault: { zh: 'CPU 核数，最少 4，最多 16', en: 'number of CPU cores, 4 to 16' },
    }),
    rssMb: setting(z.int().min(128).max(8_192).default(300), {
      zh: '单个沙箱进程的内存上限（MB），超过即被终止。至少为 run.heapMb 加 100。',
      en: 'Memory of one sandbox process in MB; more ends it. At least run.heapMb plus 100.',
    }),
    strict: setting(z.boolean().default(false), {
      zh: '严格模式：一个沙箱进程只为一个租户服务，不编译脚本为机器码（无 JIT），空闲后结束。更安全，但换租户时要启动新进程，计算更慢。',
      en: 'Strict mode: a sandbox process serves one tenant only, without JIT, and ends when idle. Safer; a change of tenant starts a process, and computing is slower.',
    }),
    strictIdleSeconds: setting(seconds(1, 3_600, 60), {
      zh: '严格模式下，空闲的沙箱进程保留的时间（秒）。',
      en: 'How long an idle sandbox process is kept in strict mode, in seconds.',
    }),
    allowUntestedVersions: setting(z.boolean().default(false), {
      zh: '允许在未经测试的 Node 或 isolated-vm 版本上启动。仅用于试验新版本：启动后的自检会报告沙箱是否仍然可靠。',
      en: 'Starts on a Node or isolated-vm that this program was not tested with. For trying a new version only: a check after the start tells whether the sandbox still holds.',
    }),
    maxLanesPerTenant: setting(z.int().min(1).max(64).optional(), {
      zh: '有其他租户时，一个租户最多占用的沙箱进程数；只有一个租户时可用全部。',
      en: 'Sandbox processes that one tenant may hold while there are others; alone it has them all.',
      computedDefault: { zh: 'sandbox.lanes 减 1', en: 'sandbox.lanes less 1' },
    }),
    cpu: z
      .strictObject({
        sharePercent: setting(z.int().min(1).max(6_400).optional(), {
          zh: '有其他租户时，一个租户长期可用的 CPU，以一个核的百分比计。用完后它的脚本变慢，其他租户不受影响。',
          en: 'CPU that one tenant may use in the long run while there are others, in percent of one core. Beyond it only its own scripts slow down.',
          computedDefault: { zh: '一半的核', en: 'half of the cores' },
        }),
        burstSeconds: setting(seconds(1, 3_600, 30), {
          zh: '租户可以积攒、也可以透支的 CPU 时间（秒）。',
          en: 'CPU time that a tenant can save, and owe at most, in seconds.',
        }),
      })
      .prefault({}),
  }),
  run: z
    .strictObject({
      wallSeconds: setting(seconds(1, 600, 60), {
        zh: '一次运行的最长时间（秒），绑定的 TimeoutSeconds 优先。',
        en: "Longest time of one run in seconds; a binding's TimeoutSeconds goes before it.",
      }),
      cpuSeconds: setting(seconds(1, 120, 10), {
        zh: '一次运行的 CPU 时间上限（秒）。',
        en: 'CPU time of one run in seconds.',
      }),
      heapMb: setting(z.int().min(16).max(512).default(128), {
        zh: '一次运行的 V8 堆上限（MB）。',
        en: 'V8 heap of one run in MB.',
      }),
    })
    .prefault({}),
  limits: LIMIT_SETTINGS,
  breaker: BREAKER_SETTINGS,
  mqtt: MQTT_SETTINGS,
  queue: z
    .strictObject({
      type: setting(z.enum(['classic', 'quorum']).default('classic'), {
        zh: '新建 RabbitMQ 队列的类型。原平台也声明的队列只能是 classic。已有队列不变。',
        en: 'Type of RabbitMQ queues that do not exist yet. Queues that the original platform declares, too, must be classic.',
      }),
      consumerTimeoutSeconds: setting(seconds(60, 86_400, 1_800), {
        zh: 'RabbitMQ 允许一条消息未确认的时间（秒），AMQP 无法查询，须与服务器一致。',
        en: 'How long RabbitMQ lets a delivery stay unacknowledged, in seconds; AMQP cannot tell it, so it must match the server.',
      }),
    })
    .prefault({}),
  pool: z
    .strictObject({
      perTenant: setting(z.int().min(4).max(200).default(10), {
        zh: '每个 MySQL 租户的连接数上限，主机自己的连接计算在内（MariaDB 默认共允许 151 个）。',
        en: "Connections for each MySQL tenant, the host's own included (MariaDB allows 151 in all by default).",
      }),
    })
    .prefault({}),
  cache: CACHE_SETTINGS,
  outbound: z
    .strictObject({
      allow: setting(z.array(TARGET).default([]), {
        zh: '所有租户的脚本都可以访问的非公网目标：host、host:port 或 [IPv6]:port。环境变量中用逗号分隔。',
        en: 'Targets that are not public and open to scripts of every tenant all the same: host, host:port or [IPv6]:port. Separated by commas in the environment.',
      }),
      tenants: setting(TENANT_OUTBOUND.default({}), {
        zh: '单个租户额外可访问的目标（allow）和脚本可按名称使用的凭据（credentials），见下文。环境变量中为 JSON。',
        en: 'What single tenants may reach beside that (allow), and credentials that their scripts use by name (credentials): see below. JSON in the environment.',
        secret: true,
      }),
    })
    .prefault({}),
  modules: z
    .strictObject({
      dir: setting(z.string().min(1).default('./modules'), {
        zh: '处理模块所在的目录；模块文件不能在它之外。相对路径以启动目录为准。',
        en: 'Folder of the handler modules; no file of one may be outside. A relative one starts at the working directory.',
      }),
      handlers: setting(MODULE_HANDLERS.default({}), {
        zh: '主租户 Type 2 绑定可用的模块：名称（写入 DllName）到 {file, sha256}。模块以主机的权限运行，不在沙箱中；文件改变后不再运行。环境变量中为 JSON。',
        en: "Modules for Type 2 bindings of the main tenant: from their names (in DllName) to {file, sha256}. They run with the host's rights, outside the sandbox; a file that changed does not run. JSON in the environment.",
      }),
    })
    .prefault({}),
  retention: z
    .strictObject({
      deadLetterDays: setting(days(30), { zh: '死信保留天数。', en: 'Days that dead letters are kept.' }),
      inboxDays: setting(days(37), {
        zh: '收件箱保留天数，即重复消息能被识别的时间。至少比 deadLetterDays 多 7 天。',
        en: 'Days that the inbox is kept: how long a duplicate is recognised. At least 7 more than deadLetterDays.',
      }),
      attemptDays: setting(days(30), { zh: '运行记录保留天数。', en: 'Days that attempts are kept.' }),
      logDays: setting(days(14), {
        zh: 'sys_log 和接收日志保留天数。',
        en: 'Days that sys_log and the receive log are kept.',
      }),
      versionDays: setting(days(365), {
        zh: '接口引擎旧版本保留天数；每个接口引擎最新的 20 个版本一直保留。',
        en: 'Days that old versions of engines are kept; the newest 20 of each engine always are.',
      }),
      auditDays: setting(days(365), { zh: '变更记录保留天数。', en: 'Days that the log of changes is kept.' }),
    })
    .prefault({}),
});

/** All settings, checked and complete. */
export type Settings = z.infer<typeof SETTINGS_SCHEMA>;

/** A rule over several settings that are each right by themselves. */
export interface CrossCheck {
  /** The setting to change. */
  readonly path: string;
  /** The other settings of the rule. */
  readonly beside: readonly string[];
  readonly rule: string;
  holds(settings: Settings): boolean;
}

export const CROSS_CHECKS: readonly CrossCheck[] = [
  {
    path: 'retention.inboxDays',
    beside: ['retention.deadLetterDays'],
    rule: bilingual(
      `须不小于 retention.deadLetterDays + ${INBOX_MARGIN_DAYS}，否则重放的死信可能执行两次`,
      `at least retention.deadLetterDays + ${INBOX_MARGIN_DAYS}, or a replayed dead letter could run twice`,
    ),
    holds: ({ retention }) => retention.inboxDays >= retention.deadLetterDays + INBOX_MARGIN_DAYS,
  },
  {
    path: 'sandbox.rssMb',
    beside: ['run.heapMb'],
    rule: bilingual(
      `须不小于 run.heapMb + ${LANE_BASE_MB}，否则堆上限不会先生效`,
      `at least run.heapMb + ${LANE_BASE_MB}, or the process ends before the heap limit can`,
    ),
    holds: ({ sandbox, run }) => sandbox.rssMb >= run.heapMb + LANE_BASE_MB,
  },
  {
    path: 'run.wallSeconds',
    beside: ['limits.maxWallSeconds'],
    rule: bilingual('须不大于 limits.maxWallSeconds', 'at most limits.maxWallSeconds'),
    holds: ({ run, limits }) => run.wallSeconds <= limits.maxWallSeconds,
  },
  {
    path: 'run.heapMb',
    beside: ['limits.maxHeapMb'],
    rule: bilingual('须不大于 limits.maxHeapMb', 'at most limits.maxHeapMb'),
    holds: ({ run, limits }) => run.heapMb <= limits.maxHeapMb,
  },
  {
    path: 'mqtt.shared.enabled',
    beside: [],
    rule: bilingual(
      '需要 databaseUrl 和 cacheUrl：会话存于 Redis，由数据库决定哪台主机运行 MQTT 服务',
      'needs databaseUrl and cacheUrl: sessions are in Redis, and the database decides which host runs the broker',
    ),
    holds: ({ mqtt, databaseUrl, cacheUrl }) =>
      !mqtt.shared.enabled || (databaseUrl !== undefined && cacheUrl !== undefined),
  },
];

function seconds(least: number, most: number, preset: number) {
  return z.int().min(least).max(most).default(preset);
}

function days(preset: number) {
  return z.int().min(1).max(3_650).default(preset);
}

/** A zone of the IANA data; an offset such as `+08:00` means the opposite in POSIX `TZ`, which lanes get. */
function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
