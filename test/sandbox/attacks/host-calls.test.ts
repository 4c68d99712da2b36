/** Host calls used against their purpose: re-entered, made too late, fed with values that act while they are read. */
import assert from 'node:assert/strict';
import { judgeDelivery } from '../../../src/core/verdict.ts';
import type { Observed } from '../../support/lanes.ts';
import { reply } from '../../support/lanes.ts';
import { type Attack, declareAttacks } from './attack.ts';

const namesOf = ({ calls }: Observed): string[] => calls.map((call) => call.name);
const argsOf = ({ calls }: Observed): unknown[] => calls.map((call) => JSON.parse(call.args));

/** Whether the message of a run that ended so would be acknowledged. */
const acks = ({ outcome }: Observed): boolean =>
  judgeDelivery(outcome, { engineKey: 'engine', legacyAck: false }).kind === 'success';

const REENTRY: readonly Attack[] = [
  {
    name: 'a getter that makes a host call while another reads it',
    source: 'V8.MQ.SendMsg({get a() { V8.Http.Post({inner: true}); return 1 }}); return {Code: 1}',
    ends: 'returned',
    check: (seen) => assert.deepEqual(argsOf(seen), [[{ inner: true }], [{ a: 1 }]]),
  },
  {
    name: 'a toJSON that makes the same call without end',
    source: 'const o = {toJSON() { return V8.MQ.SendMsg(o) }}; V8.MQ.SendMsg(o); return 1',
    ends: ['returned', 'V8_RECURSION_LIMIT', 'V8_HOST_CALL_LIMIT'],
    returns: 1,
  },
  {
    name: 'a Proxy that answers differently each time it is read',
    source: `let n = 0; const p = new Proxy({}, {ownKeys: () => ['OsClient'], getOwnPropertyDescriptor: () => ({value: n, enumerable: true, configurable: true}),
      get: (t, k) => k === 'toJSON' ? undefined : n++ === 0 ? 'mine' : 'theirs'}); V8.MQ.SendMsg(p); return {Code: 1}`,
    ends: 'returned',
    check: (seen) => assert.equal(seen.calls.length, 1),
  },
  {
    name: 'a toJSON of the result that makes host calls',
    source: 'return {toJSON() { V8.MQ.SendMsg({late: 1}); return {Code: 1} }}',
    ends: 'returned',
    returns: { Code: 1 },
    check: (seen) => assert.deepEqual(namesOf(seen), ['MQ.SendMsg']),
  },
];

const LATE: readonly Attack[] = [
  {
    name: 'a thenable result with side effects',
    source:
      'return {then(resolve) { V8.MQ.SendMsg({a: 1}); resolve({Code: 1}); resolve({Code: 0}); throw new Error("late") }}',
    ends: 'returned',
    returns: { Code: 1 },
    check: (seen) => assert.equal(seen.calls.length, 1),
  },
  {
    name: 'a thenable that settles twice with something else',
    source: 'return {then(ok, no) { no(new Error("first")); ok({Code: 1}) }}',
    ends: 'threw',
    check: (seen) => assert.equal(acks(seen), false),
  },
  {
    name: 'a getter named then that gives another thenable each time',
    source: 'let n = 0; return {get then() { n++; return n < 3 ? undefined : (ok) => ok({Code: 0}) }, Code: 1}',
    ends: 'returned',
    check: ({ outcome }) =>
      assert.ok(outcome.kind === 'returned' && ['{"Code":1}', '{"Code":0}'].includes(outcome.json)),
  },
  {
    name: 'a host call from a microtask behind the result belongs to this run',
    source: 'Promise.resolve().then(() => Promise.resolve()).then(() => V8.MQ.SendMsg({late: 1})); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
    check: (seen) => assert.ok(seen.calls.length <= 1),
  },
  {
    name: 'a result changed after it was returned',
    source: 'const r = {Code: 0}; Promise.resolve().then(() => { r.Code = 1 }); return r',
    ends: 'returned',
    returns: { Code: 0 },
    check: (seen) => assert.equal(acks(seen), false),
  },
  {
    name: 'a floating rejection beside a good result',
    source: 'Promise.reject(new Error("floating")); await V8.FormEngine.AddFormData("t", {Id: 1}); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
    check: (seen) => {
      assert.equal(acks(seen), true);
      assert.match(seen.warnings.join('\n'), /floating/);
    },
  },
  {
    name: 'a rejection of every kind that floats',
    source:
      'for (const v of [undefined, null, 1n, Symbol("s"), () => 1, new Proxy({}, {get() { throw 1 }}), Object.create(null), globalThis]) Promise.reject(v); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
  },
];

const FORGED: readonly Attack[] = [
  {
    name: 'words of a timeout that the script forges',
    source: 'throw new Error("Script execution timed out.")',
    ends: 'threw',
  },
  {
    name: 'words of a timeout in a floating rejection',
    source: 'Promise.reject(new Error("Script execution timed out.")); return {Code: 1}',
    ends: ['returned', 'V8_CPU_LIMIT'],
    returns: { Code: 1 },
  },
  {
    name: 'words of a disposed isolate that the script forges',
    source:
      'Promise.reject(new Error("Isolate is disposed")); throw new Error("Isolate was disposed during execution")',
    ends: 'threw',
  },
  {
    name: 'another tenant named in an argument',
    source:
      'V8.OsClient = "victim"; V8.Param.OsClient = "victim"; V8.MQ.SendMsg({OsClient: "victim", QueueName: "q"}); return V8.OsClient',
    ends: 'returned',
    check: (seen) => assert.equal(seen.calls.length, 1),
    next: { source: 'return V8.OsClient', returns: 'attacker' },
  },
  {
    name: 'a host call under a name of its own',
    source: `const send = V8.MQ.SendMsg; send.call({name: 'Db.Drop'}, 'a\\nb'); try { send.name = 'Db.Drop' } catch {} send.bind(null, 'Db.Drop')('x'); V8.MQ['Db.Drop'] = send; return V8.MQ['Db.Drop'] === undefined`,
    ends: 'returned',
    returns: true,
    check: (seen) => assert.deepEqual(new Set(namesOf(seen)), new Set(['MQ.SendMsg'])),
  },
  {
    name: 'bytes that look like a frame',
    source:
      'V8.MQ.SendMsg("\\u0000\\u0000\\u0000\\u0001\\u0013\\u0000\\u0000\\u0000\\u0001{}\\n", "\\ud800", "\\u2028"); return {Code: 1}',
    ends: 'returned',
    returns: { Code: 1 },
    check: (seen) => assert.equal((argsOf(seen)[0] as string[]).length, 3),
  },
  {
    name: 'a reply that looks like an instruction',
    source: 'const r = V8.Http.Post({}); return [typeof r.run, Object.getPrototypeOf(r) === Object.prototype]',
    ends: 'returned',
    returns: ['string', true],
    options: { call: () => reply({ kind: 'nested', run: 'while (true) {}' }) },
  },
  {
    name: 'a replaced member of V8 reaches no other call',
    source:
      'try { V8.FormEngine.AddFormData = () => ({Code: 1}) } catch {} V8.FormEngine.AddFormData("t", {Id: 1}); V8.MQ = {SendMsg: () => 1}; return {Code: 1}',
    ends: 'returned',
    check: (seen) => assert.deepEqual(namesOf(seen), ['FormEngine.AddFormData']),
    next: { source: 'return String(V8.MQ.SendMsg).includes("native")', returns: true },
  },
];

const ACKNOWLEDGED: readonly (readonly [name: string, source: string])[] = [
  ['an inherited Code', 'return Object.create({Code: 1})'],
  ['a Code planted on Object.prototype', 'Object.prototype.Code = 1; return {}'],
  ['a Code in an array', 'return [{Code: 1}]'],
  ['a thrown Code', 'throw {Code: 1}'],
  ['a rejected Code', 'return Promise.reject({Code: 1})'],
  ['a Code as a BigInt', 'return {Code: 1n}'],
  ['a Code of true', 'return {Code: true}'],
  ['a Code under a symbol', 'return {[Symbol.for("Code")]: 1}'],
  ['a Code that is not enumerable', 'return Object.defineProperty({}, "Code", {value: 1})'],
  ['a text that looks like a result', 'return \'{"Code":1}\''],
];

const UNACKNOWLEDGED: readonly Attack[] = ACKNOWLEDGED.map(([name, source]) => ({
  name: `${name} acknowledges nothing`,
  source,
  ends: ['returned', 'threw', 'unwritable'],
  check: (seen: Observed) => assert.equal(acks(seen), false),
}));

declareAttacks([...REENTRY, ...LATE, ...FORGED, ...UNACKNOWLEDGED]);
