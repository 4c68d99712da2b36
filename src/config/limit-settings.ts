/** Settings of `limits.*`: caps of what engines ask for, sizes and counts of a run, caps of single tenants. */
import * as z from 'zod';
import { ruleOf } from '../core/bilingual.ts';
import {
  CALL_QUEUE_WAIT_MS,
  DEFAULT_RUN_LIMITS,
  HOST_CALLS_PER_SECOND,
  MAX_HEAP_MB,
  MAX_WALL_MS,
} from '../core/run-limits.ts';
import { DEFAULT_RUN_CAPS } from '../core/run-load.ts';
import { CAP_NAMES, parseTenantCap } from '../core/tenant-caps.ts';
import { setting } from './setting-doc.ts';

const KIB = 1024;

const TENANT_CAP = z.string().superRefine((text, context) => {
  const parsed = parseTenantCap(text);
  if (parsed.ok) return;
  const { code, params } = parsed.error;
  context.addIssue({ code: 'custom', message: code === 'PARAM_INVALID' ? String(params.rule) : ruleOf(parsed.error) });
});

export const LIMIT_SETTINGS = z
  .strictObject({
    maxWallSeconds: setting(count(1, MAX_WALL_MS / 1000, MAX_WALL_MS / 1000), {
      zh: '引擎的 Timeout 和绑定的 TimeoutSeconds 的上限（秒）。',
      en: "Cap of an engine's Timeout and a binding's TimeoutSeconds, in seconds.",
    }),
    maxHeapMb: setting(count(16, MAX_HEAP_MB, MAX_HEAP_MB), {
      zh: '引擎的 LimitMemory 的上限（MB）；同时不超过 sandbox.rssMb 减 100。',
      en: "Cap of an engine's LimitMemory in MB; it never goes above sandbox.rssMb less 100 either.",
    }),
    resultKb: setting(size(DEFAULT_RUN_LIMITS.resultBytes), {
      zh: '一次运行的返回值上限（KiB）。',
      en: 'Result of one run in KiB.',
    }),
    paramKb: setting(size(DEFAULT_RUN_LIMITS.paramBytes), {
      zh: 'V8.Param 的上限（KiB）。',
      en: 'V8.Param of one run in KiB.',
    }),
    argumentKb: setting(size(DEFAULT_RUN_LIMITS.argumentBytes), {
      zh: '一次平台调用的参数上限（KiB）。',
      en: 'Arguments of one host call in KiB.',
    }),
    replyKb: setting(size(DEFAULT_RUN_LIMITS.replyBytes), {
      zh: '一次平台调用的结果上限（KiB）。',
      en: 'Reply of one host call in KiB.',
    }),
    hostCalls: setting(count(1, 1_000_000, DEFAULT_RUN_LIMITS.hostCalls), {
      zh: '一次运行（含嵌套引擎）的平台调用次数上限。',
      en: 'Host calls of one run, nested engines included.',
    }),
    hostCallsPerSecond: setting(count(10, 1_000_000, HOST_CALLS_PER_SECOND), {
      zh: '每个租户每秒的平台调用次数；超过时放慢，等待超过一秒的调用被拒绝。',
      en: 'Host calls a second of one tenant; beyond it calls are slowed, and one that would wait over a second is refused.',
    }),
    nesting: setting(count(1, 64, DEFAULT_RUN_LIMITS.nesting), {
      zh: '接口引擎嵌套层数上限。',
      en: 'Depth of engines that run engines.',
    }),
    runs: setting(count(1, 10_000, DEFAULT_RUN_CAPS.host), {
      zh: '本主机同时进行的运行数上限；沙箱进程更少时先受 sandbox.lanes 限制。',
      en: 'Runs under way at once in this host; with fewer sandbox processes sandbox.lanes limits them first.',
    }),
    runsPerTenant: setting(count(1, 10_000, DEFAULT_RUN_CAPS.tenant), {
      zh: '一个租户同时进行的运行数上限；其余的按顺序等待。',
      en: 'Runs of one tenant under way at once; the others wait for their turn.',
    }),
    runsPerEngine: setting(count(1, 10_000, DEFAULT_RUN_CAPS.engine), {
      zh: '一个接口引擎同时进行的运行数上限；其余的按顺序等待。',
      en: 'Runs of one engine under way at once; the others wait for their turn.',
    }),
    queueWaitSeconds: setting(count(1, 1_800, CALL_QUEUE_WAIT_MS / 1000), {
      zh: 'HTTP 调用等待运行的最长时间（秒），超过即被拒绝（503）。消息一直等待。',
      en: 'How long a call by HTTP waits for its turn before it is refused (503), in seconds. Messages wait as long as it takes.',
    }),
    logLines: setting(count(1, 10_000, DEFAULT_RUN_LIMITS.logLines), {
      zh: '一次运行的 console 行数上限。',
      en: 'Console lines of one run.',
    }),
    logKb: setting(count(1, 1_024, DEFAULT_RUN_LIMITS.logBytes / KIB), {
      zh: '一次运行的 console 文字上限（KiB）。',
      en: 'Console text of one run in KiB.',
    }),
    tenants: setting(z.array(TENANT_CAP).default([]), {
      zh: `单个租户的上限，如 factory.wallSeconds=30；环境变量中用逗号分隔。名称：${CAP_NAMES.join('、')}。`,
      en: `Caps of single tenants, such as factory.wallSeconds=30; separated by commas in the environment. Names: ${CAP_NAMES.join(', ')}.`,
    }),
  })
  .prefault({});

function count(least: number, most: number, preset: number) {
  return z.int().min(least).max(most).default(preset);
}

/** A size that may be lowered from its default, which the frames between host and sandbox are made for. */
function size(presetBytes: number) {
  return count(1, presetBytes / KIB, presetBytes / KIB);
}
