import { SETTING_LIST } from '../src/config/setting-list.ts';
import { DEFAULT_BINDING_CIRCUIT, DEFAULT_ENGINE_CIRCUIT } from '../src/core/circuit-policies.ts';
import type { ErrorCode, Lang } from '../src/core/errors.ts';
import { MAX_ROW_STEPS } from '../src/core/query-plan.ts';
import { MAX_HEAP_MB, MAX_JSON_DEPTH, MAX_JSON_VALUES, MAX_WALL_MS } from '../src/core/run-limits.ts';
import { CAP_NAMES } from '../src/core/tenant-caps.ts';

type Text = Readonly<Record<Lang, string>>;

/** A row of the table of limits. */
interface LimitRow {
  readonly what: Text;
  /** Setting of its default, whose preset and range are shown; absent where it is fixed. */
  readonly setting?: string;
  readonly fixed?: string;
  /** Where an author or an administrator asks for another value. */
  readonly asked?: Text;
  readonly cap?: Text;
  readonly code: ErrorCode | undefined;
  readonly advice: Text;
}

const NOWHERE: Text = { zh: '–', en: '–' };

/** Runs at once: what is over a cap waits for its turn. */
const CAPS_ON_RUNS: readonly LimitRow[] = (
  [
    ['limits.runs', '本主机同时进行的运行', 'runs at once of the host'],
    ['limits.runsPerTenant', '一个租户同时进行的运行', 'runs at once of a tenant'],
    ['limits.runsPerEngine', '一个接口引擎同时进行的运行', 'runs at once of an engine'],
  ] as const
).map(([setting, zh, en]) => ({
  what: { zh, en },
  setting,
  code: undefined,
  advice: { zh: '其余的等待，按租户轮流', en: 'the others wait, tenant by tenant in turn' },
}));

/** What one tenant may keep in V8.Cache. */
const CACHE_ROWS: readonly LimitRow[] = [
  {
    what: { zh: '一个租户在 `V8.Cache` 中的键', en: 'keys of a tenant in `V8.Cache`' },
    setting: 'cache.keysPerTenant',
    code: 'CACHE_FULL',
    advice: { zh: '设置过期时间，删除不用的键', en: 'let keys expire, remove those that are not needed' },
  },
  {
    what: {
      zh: '没有 `cacheUrl` 时，一个租户在 `V8.Cache` 中的键名与值（MiB）',
      en: 'names and values of a tenant in `V8.Cache` without `cacheUrl` (MiB)',
    },
    setting: 'cache.mbPerTenant',
    code: 'CACHE_FULL',
    advice: { zh: '同上', en: 'the same' },
  },
];

const ROWS: readonly LimitRow[] = [
  {
    what: { zh: '一次运行的时间（秒）', en: 'time of one run (s)' },
    setting: 'run.wallSeconds',
    asked: {
      zh: '绑定的 `TimeoutSeconds`，或引擎的 `Timeout`（`V8Limit`=1）',
      en: '`TimeoutSeconds` of the binding, else `Timeout` of the engine (`V8Limit` = 1)',
    },
    cap: { zh: '`limits.maxWallSeconds`', en: '`limits.maxWallSeconds`' },
    code: 'V8_TIMEOUT',
    advice: { zh: '缩短外部调用，拆分批次', en: 'shorten outside calls, split the batch' },
  },
  {
    what: { zh: '一次运行的 CPU（秒）', en: 'CPU of one run (s)' },
    setting: 'run.cpuSeconds',
    code: 'V8_CPU_LIMIT',
    advice: { zh: '检查死循环，减少计算', en: 'look for an endless loop, compute less' },
  },
  {
    what: { zh: 'V8 堆（MB）', en: 'V8 heap (MB)' },
    setting: 'run.heapMb',
    asked: { zh: '引擎的 `LimitMemory`（`V8Limit`=1）', en: '`LimitMemory` of the engine (`V8Limit` = 1)' },
    cap: {
      zh: '`limits.maxHeapMb`，且不超过 `sandbox.rssMb` − 100',
      en: '`limits.maxHeapMb`, and `sandbox.rssMb` − 100',
    },
    code: 'V8_MEMORY_LIMIT',
    advice: { zh: '分页读取', en: 'read in pages' },
  },
  {
    what: { zh: '沙箱进程内存（MB）', en: 'memory of the sandbox process (MB)' },
    setting: 'sandbox.rssMb',
    code: 'V8_PROCESS_MEMORY',
    advice: { zh: '减少大字符串和缓冲区', en: 'fewer large strings and buffers' },
  },
  {
    what: { zh: '返回值（KiB）', en: 'result (KiB)' },
    setting: 'limits.resultKb',
    code: 'V8_RESULT_TOO_LARGE',
    advice: { zh: '只返回需要的字段', en: 'return the needed fields only' },
  },
  {
    what: { zh: '返回值的嵌套层数', en: 'depth of a result' },
    fixed: String(MAX_JSON_DEPTH),
    code: 'V8_RESULT_TOO_DEEP',
    advice: { zh: '返回较浅的结构', en: 'return a flatter structure' },
  },
  {
    what: { zh: '`V8.Param`（KiB）', en: '`V8.Param` (KiB)' },
    setting: 'limits.paramKb',
    code: 'V8_RESULT_TOO_LARGE',
    advice: { zh: '传递引用而不是内容', en: 'pass a reference, not the content' },
  },
  {
    what: { zh: '一次平台调用的参数（KiB）', en: 'arguments of one host call (KiB)' },
    setting: 'limits.argumentKb',
    code: 'V8_RESULT_TOO_LARGE',
    advice: { zh: '分批', en: 'send portions' },
  },
  {
    what: { zh: '一次平台调用的参数中的值', en: 'values in the arguments of one host call' },
    fixed: String(MAX_JSON_VALUES),
    code: 'V8_TOO_MANY_VALUES',
    advice: { zh: '分批', en: 'send portions' },
  },
  {
    what: { zh: '一次平台调用的结果（KiB）', en: 'reply of one host call (KiB)' },
    setting: 'limits.replyKb',
    code: 'V8_RESULT_TOO_LARGE',
    advice: { zh: '分页', en: 'use pages' },
  },
  {
    what: { zh: '平台调用次数，含嵌套引擎', en: 'host calls of one run, nested engines included' },
    setting: 'limits.hostCalls',
    code: 'V8_HOST_CALL_LIMIT',
    advice: { zh: '改用批量方法', en: 'use the batch methods' },
  },
  {
    what: { zh: '租户每秒平台调用', en: 'host calls a second of a tenant' },
    setting: 'limits.hostCallsPerSecond',
    code: 'V8_HOST_CALL_RATE',
    advice: {
      zh: '先放慢；只有大量并发 Async 调用才会被拒绝',
      en: 'slowed first; only floods of Async calls are refused',
    },
  },
  {
    what: { zh: '引擎嵌套层数', en: 'depth of nested engines' },
    setting: 'limits.nesting',
    code: 'V8_NESTED_DEPTH_LIMIT',
    advice: { zh: '检查循环调用', en: 'look for engines that call each other' },
  },
  {
    what: {
      zh: 'SQLite：一条脚本 SQL 最多逐行比较的次数',
      en: 'SQLite: rows that one statement of a script may step through',
    },
    fixed: String(MAX_ROW_STEPS),
    code: 'SQL_TOO_MUCH_WORK',
    advice: { zh: '用 Id 或唯一字段连接；或用 MySQL、MariaDB', en: 'join by Id or a unique field; or MySQL, MariaDB' },
  },
  {
    what: { zh: 'console 行数', en: 'console lines' },
    setting: 'limits.logLines',
    code: undefined,
    advice: { zh: '多余的被丢弃并提示', en: 'the rest is dropped, with a warning' },
  },
  {
    what: { zh: 'console 文字（KiB）', en: 'console text (KiB)' },
    setting: 'limits.logKb',
    code: undefined,
    advice: { zh: '同上', en: 'the same' },
  },
  {
    what: {
      zh: '调用等待执行（秒）；消息不限',
      en: 'wait of a call for its turn (s); messages wait as long as it takes',
    },
    setting: 'limits.queueWaitSeconds',
    code: 'V8_EXECUTION_QUEUE_TIMEOUT',
    advice: { zh: '稍后重试，或增加 `sandbox.lanes`', en: 'try later, or raise `sandbox.lanes`' },
  },
  ...CAPS_ON_RUNS,
  ...CACHE_ROWS,
];

const HEAD: Readonly<Record<Lang, string>> = {
  zh: '| 限额 | 默认 | 设置 | 脚本或引擎可要求 | 上限 | 错误码 | 怎么办 |',
  en: '| limit | default | setting | asked for by | cap | code | what to do |',
};

/** docs/limits.md and its Chinese counterpart. */
export function renderLimitsPage(lang: Lang): string {
  const rows = ROWS.map((row) => renderRow(row, lang));
  return `${INTRODUCTION[lang]}\n${[HEAD[lang], `${'| --- '.repeat(7)}|`, ...rows].join('\n')}\n\n${REST[lang]}`;
}

function renderRow({ what, setting, fixed, asked, cap, code, advice }: LimitRow, lang: Lang): string {
  const known = SETTING_LIST.find(({ path }) => path === setting);
  if (setting !== undefined && known === undefined) throw new Error(`docs/limits.md names no setting: ${setting}`);
  const cells = [
    what[lang],
    fixed ?? String(known?.preset),
    setting === undefined ? '–' : `\`${setting}\` (${known?.range})`,
    (asked ?? NOWHERE)[lang],
    (cap ?? NOWHERE)[lang],
    code === undefined ? '–' : `[\`${code}\`](errors${lang === 'zh' ? '.zh-CN' : ''}.md#${code})`,
    advice[lang],
  ];
  return `| ${cells.join(' | ')} |`;
}

const INTRODUCTION: Readonly<Record<Lang, string>> = {
  zh: `# 限额、熔断与暂停

[English](limits.md) · 由 \`npm run docs\` 从 \`scripts/limits-page.ts\` 生成，请勿手改。

触及限额的运行回滚，调用方得到 \`Code: 0\`，\`DataAppend.V8Limit\` 写明是哪个限额、多少、在哪一层、怎么办；主机日志有一行
\`run.limit_hit\`，\`v8host trace\` 显示同一个错误码。脚本可从 \`V8.Limits\` 读取自己的限额，\`v8host limits\` 列出所有引擎的限额。
`,
  en: `# Limits, breakers and pauses

[中文](limits.zh-CN.md) · Generated from \`scripts/limits-page.ts\` by \`npm run docs\`.

A run that hits a limit is rolled back. Its caller gets \`Code: 0\` with \`DataAppend.V8Limit\`: which limit, how much, at
which depth, what to do; the host log has a line \`run.limit_hit\`, and \`v8host trace\` shows the same code. A script
reads its limits from \`V8.Limits\`; \`v8host limits\` lists those of every engine.
`,
};

const { minRuns, troublePercent, faultPercent, pauseMs, maxPauseMs } = DEFAULT_BINDING_CIRCUIT;
const engine = DEFAULT_ENGINE_CIRCUIT;

const REST: Readonly<Record<Lang, string>> = {
  zh: `## 引擎自己的限额

\`sys_apiengine\` 中 \`V8Limit\` = 1 时 \`Timeout\`（秒，最多 ${MAX_WALL_MS / 1000}）和 \`LimitMemory\`（MB，最多 ${MAX_HEAP_MB}）生效；
否则用主机默认值：原平台的“不限”不保留。\`MaxStatements\`、\`LimitRecursion\` 在 V8 中无法计数，由 CPU 时间和 V8 的栈代替。
不合法或超过上限的值不会让引擎停止：按默认值或上限运行，并在 \`sys_log\`（类型 \`Limit\`）、主机日志 \`engine.limits_adjusted\` 和
\`v8host limits\` 中说明。嵌套引擎的内存和时间按自己的行（没有 \`Timeout\` 时用根引擎的时间），
并且不超过调用者剩余的时间；平台调用次数由根引擎决定。

租户可在 \`sys_config\` 中设置自己引擎的限额：\`V8DefaultTimeoutSeconds\`、\`V8DefaultLimitMemoryMB\` 用于没有要求的引擎；
\`V8MaxTimeoutSeconds\`、\`V8MaxLimitMemoryMB\`、\`V8NestedApiDepth\` 是租户自己的上限。管理员的上限同时有效。空白或不是正整数的值不生效。

## 单个租户的上限

\`limits.tenants\`，如 \`["factory.wallSeconds=30", "factory.hostCallsPerSecond=500"]\`：该租户的默认值和引擎要求都不会超过它。
名称：${CAP_NAMES.map((name) => `\`${name}\``).join('、')}。大小只能调低。

## 熔断：依赖出问题时消息等待

每个绑定有一个熔断器。最近 60 秒内至少 ${minRuns} 次运行，其中超时和依赖故障（平台调用找不到服务、超时或得到 5xx，且运行失败）达到
${troublePercent}%，或再加上脚本出错达到 ${faultPercent}% 时暂停：队列的消费者被取消，未开始的消息退回且不计次数。${pauseMs / 1000} 秒后试运行一条，
失败则暂停加倍（最多 ${maxPauseMs / 1000} 秒），成功即恢复。明确返回的 \`Code: 0\` 和不合法的信封只进死信，从不触发熔断。设置见 \`breaker.*\`。

## 反复使沙箱进程被终止的引擎

至少 ${engine.minRuns} 次运行中 ${engine.troublePercent}% 使沙箱进程被终止时，该引擎暂停 ${engine.pauseMs / 1000} 秒，试运行失败则加倍（最多 ${engine.maxPauseMs / 1000} 秒）。消息等待且不计次数；
调用立即得到 \`ENGINE_PAUSED\` 和再次尝试的时间；一次正常的运行即恢复。

## 怎么看

| 在哪里 | 看什么 |
| --- | --- |
| \`v8host limits\`，\`GET /api/v1/tenants/{t}/limits\` | \`breakers\` 和 \`pauses\` 中 \`phase\` 不是 \`closed\` 的：\`since\` 自何时，\`until\` 何时再试，\`pauses\` 连续几次 |
| 主机日志 | \`breaker.opened\`、\`breaker.probed\`、\`breaker.closed\`；\`engine.paused\`、\`engine.probed\`、\`engine.resumed\`；\`consumer.paused\`、\`consumer.resumed\` |
| \`/metrics\` | \`v8host_circuits_paused\`、\`v8host_circuits_opened_total\`、\`v8host_limits_hit_total\` |

每个主机各自判断；重启后从头统计。
`,
  en: `## Limits of an engine's own

With \`V8Limit\` = 1 in \`sys_apiengine\` its \`Timeout\` (seconds, at most ${MAX_WALL_MS / 1000}) and \`LimitMemory\` (MB, at most ${MAX_HEAP_MB})
count; otherwise the host's defaults do: the platform's "unlimited" is not kept. V8 cannot count \`MaxStatements\` and
\`LimitRecursion\`; CPU time and V8's own stack stand in their place. A bad value, or one above the cap, stops no engine: it
runs with the default or the cap, and \`sys_log\` (type \`Limit\`), the host log (\`engine.limits_adjusted\`) and
\`v8host limits\` say so. A nested engine has the memory and the
time of its own row (without a \`Timeout\` the root's time), never more than is left of its caller's; the number of host
calls is the root's.

A tenant sets the usual limits of its engines in \`sys_config\`: \`V8DefaultTimeoutSeconds\` and
\`V8DefaultLimitMemoryMB\` for engines that ask for nothing, \`V8MaxTimeoutSeconds\`, \`V8MaxLimitMemoryMB\` and
\`V8NestedApiDepth\` as caps of its own. The operator's caps hold beside them. Blank cells, and what is no whole number
from 1 up, set nothing.

## Caps of single tenants

\`limits.tenants\`, such as \`["factory.wallSeconds=30", "factory.hostCallsPerSecond=500"]\`: neither the defaults nor what
engines of that tenant ask for go above. Names: ${CAP_NAMES.map((name) => `\`${name}\``).join(', ')}. Sizes can be lowered
only.

## Breakers: messages wait while a dependency is away

Each binding has one. When of at least ${minRuns} runs in the last minute ${troublePercent} % failed by time-outs or dependencies (a host
call found its server away, out of time or answering 5xx, and the run failed), or ${faultPercent} % together with faults of the
script, the binding is paused: its consumer is cancelled, and messages that have not begun go back uncounted. After
${pauseMs / 1000} s one message is tried; a failure doubles the pause (up to ${maxPauseMs / 1000} s), a success ends it. An explicit \`Code: 0\` and
an invalid envelope only make dead letters and never open a breaker. Settings: \`breaker.*\`.

## Engines that keep getting their sandbox process killed

When ${engine.troublePercent} % of at least ${engine.minRuns} runs cost a sandbox process, the engine is paused for ${engine.pauseMs / 1000} s, twice as long after each failed
probe (up to ${engine.maxPauseMs / 1000} s). Messages wait uncounted; calls are answered \`ENGINE_PAUSED\` at once, with the time of the next
try; a good run ends it.

## How to read it

| where | what |
| --- | --- |
| \`v8host limits\`, \`GET /api/v1/tenants/{t}/limits\` | \`breakers\` and \`pauses\` whose \`phase\` is not \`closed\`: \`since\` when, \`until\` the next try, \`pauses\` in a row |
| host log | \`breaker.opened\`, \`breaker.probed\`, \`breaker.closed\`; \`engine.paused\`, \`engine.probed\`, \`engine.resumed\`; \`consumer.paused\`, \`consumer.resumed\` |
| \`/metrics\` | \`v8host_circuits_paused\`, \`v8host_circuits_opened_total\`, \`v8host_limits_hit_total\` |

Each host judges for itself and begins anew after a restart.
`,
};
