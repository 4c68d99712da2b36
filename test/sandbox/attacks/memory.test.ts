/** Scripts that take memory, and native operations that no soft limit can interrupt. */
import { type Attack, declareAttacks } from './attack.ts';

/**
 * Ends of what grows until a wall stops it: the heap of the isolate, the memory of the lane, or the CPU limit, which a
 * crowded machine may reach first.
 */
const GROWS = ['V8_MEMORY_LIMIT', 'V8_PROCESS_MEMORY', 'V8_CPU_LIMIT'];

/** Also where the engine itself refuses the size. */
const REFUSED = [...GROWS, 'threw'];

/** Native operations that end the whole process when their memory fails. */
const ABORTS = [...GROWS, 'V8_PROCESS_CRASH'];

/** Time enough to reach the memory's limit on a slow machine. */
const ROOMY = { limits: { cpuMs: 3_000, wallMs: 6_000 } };

const HEAP: readonly Attack[] = [
  { name: 'a list of objects without end', source: 'const a = []; for (;;) a.push({a})', ends: GROWS, options: ROOMY },
  {
    name: 'a filled array of 2^28 mapped to objects',
    source: 'return new Array(2 ** 28).fill(0).map(() => ({}))',
    ends: ABORTS,
    options: ROOMY,
  },
  {
    name: 'a Map without end',
    source: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i)',
    ends: [...GROWS, 'threw'],
    options: ROOMY,
  },
  {
    name: 'a Set of long texts without end',
    source: 'const s = new Set(); for (let i = 0; ; i++) s.add("é".repeat(1e5) + i)',
    ends: [...GROWS, 'threw'],
    options: ROOMY,
  },
  {
    name: 'globals without end',
    source: 'for (let i = 0; ; i++) globalThis["planted" + i] = {}',
    ends: GROWS,
    options: ROOMY,
  },
  {
    name: 'registered symbols without end',
    source: 'for (let i = 0; ; i++) Symbol.for("planted" + i)',
    ends: GROWS,
  },
  {
    name: 'closures without end',
    source: 'let f = () => 1; for (;;) { const g = f; f = () => g }',
    ends: GROWS,
    options: ROOMY,
  },
  {
    name: 'pending promises without end',
    source: 'const a = []; for (;;) a.push(new Promise(() => {}).then(() => {}))',
    ends: GROWS,
    options: ROOMY,
  },
  {
    name: 'compiled functions without end',
    source: 'const a = []; for (let i = 0; ; i++) a.push(new Function("return " + "x + ".repeat(1000) + i))',
    ends: GROWS,
  },
  {
    name: 'a generator spread without end',
    source: 'function* g() { for (;;) yield {} } return [...g()]',
    ends: REFUSED,
  },
  {
    name: 'an argument list of 5e7',
    source: 'return Math.max(...new Array(5e7).fill(1))',
    ends: ['V8_RECURSION_LIMIT', ...REFUSED],
  },
  {
    name: 'errors with endless stacks',
    source: `Error.stackTraceLimit = Infinity; const a = [];
      function f(n) { if (n === 0) for (;;) a.push(new Error("x")); f(n - 1) } f(3000)`,
    ends: GROWS,
    options: ROOMY,
  },
];

const BUFFERS: readonly Attack[] = [
  {
    name: 'buffers outside the heap',
    source: 'const a = []; for (;;) a.push(new Uint8Array(4e6).fill(1))',
    ends: [...GROWS, 'threw'],
    options: ROOMY,
  },
  { name: 'one buffer of 8 GB', source: 'return new Uint8Array(8e9).length', ends: REFUSED },
  {
    name: 'a buffer that grows',
    source:
      'const b = new ArrayBuffer(1, {maxByteLength: 2e9}); new Uint8Array(b); for (let n = 1; n < 2e9; n *= 2) { b.resize(n); new Uint8Array(b).fill(1) } return 1',
    ends: REFUSED,
  },
  {
    name: 'a buffer over and over, always let go',
    source: 'for (;;) new Uint8Array(3e7).fill(1)',
    ends: REFUSED,
  },
];

const TEXTS: readonly Attack[] = [
  {
    name: 'a split of 2^28 characters',
    source: 'return "x".repeat(2 ** 28).split("").length',
    ends: ABORTS,
    options: ROOMY,
  },
  {
    name: 'a spread of 2^28 characters',
    source: 'return [..."x".repeat(2 ** 28)].length',
    ends: ABORTS,
    options: ROOMY,
  },
  {
    name: 'a text that doubles itself',
    source: 'let s = "é"; for (;;) s += s',
    ends: 'threw',
  },
  {
    name: 'long texts flattened without end',
    source: 'const a = []; for (let i = 0; ; i++) { let s = "é".repeat(2 ** 26) + i; s.charCodeAt(5); a.push(s) }',
    ends: [...GROWS, 'V8_PROCESS_CRASH', 'threw'],
    options: ROOMY,
  },
  {
    name: 'upper case of a huge text',
    source: 'const s = "ß".repeat(2 ** 27); for (;;) s.toUpperCase()',
    ends: [...ABORTS, 'threw'],
  },
  {
    name: 'normalisation of a huge text',
    source: 'const s = "ﷺ".repeat(2 ** 25); for (;;) s.normalize("NFKD")',
    ends: [...ABORTS, 'threw'],
  },
  {
    name: 'percent encoding of a huge text',
    source: 'const s = "中".repeat(2 ** 26); for (;;) encodeURIComponent(s)',
    ends: [...ABORTS, 'threw'],
  },
  {
    name: 'a join of a sparse array',
    source: 'return new Array(2 ** 32 - 1).join("x").length',
    ends: REFUSED,
  },
  {
    name: 'padding to the longest text',
    source: 'const a = []; for (;;) a.push("".padEnd(2 ** 29 - 24, "é") + a.length)',
    ends: [...ABORTS, 'threw'],
  },
  {
    name: 'a replace callback over 16 MB',
    source: 'return "x".repeat(2 ** 24).replace(/x/g, () => "yy").length',
    ends: [...ABORTS, 'threw'],
  },
  {
    name: 'matches of every character',
    source: 'return "x".repeat(2 ** 27).match(/x/g).length',
    ends: ABORTS,
  },
];

const NATIVE: readonly Attack[] = [
  {
    name: 'a sort of 3e7 numbers',
    source: 'return Array.from({length: 3e7}, (_, i) => -i).sort().length',
    ends: ABORTS,
  },
  {
    name: 'a sort of a huge typed array',
    source: 'for (;;) new Float64Array(1e7).map(Math.random).sort()',
    ends: [...ABORTS, 'threw'],
  },
  {
    name: 'a BigInt that squares itself',
    source: 'let a = 3n ** 1000000n; for (;;) a = a * a',
    ends: [...ABORTS, 'threw'],
  },
  {
    name: 'a BigInt written out',
    source: 'return String(7n ** 9000000n).length',
    ends: [...ABORTS, 'threw'],
  },
  { name: 'a BigInt read in', source: 'return BigInt("7".repeat(3e7)) > 0n', ends: [...ABORTS, 'threw'] },
  {
    name: 'JSON of an array of 1e8',
    source: 'return JSON.stringify(new Array(1e8)).length',
    ends: REFUSED,
  },
  {
    name: 'JSON nested five million deep read in',
    source: 'return typeof JSON.parse("[".repeat(5e6) + "]".repeat(5e6))',
    ends: [...REFUSED, 'V8_RECURSION_LIMIT'],
  },
  {
    name: 'unshift into the longest array-like',
    source: 'return Array.prototype.unshift.call({length: 2 ** 53 - 2}, 1)',
    ends: 'V8_CPU_LIMIT',
  },
  {
    name: 'flat over arrays that share their parts',
    source: 'let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a.flat(Infinity).length',
    ends: REFUSED,
  },
  {
    name: 'a class of capture groups without end',
    source:
      'const a = []; for (let i = 1; ; i++) { const r = new RegExp("(x)".repeat(3000) + i); r.test("x".repeat(3000)); a.push(r) }',
    ends: [...REFUSED, 'V8_RECURSION_LIMIT'],
  },
];

declareAttacks([...HEAP, ...BUFFERS, ...TEXTS, ...NATIVE]);
