/** What a run leaves behind: state, work that still waits, and hooks that the next run of the same engine would meet. */
import assert from 'node:assert/strict';
import { type Attack, declareAttacks } from './attack.ts';

/** Two runs of one source: the first plants, the second looks and must find nothing. */
function lingering(name: string, plant: string, look: string, returns: unknown = 'undefined'): Attack {
  const source = `if (V8.Param.look) { return ${look} } ${plant}`;
  return {
    name,
    source,
    ends: ['nothing', 'returned', 'threw'],
    next: { source, param: { look: true }, returns },
  };
}

const STATE: readonly Attack[] = [
  lingering('a counter on the global', 'globalThis.n = (globalThis.n ?? 0) + 1', 'typeof n'),
  lingering('a global without a declaration', 'n = 1', 'typeof n'),
  lingering(
    'a var and a function of the source',
    'var a = 1; function b() {} b.planted = 1',
    'typeof a + typeof b.planted',
    'undefinedundefined',
  ),
  lingering(
    'a var declared by indirect eval',
    '(0, eval)("var planted = 1; function planted2() {}")',
    '[typeof planted, typeof planted2].join()',
    'undefined,undefined',
  ),
  lingering(
    'a let declared by indirect eval',
    '(0, eval)("let planted = 1; 0")',
    '(() => { try { return (0, eval)("typeof planted") } catch (e) { return e.name } })()',
  ),
  lingering('a property of arguments.callee', 'arguments.callee.planted = 1', 'typeof arguments.callee.planted'),
  lingering(
    'a property of the prototype of arguments.callee',
    'arguments.callee.prototype.planted = 1',
    'typeof arguments.callee.prototype.planted',
  ),
  lingering(
    'what the last regular expression matched',
    '/(secret)/.exec("a secret")',
    '[RegExp.$1, RegExp.input, RegExp.lastMatch, RegExp["$`"]].join()',
    ',,,',
  ),
  lingering(
    'a property of a host call',
    'try { V8.MQ.SendMsg.planted = 1; V8.MQ.planted = 1 } catch {}',
    'typeof V8.MQ.SendMsg.planted + typeof V8.MQ.planted',
    'undefinedundefined',
  ),
  lingering('a property of the transaction', 'try { V8.DbTrans.planted = 1 } catch {}', 'typeof V8.DbTrans.planted'),
  lingering(
    'a property of console.log',
    'try { console.log.planted = 1; console.planted = 1 } catch {}',
    'typeof console.log.planted + typeof console.planted',
    'undefinedundefined',
  ),
  lingering(
    'a member of V8',
    'V8.planted = 1; V8.Param.planted = 1',
    'typeof V8.planted + typeof V8.Param.planted',
    'undefinedundefined',
  ),
  lingering('a result set by V8.Result', 'V8.Result = {Code: 1}', 'typeof V8.Result'),
  lingering(
    'a property of a generator’s hidden prototype',
    'Object.getPrototypeOf(function* () {}).planted = 1',
    'typeof Object.getPrototypeOf(function* () {}).planted',
  ),
  lingering(
    'a property of an iterator’s hidden prototype',
    'Object.getPrototypeOf([][Symbol.iterator]()).planted = 1',
    'typeof Object.getPrototypeOf([][Symbol.iterator]()).planted',
  ),
  lingering(
    'a property of the getter of an error’s stack',
    'const d = Object.getOwnPropertyDescriptor(new Error("x"), "stack"); if (d.get) d.get.planted = 1',
    'typeof Object.getOwnPropertyDescriptor(new Error("x"), "stack").get?.planted',
  ),
  lingering('a length of the stack trace', 'Error.stackTraceLimit = 0', 'Error.stackTraceLimit > 0', true),
  lingering(
    'a symbol’s hidden property',
    'Symbol.for("k").planted = 1; Symbol.prototype.planted = 1',
    'typeof Symbol.for("k").planted',
  ),
  lingering(
    'a private name stamped on a built-in',
    'class Base { constructor(o) { return o } } class Stamp extends Base { #x = 1; static has(o) { return #x in o } } new Stamp(Math); globalThis.planted = Stamp',
    'typeof planted',
  ),
];

const WORK: readonly Attack[] = [
  {
    name: 'a microtask left by a terminated run makes no host call in the next one',
    source:
      'Promise.resolve().then(() => { for (;;) {} }); Promise.resolve().then(() => V8.MQ.SendMsg({late: 1})); return {Code: 1}',
    ends: 'V8_CPU_LIMIT',
    check: ({ calls }) => assert.equal(calls.length, 0),
  },
  {
    name: 'a chain of microtasks behind an endless loop makes no host call later',
    source:
      'const late = () => { V8.MQ.SendMsg({late: 1}); return Promise.resolve().then(late) }; (async () => { await null; await null; late() })(); while (true) {}',
    ends: 'V8_CPU_LIMIT',
    check: ({ calls }) => assert.equal(calls.length, 0),
  },
  {
    name: 'a promise kept for the next run is not settled by it',
    source:
      'let go; const wait = new Promise((ok) => { go = ok }); globalThis.go = go; wait.then(() => V8.MQ.SendMsg({late: 1})); return 1',
    ends: 'returned',
    next: { source: 'if (typeof go === "function") go(); await null; return typeof go', returns: 'undefined' },
  },
  {
    name: 'a host call kept for the next run is no use there',
    source: 'globalThis.send = V8.MQ.SendMsg; return 1',
    ends: 'returned',
    next: { source: 'return typeof send', returns: 'undefined' },
  },
  {
    name: 'a finalizer, a weak reference, a waiter on memory and the garbage collector do not exist',
    source:
      'return ["FinalizationRegistry", "WeakRef", "Atomics", "SharedArrayBuffer", "WebAssembly", "gc"].filter((name) => name in globalThis)',
    ends: 'returned',
    returns: [],
  },
  {
    name: 'a run that ran out of memory leaves nothing running',
    source:
      'Promise.resolve().then(() => V8.MQ.SendMsg({late: 1})); const a = []; for (;;) a.push(new Array(1000).fill(a.length))',
    ends: ['V8_MEMORY_LIMIT', 'V8_PROCESS_MEMORY'],
    options: { limits: { cpuMs: 3_000, wallMs: 6_000 } },
    check: ({ calls }) => assert.equal(calls.length, 0),
  },
  {
    name: 'a run ended inside its host call goes no further',
    source:
      'try { V8.Http.Post({}) } catch {} finally { V8.MQ.SendMsg({late: 1}) } V8.MQ.SendMsg({late: 2}); return {Code: 1}',
    ends: 'V8_TIMEOUT',
    options: { limits: { wallMs: 300 }, call: () => new Promise(() => undefined) },
    check: ({ calls }) =>
      assert.deepEqual(
        calls.map((call) => call.name),
        ['Http.Post'],
      ),
  },
];

declareAttacks([...STATE, ...WORK]);
