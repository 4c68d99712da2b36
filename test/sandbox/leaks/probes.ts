/** What a run could leave behind in its context, and what the next run would see of it. */
export interface LeakProbe {
  readonly name: string;
  /** Statements of the first run. What it throws is its own affair. */
  readonly write: string;
  /** An expression of the next run: true when something was left. */
  readonly look: string;
}

type Row = readonly [name: string, write: string, look: string];

const GLOBALS: readonly Row[] = [
  ['an undeclared variable', 'leak = 1', 'typeof leak !== "undefined"'],
  ['a property of globalThis', 'globalThis.leak = 1', '"leak" in globalThis'],
  ['a symbol on globalThis', 'globalThis[Symbol.for("leak")] = 1', 'Symbol.for("leak") in globalThis'],
  [
    'a symbol that a proxy is asked for',
    'new Proxy({}, {get: (_, key) => { if (typeof key === "symbol") Math[key] = 1 }}) + ""; [...[]]',
    'Object.getOwnPropertySymbols(Math).length !== 1',
  ],
  [
    'a symbol that a revocable proxy is asked for',
    'const {proxy} = Proxy.revocable({}, {get: (_, key) => { if (typeof key === "symbol") JSON[key] = 1 }}); try { proxy + "" } catch {}',
    'Object.getOwnPropertySymbols(JSON).length !== 1',
  ],
  [
    'a symbol from a list of keys',
    'Reflect.ownKeys(Array.prototype).forEach((key) => { if (typeof key === "symbol") Map[key] = 1 })',
    'Object.getOwnPropertySymbols(Map).length !== 1',
  ],
  [
    'a symbol from a list of symbols',
    'Math[Object.getOwnPropertySymbols(Array.prototype)[0]] = 1',
    'Object.getOwnPropertySymbols(Math).length !== 1',
  ],
  [
    'symbols copied with descriptors',
    'Object.assign(Math, Object.getOwnPropertyDescriptors(Array.prototype)); for (const key of Object.keys(Math)) delete Math[key]',
    'Object.getOwnPropertySymbols(Math).length !== 1',
  ],
  [
    'symbols spread from descriptors',
    'const {length, ...rest} = Object.getOwnPropertyDescriptors(Set.prototype); for (const key in rest) delete rest[key]; Object.assign(Set, rest)',
    'Object.getOwnPropertySymbols(Set).length !== 1',
  ],
  [
    'a symbol of a built function',
    'Number[new Function("return Symbol.iterator")()] = 1',
    'Object.getOwnPropertySymbols(Number).length !== 0',
  ],
  [
    'a symbol from the getter of Symbol',
    'Number[Object.getOwnPropertyDescriptor(globalThis, "Symbol").get().iterator] = 1',
    'Object.getOwnPropertySymbols(Number).length !== 0',
  ],
  ['a replaced Symbol', 'Symbol = {iterator: "leak"}', 'Symbol.iterator === "leak"'],
  ['a replaced Proxy', 'globalThis.Proxy = class {}', 'String(Proxy).indexOf("native") < 0'],
  ['a deleted Proxy', 'delete globalThis.Proxy', 'typeof Proxy !== "function"'],
  ['something on Symbol', 'Symbol.leak = 1; Symbol.prototype.leak = 1', 'Symbol.leak === 1 || Symbol().leak === 1'],
  [
    'a hidden property of globalThis',
    'Object.defineProperty(globalThis, "leak", {value: 1, configurable: true})',
    '"leak" in globalThis',
  ],
  [
    'a property of globalThis for good',
    'Object.defineProperty(globalThis, "leak", {value: 1})',
    '"leak" in globalThis',
  ],
  ['a getter on globalThis', 'globalThis.__defineGetter__("leak", () => 1)', '"leak" in globalThis'],
  ['a variable of indirect eval', '(0, eval)("var leak = 1")', 'typeof leak !== "undefined"'],
  ['a function of indirect eval', '(0, eval)("function leak(){}")', 'typeof leak !== "undefined"'],
  ['a variable of Function', 'Function("leak = 1")()', 'typeof leak !== "undefined"'],
  ['this of a sloppy function', '(function () { this.leak = 1 })()', 'typeof leak !== "undefined"'],
  ['a replaced global', 'globalThis.parseInt = () => 1', 'parseInt("7") !== 7'],
  ['a deleted global', 'delete globalThis.Map', 'typeof Map === "undefined"'],
  ['a deleted and replaced global', 'delete globalThis.Map; Map = 5', 'typeof Map !== "function"'],
  ['a constructor shadowed by eval', '(0, eval)("function Array(){}")', '!Array.isArray'],
  ['another prototype of globalThis', 'Object.setPrototypeOf(globalThis, {leak: 1})', 'typeof leak !== "undefined"'],
  ['a frozen globalThis', 'Object.freeze(globalThis)', '!Object.isExtensible(globalThis)'],
  [
    'a global that was removed before',
    'globalThis.WeakRef = class { }; globalThis.WebAssembly = 1',
    'typeof WeakRef + typeof WebAssembly !== "undefinedundefined"',
  ],
  ['a replaced platform function', 'DateNow = () => "leak"', 'DateNow() === "leak"'],
  ['a replaced console', 'console = {log(){}}', 'String(console.log).indexOf("native") < 0'],
  [
    'a replaced setTimeout',
    'setTimeout = clearTimeout = null',
    'typeof setTimeout !== "function" || typeof clearTimeout !== "function"',
  ],
];

const V8_MEMBERS: readonly Row[] = [
  ['a member of V8', 'V8.leak = 1', '"leak" in V8'],
  ['another V8', 'V8 = {leak: 1}', '"leak" in V8'],
  ['a deleted V8', 'delete globalThis.V8', 'typeof V8.Http !== "object"'],
  [
    'a getter for V8',
    'Object.defineProperty(globalThis, "V8", {get: () => ({leak: 1}), configurable: true})',
    '"leak" in V8',
  ],
  [
    'a V8 for good',
    'Object.defineProperty(globalThis, "V8", {value: {leak: 1}, configurable: false, writable: false})',
    '"leak" in V8',
  ],
  [
    'a V8 that cannot be written',
    'Object.defineProperty(globalThis, "V8", {writable: false})',
    'V8.Param.write === true',
  ],
  ['V8.Result', 'V8.Result = 5', 'V8.Result !== undefined'],
  ['V8.Param', 'V8.Param.leak = 1', '"leak" in V8.Param'],
  ['V8.CurrentUser', 'V8.CurrentUser.leak = 1', '"leak" in V8.CurrentUser'],
  ['V8.Action', 'V8.Action.leak = 1', '"leak" in V8.Action'],
  ['a member of a family', 'V8.Http.leak = 1', '"leak" in V8.Http'],
  ['a replaced member of a family', 'V8.MQ.SendMsg = () => 1', 'V8.MQ.SendMsg({}) === 1'],
  ['a property of a host call', 'V8.Http.Post.leak = 1', '"leak" in V8.Http.Post'],
  ['the prototype of a host call', 'Object.setPrototypeOf(V8.Http.Post, {leak: 1})', '"leak" in V8.Http.Post'],
  ['a property of V8.DbTrans', 'V8.DbTrans.leak = 1', '"leak" in V8.DbTrans'],
  [
    'a property of a chain’s prototype',
    'Object.getPrototypeOf(V8.Db.FromSql("x")).leak = 1',
    '"leak" in Object.getPrototypeOf(V8.Db.FromSql("x"))',
  ],
  ['a property of System', 'System.leak = 1; System.Convert.leak = 1', '"leak" in System || "leak" in System.Convert'],
  ['a property of console', 'console.leak = 1; console.log.leak = 1', '"leak" in console || "leak" in console.log'],
];

const PROTOTYPES: readonly Row[] = [
  'Object',
  'Function',
  'Array',
  'String',
  'Number',
  'Boolean',
  'BigInt',
  'Date',
  'RegExp',
  'Promise',
  'Map',
  'Set',
  'Error',
  'TypeError',
  'ReferenceError',
  'AggregateError',
  'WeakMap',
  'Symbol',
  'Uint8Array',
  'ArrayBuffer',
  'DataView',
  'Iterator',
].flatMap((name): Row[] => [
  [`${name}.prototype`, `${name}.prototype.leak = 1`, `"leak" in ${name}.prototype`],
  [`${name} itself`, `${name}.leak = 1`, `"leak" in ${name}`],
]);

const HIDDEN: readonly Row[] = (
  [
    ['generators', '(function* () {})()'],
    ['generator functions', '(function* () {})'],
    ['async functions', '(async () => {})'],
    ['async generators', '(async function* () {})()'],
    ['array iterators', '[][Symbol.iterator]()'],
    ['string iterators', '""[Symbol.iterator]()'],
    ['map iterators', 'new Map().entries()'],
    ['set iterators', 'new Set().values()'],
    ['regexp string iterators', '"".matchAll(/x/g)'],
    ['iterator helpers', '[].values().map(x => x)'],
    ['wrapped iterators', 'Iterator.from({next(){}})'],
    ['segments', 'new Intl.Segmenter().segment("a")'],
    ['segment iterators', 'new Intl.Segmenter().segment("a")[Symbol.iterator]()'],
    ['typed arrays', 'Uint8Array.prototype'],
    ['number formats', 'new Intl.NumberFormat()'],
    ['date formats', 'new Intl.DateTimeFormat()'],
  ] as const
).map(([name, sample]) => [
  `the prototype behind ${name}`,
  `Object.getPrototypeOf(${sample}).leak = 1; Object.defineProperty(Object.getPrototypeOf(${sample}), "leak2", {value: 1})`,
  `"leak" in Object.getPrototypeOf(${sample}) || "leak2" in Object.getPrototypeOf(${sample})`,
]);

const CHANGES: readonly Row[] = [
  ['a replaced method', 'Array.prototype.map = () => "leak"', '[1].map((x) => x) === "leak"'],
  ['a deleted method', 'delete Array.prototype.map', '!Array.prototype.map'],
  [
    'a deleted method that is inherited',
    'delete Array.prototype.toString',
    '!Object.hasOwn(Array.prototype, "toString")',
  ],
  ['a deleted empty message', 'delete TypeError.prototype.message', '!Object.hasOwn(TypeError.prototype, "message")'],
  ['a deleted getter', 'delete Map.prototype.size', '!("size" in Map.prototype)'],
  ['a replaced getter', 'delete Map.prototype.size; Map.prototype.size = 7', 'new Map().size === 7'],
  [
    'a getter of ours',
    'Object.defineProperty(Map.prototype, "size", {get: () => 7, configurable: true})',
    'new Map().size === 7',
  ],
  ['a replaced symbol method', 'Array.prototype[Symbol.iterator] = null', 'Array.prototype[Symbol.iterator] === null'],
  [
    'a replaced symbol getter',
    'delete Map[Symbol.species]; Map[Symbol.species] = Array',
    'Map[Symbol.species] !== Map',
  ],
  ['a deleted symbol getter', 'delete Promise[Symbol.species]', 'Promise[Symbol.species] === undefined'],
  [
    'a property made enumerable',
    'Object.defineProperty(Array.prototype, "map", {enumerable: true})',
    'Object.keys(Array.prototype).length > 0',
  ],
  [
    'a property made unchangeable',
    'Object.defineProperty(Array.prototype, "map", {writable: false})',
    'Object.getOwnPropertyDescriptor(Array.prototype, "map").writable === false',
  ],
  [
    'a property made so for good',
    'Object.defineProperty(Array.prototype, "map", {writable: false, configurable: false})',
    'Object.getOwnPropertyDescriptor(Array.prototype, "map").configurable === false',
  ],
  ['another prototype of a prototype', 'Object.setPrototypeOf(Array.prototype, {leak: 1})', '"leak" in []'],
  ['another prototype by __proto__', 'Date.prototype.__proto__ = {leak: 1}', '"leak" in new Date()'],
  ['another prototype of a constructor', 'Reflect.setPrototypeOf(Map, class { static leak = 1 })', '"leak" in Map'],
  ['a frozen prototype', 'Object.freeze(Array.prototype)', 'Object.isFrozen(Array.prototype)'],
  ['a sealed constructor', 'Object.seal(String)', 'Object.isSealed(String)'],
  ['an object that takes nothing more', 'Object.preventExtensions(Math)', '!Object.isExtensible(Math)'],
  ['an element of Array.prototype', 'Array.prototype[3] = "leak"', '[,,,,][3] === "leak"'],
  ['the length of Array.prototype', 'Array.prototype.length = 9', 'Array.prototype.length !== 0'],
  ['push on Array.prototype', 'Array.prototype.push("leak")', 'Array.prototype[0] === "leak"'],
  ['Math', 'Math.sum = () => 1; Math.max = () => "leak"', '"sum" in Math || Math.max(1) === "leak"'],
  ['JSON', 'JSON.stringify = JSON.parse = () => "leak"; JSON.leak = 1', 'JSON.parse("1") === "leak" || "leak" in JSON'],
  ['Reflect', 'Reflect.leak = 1', '"leak" in Reflect'],
  ['Intl', 'Intl.leak = 1', '"leak" in Intl'],
  [
    'a property of a method',
    'Array.prototype.map.leak = parseInt.leak = 1',
    '"leak" in Array.prototype.map || "leak" in parseInt',
  ],
  [
    'the prototype of a method',
    'Object.setPrototypeOf(Array.prototype.map, {leak: 1})',
    '"leak" in Array.prototype.map',
  ],
  [
    'the accessors of stack',
    'const d = Object.getOwnPropertyDescriptor(new Error(), "stack"); d.get && (d.get.leak = d.set.leak = 1)',
    '(Object.getOwnPropertyDescriptor(new Error(), "stack").get ?? {}).leak === 1',
  ],
  ['unscopables', 'Array.prototype[Symbol.unscopables].leak = 1', '"leak" in Array.prototype[Symbol.unscopables]'],
  ['Error.prepareStackTrace', 'Error.prepareStackTrace = () => "leak"', 'new Error("x").stack === "leak"'],
  ['Error.stackTraceLimit', 'Error.stackTraceLimit = 1', 'Error.stackTraceLimit !== 10'],
  ['a stack on a prototype', 'Error.captureStackTrace(Array.prototype)', 'Object.hasOwn(Array.prototype, "stack")'],
  ['the last match', '/(l)eak/.exec("leak")', 'RegExp.$1 + RegExp.lastMatch + RegExp.input + RegExp["$`"] !== ""'],
  ['arguments.callee', 'arguments.callee.leak = 1', 'arguments.callee.leak === 1'],
  [
    'a field defined on a prototype',
    'class B { constructor() { return Array.prototype } } class C extends B { leak = 1 } new C()',
    '"leak" in []',
  ],
  [
    'an existing field redefined',
    'class B { constructor() { return Array.prototype } } class C extends B { map = 1 } new C()',
    '[].map === 1',
  ],
  [
    'a species that returns a prototype',
    'const a = [1]; a.constructor = {[Symbol.species]: function () { return Map.prototype }}; a.map(() => "leak")',
    'Map.prototype[0] === "leak"',
  ],
  [
    'Array.of on a prototype',
    'Array.of.call(function () { return Date.prototype }, "leak")',
    'Date.prototype[0] === "leak"',
  ],
  ['Reflect.set with a receiver', 'Reflect.set({}, "leak", 1, Set.prototype)', '"leak" in Set.prototype'],
  ['Object.assign', 'Object.assign(String.prototype, {leak: 1})', '"leak" in String.prototype'],
  [
    'defineProperty through a Proxy',
    'Object.defineProperty(new Proxy(Array.prototype, {}), "leak", {value: 1, configurable: true})',
    '"leak" in []',
  ],
  [
    'defineProperty kept from Reflect',
    'const d = Reflect.defineProperty; d(Number.prototype, "leak", {value: 1, configurable: true})',
    '"leak" in Number.prototype',
  ],
  [
    'defineProperties',
    'Object.defineProperties(Boolean.prototype, {leak: {value: 1, configurable: true}})',
    '"leak" in Boolean.prototype',
  ],
  ['a setter by __defineSetter__', 'Object.prototype.__defineSetter__("leak", () => 1)', '"leak" in {}'],
  [
    'a fallback symbol of Intl',
    'Object.setPrototypeOf(Math, Intl.NumberFormat.prototype); Intl.NumberFormat.call(Math); Object.setPrototypeOf(Math, Object.prototype)',
    'Object.getOwnPropertySymbols(Math).length > 1',
  ],
  [
    'the guards themselves',
    'Object.defineProperty = Reflect.defineProperty = () => 1; Object.keys = () => []; Object.leak = 1',
    '"leak" in Object || Object.keys({a: 1}).length === 0',
  ],
  [
    'a setter for everything the shim could write',
    'for (const k of ["0", "value", "get", "set", "writable"]) Object.defineProperty(Object.prototype, k, {__proto__: null, get: () => 1, set(){}, configurable: true})',
    '"value" in {} || "0" in {}',
  ],
];

const PENDING: readonly Row[] = [
  ['a timer after a failure', 'setTimeout(() => { leak = 1 }, 0); throw 1', 'typeof leak !== "undefined"'],
  ['a microtask after a failure', 'Promise.resolve().then(() => { leak = 1 }); throw 1', 'typeof leak !== "undefined"'],
  ['a floating rejection', 'Promise.reject(new Error("leak"))', 'typeof leak !== "undefined"'],
  ['a promise that never settles', 'globalThis.leak = new Promise(() => {}); throw 1', 'typeof leak !== "undefined"'],
  ['a thenable on Object.prototype', 'Object.prototype.then = function (f) { f("leak") }', '"then" in {}'],
  ['toJSON on Object.prototype', 'Object.prototype.toJSON = () => "leak"', 'JSON.stringify({}) === \'"leak"\''],
];

/** Every probe by name. */
export const LEAK_PROBES: readonly LeakProbe[] = [
  ...GLOBALS,
  ...V8_MEMBERS,
  ...PROTOTYPES,
  ...HIDDEN,
  ...CHANGES,
  ...PENDING,
].map(([name, write, look]) => ({ name, write, look }));
