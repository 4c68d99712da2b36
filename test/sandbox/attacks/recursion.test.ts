/** Depth: of calls, of values, of sources, and of engines that run engines. */
import { type Attack, declareAttacks } from './attack.ts';
import { nestedEngines } from './nested-engines.ts';

/** A stack that overflows while someone else reads the value is that reader's error, and is caught there. */
const OVERFLOWS = ['V8_RECURSION_LIMIT', 'threw', 'unwritable', 'V8_CPU_LIMIT', 'V8_MEMORY_LIMIT', 'V8_PROCESS_MEMORY'];

const CALLS: readonly Attack[] = [
  { name: 'a function that calls itself', source: 'function f() { f() } f()', ends: 'V8_RECURSION_LIMIT' },
  {
    name: 'a function that calls itself with a wide frame',
    source: 'function f(...a) { return f(...a, ...a.slice(0, 9)) } return f(1, 2, 3)',
    ends: OVERFLOWS,
  },
  {
    name: 'a getter that reads itself',
    source: 'const o = {get a() { return this.a }}; return o.a',
    ends: 'V8_RECURSION_LIMIT',
  },
  {
    name: 'a Proxy trap that traps itself',
    source: 'const p = new Proxy({}, {get(t, k, r) { return r[k] }}); return p.x',
    ends: 'V8_RECURSION_LIMIT',
  },
  {
    name: 'a toString that asks for itself',
    source: 'const o = {toString() { return String(this) }}; return String(o)',
    ends: 'V8_RECURSION_LIMIT',
  },
  {
    name: 'a constructor that constructs itself',
    source: 'class A { constructor() { new A() } } new A()',
    ends: 'V8_RECURSION_LIMIT',
  },
  { name: 'a toJSON that writes itself', source: 'return {toJSON() { return JSON.stringify(this) }}', ends: OVERFLOWS },
  {
    name: 'an async function that calls itself before it waits',
    source: 'async function f() { await f() } return f()',
    ends: OVERFLOWS,
  },
  {
    name: 'a replace callback that replaces',
    source: 'const f = () => "x".replace("x", f); return f()',
    ends: 'V8_RECURSION_LIMIT',
  },
  { name: 'an eval in an eval', source: 'globalThis.f = () => (0, eval)("f()"); return f()', ends: OVERFLOWS },
  {
    name: 'a recursion caught at its bottom, that goes on',
    source: 'let depth = 0; function f() { depth++; f() } try { f() } catch {} return depth > 100',
    ends: 'returned',
    returns: true,
  },
  {
    name: 'a recursion in an argument of a host call',
    source: 'return V8.MQ.SendMsg({get a() { function f() { f() } f() }}).ReasonCode',
    ends: 'returned',
    returns: 'PARAM_INVALID',
  },
  {
    name: 'a host call at the end of the stack',
    source:
      'let n = 0; function f() { n++; try { f() } catch { V8.Method.NewUlid() } } try { f() } catch {} return n > 100',
    ends: ['returned', ...OVERFLOWS],
    returns: true,
    options: { limits: { hostCalls: 20_000 } },
  },
];

const VALUES: readonly Attack[] = [
  {
    name: 'a result nested a hundred thousand deep',
    source: 'let o = {}; for (let i = 0; i < 1e5; i++) o = {o}; return o',
    ends: ['V8_RESULT_TOO_DEEP', ...OVERFLOWS],
  },
  {
    name: 'an argument nested a hundred thousand deep',
    source: 'let o = []; for (let i = 0; i < 1e5; i++) o = [o]; V8.MQ.SendMsg(o); return 1',
    ends: ['returned', ...OVERFLOWS],
    returns: 1,
  },
  {
    name: 'a log value nested a hundred thousand deep',
    source: 'let o = []; for (let i = 0; i < 1e5; i++) o = [o]; console.log(o); return 1',
    ends: ['returned', ...OVERFLOWS],
    returns: 1,
  },
  {
    name: 'a chain of a hundred thousand Proxies',
    source: 'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x === undefined',
    ends: ['returned', ...OVERFLOWS],
    returns: true,
  },
  {
    name: 'a chain of a hundred thousand bound functions',
    source: 'let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); return f()',
    ends: ['returned', ...OVERFLOWS],
    returns: 1,
  },
  {
    name: 'a chain of a hundred thousand prototypes',
    source:
      'let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o); return o.x === undefined && "y" in o === false',
    ends: ['returned', ...OVERFLOWS],
    returns: true,
  },
  {
    name: 'a chain of ten thousand classes',
    source: 'let C = class {}; for (let i = 0; i < 1e4; i++) C = class extends C {}; return typeof new C()',
    ends: ['returned', ...OVERFLOWS],
    returns: 'object',
  },
  {
    name: 'a chain of a million thens',
    source: 'let p = Promise.resolve(1); for (let i = 0; i < 1e6; i++) p = p.then((v) => v); return p',
    ends: ['returned', 'V8_MEMORY_LIMIT', 'V8_CPU_LIMIT', 'V8_PROCESS_MEMORY'],
    returns: 1,
  },
  {
    name: 'a cause of an error that is the error',
    source: 'const e = new Error("x"); e.cause = e; e.errors = [e]; throw e',
    ends: 'threw',
  },
];

const deepSource = (open: string, close: string, times: number): string =>
  `return ${open.repeat(times)}1${close.repeat(times)}`;

const SOURCES: readonly Attack[] = [
  {
    name: 'a source of a hundred thousand brackets',
    source: deepSource('(', ')', 1e5),
    ends: ['syntax', 'returned', ...OVERFLOWS],
  },
  { name: 'a source of a hundred thousand arrays', source: deepSource('[', ']', 1e5), ends: ['syntax', ...OVERFLOWS] },
  {
    name: 'a source of a hundred thousand functions',
    source: deepSource('()=>', '', 1e5),
    ends: ['syntax', ...OVERFLOWS],
  },
  {
    name: 'a source of a hundred thousand blocks',
    source: `${'{'.repeat(1e5)}${'}'.repeat(1e5)}`,
    ends: ['syntax', 'nothing', ...OVERFLOWS],
  },
  {
    name: 'a source of a million sums',
    source: `return ${'1+'.repeat(1e6)}1`,
    ends: ['syntax', 'returned', ...OVERFLOWS],
  },
  {
    name: 'a source of 8 MB',
    source: `return 1; /*${'x'.repeat(8e6)}*/`,
    ends: ['returned', 'syntax', ...OVERFLOWS],
    returns: 1,
  },
  {
    name: 'a regular expression of a hundred thousand groups',
    source: 'return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("")',
    ends: ['returned', ...OVERFLOWS],
  },
  {
    name: 'an evaluated text of a hundred thousand brackets',
    source: 'return eval("[".repeat(1e5) + "]".repeat(1e5)).length',
    ends: OVERFLOWS,
  },
];

const ENGINES: readonly Attack[] = [
  {
    name: 'an engine that runs itself',
    source: 'return V8.ApiEngine.Run("self")',
    ends: 'returned',
    returns: 'V8_NESTED_DEPTH_LIMIT',
    options: {
      call: nestedEngines({ self: 'return V8.ApiEngine.Run("self")' }),
      // Each level is an isolate of some 4 MB, more while it runs: the lane's memory here is no place for 32 of them.
      limits: { cpuMs: 5_000, wallMs: 8_000, nesting: 16 },
    },
  },
  {
    name: 'two engines that run each other',
    source: 'return V8.ApiEngine.Run("a")',
    ends: 'returned',
    returns: 'V8_NESTED_DEPTH_LIMIT',
    options: {
      call: nestedEngines({ a: 'return V8.ApiEngine.Run("b")', b: 'return V8.ApiEngine.Run("a")' }),
      // Each level is an isolate of some 4 MB, more while it runs: the lane's memory here is no place for 32 of them.
      limits: { cpuMs: 5_000, wallMs: 8_000, nesting: 16 },
    },
  },
  {
    name: 'an engine that runs one that never ends',
    source: 'return V8.ApiEngine.Run("loop")',
    ends: ['returned', 'V8_CPU_LIMIT'],
    returns: 'V8_CPU_LIMIT',
    options: { call: nestedEngines({ loop: 'while (true) {}' }) },
  },
  {
    name: 'an engine that runs endless ones without end',
    source: 'for (;;) V8.ApiEngine.Run("loop")',
    ends: 'V8_CPU_LIMIT',
    options: { call: nestedEngines({ loop: 'while (true) {}' }) },
  },
  {
    name: 'an engine whose nested one takes the memory',
    source: 'return V8.ApiEngine.Run("heap")',
    ends: ['returned', 'V8_PROCESS_MEMORY'],
    returns: 'V8_MEMORY_LIMIT',
    options: {
      call: nestedEngines({ heap: 'const a = []; for (;;) a.push({a})' }, { cpuMs: 6_000 }),
      limits: { cpuMs: 6_000, wallMs: 10_000 },
    },
  },
  {
    name: 'an engine whose nested one kills the lane',
    source: 'return V8.ApiEngine.Run("split")',
    ends: ['V8_PROCESS_MEMORY', 'V8_PROCESS_CRASH', 'V8_CPU_LIMIT', 'returned'],
    returns: 'V8_MEMORY_LIMIT',
    options: { call: nestedEngines({ split: 'return "x".repeat(2 ** 28).split("")' }) },
  },
  {
    name: 'host calls spread over nested engines',
    source: 'for (;;) V8.ApiEngine.Run("calls")',
    ends: 'V8_HOST_CALL_LIMIT',
    options: {
      call: nestedEngines({ calls: 'for (let i = 0; i < 9; i++) V8.Method.NewUlid(); return 1' }),
      limits: { hostCalls: 60, cpuMs: 5_000, wallMs: 8_000 },
    },
  },
  {
    name: 'a nested engine that looks for its caller’s globals',
    source: 'globalThis.secret = 1; Object.prototype.secret = 1; return V8.ApiEngine.Run("look")',
    ends: 'returned',
    returns: ['undefined', 'undefined'],
    options: { call: nestedEngines({ look: 'return [typeof globalThis.secret, typeof ({}).secret]' }) },
  },
];

declareAttacks([...CALLS, ...VALUES, ...SOURCES, ...ENGINES]);
