/** Too much of what is allowed: results, arguments, log lines, host calls, warnings, replies. */
import assert from 'node:assert/strict';
import { reply } from '../../support/lanes.ts';
import { type Attack, declareAttacks } from './attack.ts';

const MIB = 1024 * 1024;

/** Texts of this size are native work for hundreds of milliseconds, and may be stopped before they are judged. */
const HUGE = 'const huge = "é".repeat(1e8);';
const TOO_MUCH = [
  'V8_RESULT_TOO_LARGE',
  'V8_CPU_LIMIT',
  'V8_MEMORY_LIMIT',
  'V8_PROCESS_MEMORY',
  'V8_PROCESS_CRASH',
  'threw',
  'unwritable',
];

const RESULTS: readonly Attack[] = [
  { name: 'a result beyond its limit', source: 'return "x".repeat(2e6)', ends: 'V8_RESULT_TOO_LARGE' },
  { name: 'a result beyond its limit in bytes only', source: 'return "中".repeat(4e5)', ends: 'V8_RESULT_TOO_LARGE' },
  { name: 'a result of 200 MB', source: `${HUGE} return huge`, ends: TOO_MUCH },
  {
    name: 'a result that grows by sharing',
    source: 'let o = {}; for (let i = 0; i < 30; i++) o = {a: o, b: o}; return o',
    ends: TOO_MUCH,
  },
  {
    name: 'a result of a million keys',
    source: 'const o = {}; for (let i = 0; i < 1e6; i++) o["k" + i] = i; return o',
    ends: TOO_MUCH,
  },
  { name: 'a result by V8.Result of 200 MB', source: `${HUGE} V8.Result = huge`, ends: TOO_MUCH },
  {
    name: 'a message of 200 MB in what was thrown',
    source: `${HUGE} throw new Error(huge)`,
    ends: TOO_MUCH,
    check: ({ outcome }) => assert.ok(outcome.kind !== 'threw' || outcome.error.message.length < 3_000),
  },
  {
    name: 'a stack of 200 MB in what was thrown',
    source: `${HUGE} const e = new Error('x'); e.stack = huge; throw e`,
    ends: TOO_MUCH,
    check: ({ outcome }) => assert.ok(JSON.stringify(outcome).length < 20_000),
  },
  {
    name: 'a message of 200 MB in a floating rejection',
    source: `${HUGE} Promise.reject(new Error(huge)); return {Code: 1}`,
    ends: ['returned', ...TOO_MUCH],
    returns: { Code: 1 },
    check: ({ warnings }) => assert.ok(warnings.join('').length < 3_000),
  },
];

const CALLS: readonly Attack[] = [
  {
    name: 'a message of 200 MB to a queue',
    source: `${HUGE} return V8.MQ.SendMsg({QueueName: 'q', Message: huge}).ReasonCode`,
    ends: ['returned', ...TOO_MUCH],
    returns: 'V8_RESULT_TOO_LARGE',
    check: ({ calls }) => assert.equal(calls.length, 0),
  },
  {
    name: 'a million arguments',
    source: 'return V8.MQ.SendMsg(...new Array(1e6).fill("x".repeat(100))).ReasonCode',
    ends: ['returned', 'V8_RECURSION_LIMIT', ...TOO_MUCH],
    returns: 'V8_RESULT_TOO_LARGE',
    check: ({ calls }) => assert.equal(calls.length, 0),
  },
  {
    name: 'host calls without end',
    source: 'for (;;) V8.Method.NewUlid()',
    ends: 'V8_HOST_CALL_LIMIT',
    options: { limits: { hostCalls: 50, cpuMs: 5_000, wallMs: 8_000 } },
    check: ({ calls }) => assert.equal(calls.length, 50),
  },
  {
    name: 'host calls without end that catch every refusal',
    source: 'for (;;) { try { V8.Method.NewUlid() } catch {} finally { V8.Method.NewUlid() } }',
    ends: 'V8_HOST_CALL_LIMIT',
    options: { limits: { hostCalls: 50, cpuMs: 5_000, wallMs: 8_000 } },
    check: ({ calls }) => assert.equal(calls.length, 50),
  },
  {
    name: 'host calls without end from microtasks behind a good result',
    source: 'const f = () => { V8.Method.NewUlid(); Promise.resolve().then(f) }; f(); return {Code: 1}',
    ends: 'V8_HOST_CALL_LIMIT',
    options: { limits: { hostCalls: 50, cpuMs: 5_000, wallMs: 8_000 } },
    check: ({ calls }) => assert.equal(calls.length, 50),
  },
  {
    name: 'a host that never answers',
    source: 'try { V8.Http.Post({}) } finally { V8.MQ.SendMsg({}) } return {Code: 1}',
    ends: 'V8_TIMEOUT',
    options: { call: () => new Promise(() => undefined) },
    check: ({ calls }) =>
      assert.deepEqual(
        calls.map((call) => call.name),
        ['Http.Post'],
      ),
  },
  {
    name: 'a reply that is larger than replies may be',
    source: 'return V8.Http.Post({}).ReasonCode',
    ends: 'returned',
    returns: 'V8_RESULT_TOO_LARGE',
    options: { limits: { replyBytes: MIB }, call: () => reply('x'.repeat(2 * MIB)) },
  },
  {
    name: 'a parameter that is larger than parameters may be',
    source: 'return {Code: 1}',
    ends: 'V8_RESULT_TOO_LARGE',
    options: { limits: { paramBytes: 1_000 }, input: { Param: 'x'.repeat(1_000) } },
  },
];

const LOGS: readonly Attack[] = [
  {
    name: 'log lines without end',
    source: 'for (let i = 0; ; i++) console.log(i)',
    ends: 'V8_CPU_LIMIT',
    check: ({ log }) => assert.equal(log.length, 256),
  },
  {
    name: 'a log line of 200 MB',
    source: `${HUGE} console.log(huge); console.error(huge); return {Code: 1}`,
    ends: ['returned', ...TOO_MUCH],
    returns: { Code: 1 },
    check: ({ log }) => assert.ok(log.join('').length <= 64 * 1024),
  },
  {
    name: 'a log line of a million parts',
    source: 'console.log(...new Array(1e5).fill("x".repeat(100))); return {Code: 1}',
    ends: ['returned', 'V8_RECURSION_LIMIT'],
    returns: { Code: 1 },
    check: ({ log }) => assert.ok(log.join('').length <= 64 * 1024),
  },
  {
    name: 'a log line that fakes another frame',
    source: 'console.log("a\\nerror\\nb\\u0000\\u0013\\u0001"); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
    check: ({ log }) => assert.deepEqual(log, ['log a\nerror\nb\u0000\u0013\u0001']),
  },
  {
    name: 'floating rejections without end',
    source: 'for (let i = 0; ; i++) Promise.reject(new Error("x" + i))',
    ends: ['V8_CPU_LIMIT', 'V8_MEMORY_LIMIT', 'V8_PROCESS_MEMORY'],
    check: ({ warnings }) => assert.ok(warnings.length <= 20),
  },
  {
    name: 'ten thousand floating rejections behind a good result',
    source: 'for (let i = 0; i < 1e4; i++) Promise.reject(new Error("x" + i)); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
    check: ({ warnings }) => assert.ok(warnings.length >= 1 && warnings.length <= 20),
  },
];

declareAttacks([...RESULTS, ...CALLS, ...LOGS]);
