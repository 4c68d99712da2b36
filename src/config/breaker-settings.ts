/** Settings of `breaker.*`: when a binding's messages wait, and when an engine that costs lanes is paused. */
import * as z from 'zod';
import { DEFAULT_BINDING_CIRCUIT, DEFAULT_ENGINE_CIRCUIT } from '../core/circuit-policies.ts';
import { setting } from './setting-doc.ts';

const BINDING = DEFAULT_BINDING_CIRCUIT;
const ENGINE = DEFAULT_ENGINE_CIRCUIT;

export const BREAKER_SETTINGS = z
  .strictObject({
    windowSeconds: setting(count(5, 3_600, BINDING.windowMs / 1000), {
      zh: '熔断器统计最近多少秒的运行。',
      en: 'How far back the breaker of a binding looks, in seconds.',
    }),
    minRuns: setting(count(5, 10_000, BINDING.minRuns), {
      zh: '统计时间内至少有多少次运行才会判断。',
      en: 'Runs in that time before it judges.',
    }),
    troublePercent: setting(count(0, 100, BINDING.troublePercent), {
      zh: '超时和依赖故障达到这个百分比时暂停该绑定；0 为从不。',
      en: 'Share of time-outs and failed dependencies, in percent, that pauses the binding; 0 is never.',
    }),
    throwPercent: setting(count(0, 100, BINDING.faultPercent), {
      zh: '上述情况加上脚本自身出错（抛异常、语法错误、没有 Code）达到这个百分比时暂停；0 为从不。明确返回 Code 0 和不合法的信封从不计入。',
      en: 'The same together with faults of the script (throws, syntax, no Code), in percent; 0 is never. An explicit Code 0 and invalid envelopes never count.',
    }),
    pauseSeconds: setting(count(1, 600, BINDING.pauseMs / 1000), {
      zh: '首次暂停的秒数；之后试运行一条消息，失败则加倍。',
      en: 'First pause in seconds; then one message is tried, and a failure doubles the pause.',
    }),
    maxPauseSeconds: setting(count(1, 3_600, BINDING.maxPauseMs / 1000), {
      zh: '暂停的最长秒数。',
      en: 'Longest pause in seconds.',
    }),
    killWindowSeconds: setting(count(10, 86_400, ENGINE.windowMs / 1000), {
      zh: '接口引擎：统计最近多少秒内使沙箱进程被终止的运行。',
      en: 'Engines: how far back runs that cost a sandbox process count, in seconds.',
    }),
    killMinRuns: setting(count(2, 1_000, ENGINE.minRuns), {
      zh: '接口引擎：至少多少次运行才会判断；其中 killPercent 使进程被终止则暂停。',
      en: 'Engines: runs before one is judged; when killPercent of them cost a process, it is paused.',
    }),
    killPercent: setting(count(0, 100, ENGINE.troublePercent), {
      zh: '接口引擎：使沙箱进程被终止的运行所占百分比；0 为从不暂停。',
      en: 'Engines: share of runs that cost a sandbox process, in percent; 0 never pauses one.',
    }),
    killPauseSeconds: setting(count(1, 3_600, ENGINE.pauseMs / 1000), {
      zh: '接口引擎：首次暂停的秒数，试运行失败则加倍。',
      en: 'Engines: first pause in seconds, doubled by each probe that fails.',
    }),
    maxKillPauseSeconds: setting(count(1, 86_400, ENGINE.maxPauseMs / 1000), {
      zh: '接口引擎：暂停的最长秒数。',
      en: 'Engines: longest pause in seconds.',
    }),
  })
  .prefault({});

function count(least: number, most: number, preset: number) {
  return z.int().min(least).max(most).default(preset);
}
