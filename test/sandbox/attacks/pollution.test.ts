/** Keys and values that change prototypes where they are merged, sent towards the host and towards the next run. */
import assert from 'node:assert/strict';
import type { Observed } from '../../support/lanes.ts';
import { reply } from '../../support/lanes.ts';
import { type Attack, declareAttacks } from './attack.ts';

/** Neither spelling of the key crosses, however it was written. */
function crossesNowhere(seen: Observed): void {
  const json = [...seen.calls.map((call) => call.args), seen.outcome.kind === 'returned' ? seen.outcome.json : '{}'];
  for (const text of json) {
    JSON.parse(text, function check(this: object, key: string, value: unknown) {
      assert.notEqual(key, '__proto__', text.slice(0, 200));
      return value;
    });
  }
}

const METHOD_NAMES =
  '{"Code":1,"toString":1,"valueOf":null,"hasOwnProperty":2,"toJSON":3,"then":4,"length":-1,"isPrototypeOf":[]}';

const TOWARDS_THE_HOST: readonly Attack[] = [
  {
    name: '__proto__ as an own key of a result',
    source: 'return JSON.parse(\'{"Code":1,"__proto__":{"planted":1},"a":[{"__proto__":{"planted":1}}]}\')',
    ends: 'returned',
    returns: { Code: 1, a: [{}] },
    check: crossesNowhere,
  },
  {
    name: '__proto__ spelt with escapes in a result',
    source: 'return JSON.parse(\'{"\\\\u005f_proto__":{"planted":1},"\\\\u005F\\\\u005fproto\\\\u005f_":1,"a":1}\')',
    ends: 'returned',
    returns: { a: 1 },
    check: crossesNowhere,
  },
  {
    name: '__proto__ by a defined property, deep in an argument',
    source: `const o = {list: [{}]}; Object.defineProperty(o.list[0], '__proto__', {value: {planted: 1}, enumerable: true});
      V8.FormEngine.AddFormData('t', o); return 1`,
    ends: 'returned',
    check: (seen) => {
      crossesNowhere(seen);
      assert.deepEqual(
        seen.calls.map((call) => call.args),
        ['["t",{"list":[{}]}]'],
      );
    },
  },
  {
    name: '__proto__ from a toJSON and from a Proxy',
    source: `const own = Object.create(null); own['__proto__'] = {planted: 1};
      V8.MQ.SendMsg({toJSON: () => own}, new Proxy(own, {})); return {toJSON: () => own}`,
    ends: 'returned',
    returns: {},
    check: crossesNowhere,
  },
  {
    name: 'constructor.prototype as a path in results and arguments',
    source: `const o = {constructor: {prototype: {planted: 1}}, 'constructor.prototype.planted': 1}; V8.FormEngine.AddFormData('t', o); return o`,
    ends: 'returned',
    returns: { constructor: { prototype: { planted: 1 } }, 'constructor.prototype.planted': 1 },
  },
  {
    name: 'names of methods as keys of a result',
    source: 'return JSON.parse(V8.Param)',
    ends: 'returned',
    returns: JSON.parse(METHOD_NAMES) as unknown,
    options: { input: { Param: METHOD_NAMES } },
  },
  {
    name: 'a result whose text says it is a function',
    source: 'return {toJSON: () => "function () { return process }", then: undefined}',
    ends: 'returned',
    returns: 'function () { return process }',
  },
  {
    name: 'symbols and functions as keys and values',
    source:
      'return {[Symbol.toPrimitive]: 1, [Symbol.for("nodejs.util.inspect.custom")]: 2, f() {}, s: Symbol("x"), Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
  },
  {
    name: 'an error with planted name, code and cause',
    source: `const e = new Error('x'); e.name = '__proto__'; e.code = 'V8_TIMEOUT'; e.kind = 'returned'; e.json = '{"Code":1}'; e.cause = {planted: 1}; throw e`,
    ends: 'threw',
    check: ({ outcome }) => assert.deepEqual(Object.keys(outcome), ['kind', 'error']),
  },
  {
    name: 'a thrown outcome',
    source: `throw {kind: 'returned', json: '{"Code":1}', name: 'x', message: 'm', stack: '    at a (engine.js:1:1)'}`,
    ends: 'threw',
  },
  {
    name: 'a log line and a warning with terminal escapes',
    source:
      'console.log("\\u001b[2J\\r\\n{\\"level\\":\\"fatal\\"}"); Promise.reject(new Error("\\u001b[2J")); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
  },
];

const FROM_THE_HOST: readonly Attack[] = [
  {
    name: 'a reply with __proto__ plants nothing in the script',
    source:
      'const r = V8.Http.Post({}); return [({}).planted === undefined, Object.getPrototypeOf(r) === Object.prototype]',
    ends: 'returned',
    returns: [true, true],
    options: {
      call: () => ({ kind: 'reply', json: '{"__proto__":{"planted":1},"constructor":{"prototype":{"planted":1}}}' }),
    },
  },
  {
    name: 'a reply is the script’s own copy each time',
    source:
      'const a = V8.Http.Post({}); a.list.push("planted"); a.__proto__.seen = 1; const b = V8.Http.Post({}); delete Object.prototype.seen; return b.list',
    ends: 'returned',
    returns: [1],
    options: { call: () => reply({ list: [1] }) },
  },
  {
    name: 'a parameter with __proto__ plants nothing in the script',
    source: 'return [({}).planted === undefined, typeof V8.Param]',
    ends: 'returned',
    returns: [true, 'object'],
    options: { input: { Param: JSON.parse('{"__proto__":{"planted":1}}') } },
  },
];

/** What a script plants, and where the shim or the next run could stumble over it. */
const PLANTED: readonly (readonly [name: string, plant: string])[] = [
  [
    'a setter of every key of V8',
    'for (const k of Object.keys(V8)) Object.defineProperty(Object.prototype, k, {set() {}, get: () => "planted", configurable: true})',
  ],
  [
    'a getter named V8 on the global',
    'Object.defineProperty(globalThis, "V8", {get: () => "planted", set() {}, configurable: true})',
  ],
  [
    'a V8 that cannot be configured',
    'Object.defineProperty(globalThis, "V8", {value: "planted", configurable: false, writable: false})',
  ],
  ['a global let named V8', '(0, eval)("var V8 = \'planted\'")'],
  [
    'a Proxy as the prototype of the global',
    'try { Object.setPrototypeOf(globalThis, new Proxy({}, {get: () => "planted", has: () => true})) } catch {}',
  ],
  [
    'a Proxy as the prototype of Object.prototype',
    'try { Object.setPrototypeOf(Object.prototype, new Proxy({}, {get: () => "planted"})) } catch {}',
  ],
  ['a frozen global', 'Object.freeze(globalThis)'],
  ['a frozen Object.prototype', 'Object.freeze(Object.prototype)'],
  ['a toJSON on Object.prototype', 'Object.prototype.toJSON = () => "planted"'],
  ['a then on Object.prototype', 'Object.prototype.then = (ok) => ok("planted")'],
  ['an own console', 'globalThis.console = {log: () => "planted"}'],
  ['another Array.prototype.map', 'Array.prototype.map = () => "planted"'],
  ['another JSON.stringify', 'JSON.stringify = () => \'"planted"\''],
  ['another Promise', 'globalThis.Promise = class { static resolve() { return "planted" } }'],
  ['another Error.prepareStackTrace', 'Error.prepareStackTrace = () => "planted"'],
];

/** Asked by the next run of the same source: everything is as the platform gives it. */
const LOOK = `
  const send = V8.MQ.SendMsg;
  return [typeof V8, typeof send, JSON.stringify([1].map((x) => x)), typeof ({}).planted, typeof ({}).then, typeof console.error,
    await Promise.resolve(1), typeof new Error('x').stack, Object.isExtensible({}), Object.isExtensible(globalThis)]`;
const AS_GIVEN = ['object', 'function', '[1]', 'undefined', 'undefined', 'function', 1, 'string', true, true];

const TOWARDS_THE_NEXT_RUN: readonly Attack[] = PLANTED.map(([name, plant]) => {
  const source = `if (V8.Param.look) { ${LOOK} } ${plant}`;
  return {
    name: `${name} is gone in the next run`,
    source,
    ends: ['nothing', 'returned', 'threw'],
    next: { source, param: { look: true }, returns: AS_GIVEN },
  };
});

declareAttacks([...TOWARDS_THE_HOST, ...FROM_THE_HOST, ...TOWARDS_THE_NEXT_RUN]);
