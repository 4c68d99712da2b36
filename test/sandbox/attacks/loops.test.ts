/** Scripts that do not end by themselves: loops, microtasks, and script code that others run for them. */
import { type Attack, declareAttacks } from './attack.ts';

const ENDLESS = 'while (true) {}';

const LOOPS: readonly Attack[] = [
  { name: 'an endless loop', source: ENDLESS, ends: 'V8_CPU_LIMIT' },
  { name: 'an endless loop before an await', source: `${ENDLESS}; await null`, ends: 'V8_CPU_LIMIT' },
  { name: 'an endless loop after an await', source: `await null; ${ENDLESS}`, ends: 'V8_CPU_LIMIT' },
  {
    name: 'an endless loop after an awaited host call',
    source: `await V8.FormEngine.GetFormData('t', {Id: '1'}); ${ENDLESS}`,
    ends: 'V8_CPU_LIMIT',
  },
  { name: 'an endless loop in finally', source: `try { ${ENDLESS} } finally { ${ENDLESS} }`, ends: 'V8_CPU_LIMIT' },
  {
    name: 'an endless loop that catches what ends it',
    source: `for (;;) { try { ${ENDLESS} } catch {} }`,
    ends: 'V8_CPU_LIMIT',
  },
  { name: 'an endless static block', source: `class A { static { ${ENDLESS} } }`, ends: 'V8_CPU_LIMIT' },
  { name: 'an endless loop inside eval', source: `(0, eval)('${ENDLESS}')`, ends: 'V8_CPU_LIMIT' },
  { name: 'endless compiling', source: 'for (let i = 0; ; i++) new Function("return " + i)', ends: 'V8_CPU_LIMIT' },
  { name: 'a fill loop, which no soft end stops', source: 'for (;;) new Array(1000).fill("x")', ends: 'V8_CPU_LIMIT' },
  {
    name: 'a recursion that catches its overflow and goes on',
    source: 'function f() { try { f() } catch { f() } } f()',
    ends: 'V8_CPU_LIMIT',
  },
];

const MICROTASKS: readonly Attack[] = [
  { name: 'a promise that never settles', source: 'await new Promise(() => {})', ends: 'V8_NEVER_SETTLES' },
  { name: 'a returned promise that never settles', source: 'return new Promise(() => {})', ends: 'V8_NEVER_SETTLES' },
  { name: 'a thenable that never settles', source: 'return {then() {}}', ends: 'V8_NEVER_SETTLES' },
  {
    name: 'a promise that awaits itself',
    source: 'let p = (async () => { await null; return p })(); await p',
    ends: ['threw', 'V8_NEVER_SETTLES'],
  },
  {
    name: 'an async generator that is never resumed',
    source: 'async function* g() { await new Promise(() => {}); yield 1 } for await (const x of g()) return x',
    ends: 'V8_NEVER_SETTLES',
  },
  {
    name: 'a microtask chain behind a good result',
    source: 'const f = () => { Promise.resolve().then(f) }; f(); return {Code: 1}',
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'a microtask chain whose promises wait for each other',
    source: 'const f = () => Promise.resolve().then(f); f(); return {Code: 1}',
    ends: ['V8_CPU_LIMIT', 'V8_MEMORY_LIMIT'],
  },
  {
    name: 'a promise bomb that doubles',
    source: 'const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f(); return {Code: 1}',
    ends: ['V8_CPU_LIMIT', 'V8_MEMORY_LIMIT', 'V8_PROCESS_MEMORY'],
  },
  {
    name: 'an endless async recursion',
    source: 'async function f() { await null; return f() } return f()',
    ends: ['V8_CPU_LIMIT', 'V8_MEMORY_LIMIT', 'V8_PROCESS_MEMORY'],
  },
  {
    name: 'an endless for await',
    source: 'async function* g() { for (;;) yield 1 } for await (const x of g()) {}',
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'a thenable that answers with itself for ever',
    source: 'const t = {then(resolve) { resolve(t) }}; return t',
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'a microtask chain started by a floating rejection',
    source: 'const f = () => Promise.reject(new Error("x")).catch(f); Promise.reject(1); f(); return {Code: 1}',
    ends: 'V8_CPU_LIMIT',
  },
];

const READ_BY_OTHERS: readonly Attack[] = [
  { name: 'an endless getter in the result', source: `return {get Code() { ${ENDLESS} }}`, ends: 'V8_CPU_LIMIT' },
  { name: 'an endless toJSON of the result', source: `return {toJSON() { ${ENDLESS} }}`, ends: 'V8_CPU_LIMIT' },
  {
    name: 'an endless Proxy as the result',
    source: `return new Proxy({}, {ownKeys() { ${ENDLESS} }})`,
    ends: 'V8_CPU_LIMIT',
  },
  { name: 'an endless getter named then', source: `return {get then() { ${ENDLESS} }}`, ends: 'V8_CPU_LIMIT' },
  {
    name: 'an endless getter of V8.Result',
    source: `Object.defineProperty(V8, 'Result', {get() { ${ENDLESS} }})`,
    ends: ['V8_CPU_LIMIT', 'threw'],
  },
  {
    name: 'an endless getter of what was thrown',
    source: `throw {get message() { ${ENDLESS} }}`,
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'an endless getPrototypeOf trap of what was thrown',
    source: `throw new Proxy(new Error('x'), {get() { ${ENDLESS} }, getPrototypeOf() { ${ENDLESS} }})`,
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'an endless getter in a floating rejection, read outside the soft limit',
    source: `Promise.reject({get message() { ${ENDLESS} }}); return {Code: 1}`,
    ends: ['V8_CPU_LIMIT', 'returned'],
    returns: { Code: 1 },
  },
  {
    name: 'an endless getter of an error that floats',
    source: `const e = new Error('x'); Object.defineProperty(e, 'stack', {get() { ${ENDLESS} }});
      Object.defineProperty(e, 'message', {get() { ${ENDLESS} }}); Promise.reject(e); return {Code: 1}`,
    ends: ['V8_CPU_LIMIT', 'returned'],
    returns: { Code: 1 },
  },
  {
    name: 'an endless prepareStackTrace',
    source: `Error.prepareStackTrace = () => { ${ENDLESS} }; throw new Error('x')`,
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'an endless Proxy as an argument',
    source: `V8.MQ.SendMsg(new Proxy({}, {ownKeys() { ${ENDLESS} }}))`,
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'an endless toString on the console',
    source: `console.log({toJSON() { ${ENDLESS} }})`,
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'an endless toPrimitive as a date',
    source: `DateFormat({[Symbol.toPrimitive]() { ${ENDLESS} }, toString() { ${ENDLESS} }, valueOf() { ${ENDLESS} }}); ${ENDLESS}`,
    ends: 'V8_CPU_LIMIT',
  },
  { name: 'an endless sort comparator', source: `[2, 1].sort(() => { ${ENDLESS} })`, ends: 'V8_CPU_LIMIT' },
  { name: 'an endless iterator', source: 'new Set({*[Symbol.iterator]() { for (;;) yield 1 }})', ends: 'V8_CPU_LIMIT' },
  { name: 'an endless replace callback', source: `'x'.replace('x', () => { ${ENDLESS} })`, ends: 'V8_CPU_LIMIT' },
];

const NATIVE: readonly Attack[] = [
  {
    name: 'a catastrophic regular expression',
    source: 'return /^(a+)+$/.test("a".repeat(40) + "b")',
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'a backtracking bomb with back references',
    source: 'return /^(?:(a*)*\\1)*$/.test("a".repeat(64) + "!")',
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'a quadratic regular expression over a long text',
    source: 'return "a".repeat(1e6).replace(/a*b/g, "")',
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'indexOf over the longest array-like there is',
    source: 'return Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)',
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'reverse of the longest array-like there is',
    source: 'return Array.prototype.reverse.call({length: 2 ** 53 - 1})',
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'copyWithin over the longest array-like there is',
    source: 'return Array.prototype.copyWithin.call({length: 2 ** 53 - 1}, 0, 1)',
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'endless construction of formatters',
    source: 'for (;;) new Intl.DateTimeFormat("zh-CN", {timeZone: "Asia/Shanghai"}).format(0)',
    ends: ['V8_CPU_LIMIT', 'V8_MEMORY_LIMIT', 'V8_PROCESS_MEMORY'],
  },
];

declareAttacks([...LOOPS, ...MICROTASKS, ...READ_BY_OTHERS, ...NATIVE]);
