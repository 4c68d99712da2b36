/**
 * Scripts of our own after public descriptions of how other sandboxes were left: vm2's and n8n's advisories, reports of
 * isolated-vm, services built on node:vm. Each names the idea, not the code.
 */
import { type Attack, declareAttacks } from './attack.ts';
import { withProbes } from './realm-probe.ts';

function leavesNot(name: string, source: string): Attack {
  return { name, source: withProbes(source), ends: 'returned', returns: false };
}

const VM2: readonly Attack[] = [
  leavesNot(
    'CVE-2019-10761: the stack overflow inside a host function is the host’s error',
    `let worst = false; const check = (e) => { if (leadsOut(e)) worst = true };
     const dive = () => { try { dive() } catch (e) { check(e); try { V8.Http.Post({}) } catch (inner) { check(inner) } try { console.log(1) } catch (inner) { check(inner) } } };
     let n = 0; const once = () => { n++; try { V8.Method.NewUlid() } catch (e) { check(e) } if (n < 5) once() }; once();
     const deep = (d) => { if (d > 0) deep(d - 1); else { try { V8.Http.Post({}) } catch (e) { check(e) } } };
     for (let d = 1000; d < 20000; d += 500) try { deep(d) } catch (e) { check(e) }
     return worst`,
  ),
  leavesNot(
    'CVE-2021-23449: the error of import() is the host’s',
    'return import("./x.js").then(() => true, (e) => leadsOut(e))',
  ),
  leavesNot(
    'CVE-2021-23555: the stack overflow of a getter that the bridge reads',
    'let worst = false; const o = {get a() { try { return this.a } catch (e) { if (leadsOut(e)) worst = true; throw e } }}; try { V8.MQ.SendMsg(o) } catch (e) { worst ||= leadsOut(e) } return worst',
  ),
  leavesNot(
    'CVE-2022-25893: a replaced WeakMap sees the bridge’s objects',
    'let out = false; WeakMap.prototype.set = function (k, v) { if (leadsOut(k) || leadsOut(v)) out = true; return this }; V8.Http.Post({}); V8.MQ.SendMsg(new Proxy({}, {})); return out',
  ),
  leavesNot(
    'CVE-2022-36067: call sites of prepareStackTrace give the host’s this',
    'let out = false; Error.prepareStackTrace = (e, sites) => { for (const s of sites) if (leadsOut(s.getThis()) || leadsOut(s.getFunction()) || leadsOut(s)) out = true; return "" }; const { stack } = new Error("x"); return out',
  ),
  leavesNot(
    'CVE-2023-29017: prepareStackTrace is asked by the host for an unhandled async error',
    'Error.prepareStackTrace = (e, sites) => { if (leadsOut(sites) || leadsOut(e)) globalThis.outside = true; return "" }; (async () => { null.x })(); await null; return Boolean(globalThis.outside)',
  ),
  leavesNot(
    'CVE-2023-29199: a name that is a symbol makes the stack’s reader throw its own error',
    'const e = new Error("x"); e.name = Symbol("n"); try { e.stack; String(e) } catch (inner) { if (leadsOut(inner)) return true } try { console.log(e); V8.MQ.SendMsg(e) } catch (inner) { return leadsOut(inner) } return false',
  ),
  leavesNot(
    'CVE-2023-29199: a name whose toString is a Proxy sees the reader’s arguments',
    'let out = false; const e = new Error("x"); e.name = {toString: new Proxy(() => "n", {apply(t, self, args) { if (leadsOut(args) || leadsOut(self)) out = true; return "n" }})}; try { e.stack; console.log(e) } catch {} return out',
  ),
  leavesNot(
    'CVE-2023-30547: a trap of a thrown Proxy runs in the host’s catch',
    'let out = false; const trap = (...args) => { if (args.some(leadsOut)) out = true; throw new Error("trap") }; const p = new Proxy({}, {getPrototypeOf: trap, get: trap, has: trap, ownKeys: trap}); V8.MQ.SendMsg({toJSON() { throw p }}); console.log(p); return out',
  ),
  leavesNot(
    'CVE-2023-32313: a custom inspect function is called by the host’s console',
    'let out = false; const inspect = (...args) => { if (args.some(leadsOut)) out = true; return "" }; const o = {[Symbol.for("nodejs.util.inspect.custom")]: inspect, inspect}; console.log(o); console.error([o]); return out',
  ),
  leavesNot(
    'CVE-2023-32314: traps of a Proxy receive the host’s objects',
    `let out = false, looking = false; const look = (args) => { if (looking) return; looking = true; if (args.some(leadsOut)) out = true; looking = false };
     const handler = new Proxy({}, {get: (t, trap) => (...args) => { look(args); return Reflect[trap](...args) }});
     const p = new Proxy({a: 1}, handler); V8.Http.Post(p); console.log(p); return out`,
  ),
  leavesNot(
    'CVE-2023-37466: a promise with a species of its own hands its handlers over',
    `let out = false; class P extends Promise { static get [Symbol.species]() { return function (run) { run((v) => { if (leadsOut(v)) out = true }, (e) => { if (leadsOut(e)) out = true }) } } }
     const p = new P((resolve) => resolve(1)); p.then(() => 1); await null; return out`,
  ),
  leavesNot(
    'CVE-2023-37903: a custom inspect function of an error’s cause',
    'let out = false; const cause = {[Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) { if (leadsOut(inspect)) out = true; return "" }}; console.log(new Error("x", {cause})); return out',
  ),
  leavesNot(
    'CVE-2026-22709: a replaced then sees what an async function hands to the host',
    `let out = false; const then = Promise.prototype.then; Promise.prototype.then = function (ok, no) { if (leadsOut(ok) || leadsOut(no) || leadsOut(this)) out = true; return then.call(this, ok, no) };
     await (async () => 1)(); Promise.resolve(2).then(() => 3); await null; return out`,
  ),
];

const EXPRESSIONS: readonly Attack[] = [
  leavesNot(
    'CVE-2025-68613: the this of a plain function is the host’s global',
    'const g = (function () { return this })(); return Boolean(g.process || g.require || g.global) || leadsOut(g)',
  ),
  leavesNot(
    'CVE-2026-1470: with makes constructor a plain name',
    'with (Function.prototype) { return seesHost(constructor) }',
  ),
  leavesNot(
    'CVE-2026-25049: constructor taken by destructuring an arrow function',
    'const {constructor: F} = () => {}; return seesHost(F)',
  ),
  leavesNot(
    'a constructor spelt with escapes, templates and joins',
    'return [`constructor`, "constr\\u0075ctor", ["con", "structor"].join("")].some((key) => seesHost((() => {})[key]) || seesHost(V8.Http.Post[key]))',
  ),
  leavesNot(
    'a constructor by way of descriptors and prototypes',
    'return seesHost(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(V8.Http.Post), "constructor").value) || seesHost(Reflect.get(Object.getPrototypeOf(async () => {}), "constructor"))',
  ),
  leavesNot(
    'GHSA-v264-xqh4-9xmm: the chain that leaves node:vm',
    'return seesHost(this.constructor.constructor) || seesHost(globalThis.constructor.constructor)',
  ),
  leavesNot(
    'process by any of its names',
    'return ["process", "require", "module", "exports", "global", "Buffer", "__dirname", "Deno", "Bun", "ivm", "$", "importScripts"].some((n) => { try { return eval("typeof " + n) !== "undefined" } catch { return false } })',
  ),
];

const ISOLATED_VM: readonly Attack[] = [
  leavesNot(
    'no object of the library is in reach, by any path',
    `const seen = new Set(); const open = [globalThis, V8, console]; let bad = false;
     const names = ['applySync', 'applySyncPromise', 'applyIgnored', 'derefInto', 'copySync', 'copyInto', 'getSync', 'createContextSync', 'cpuTime'];
     while (open.length > 0) { const o = open.pop(); if (seen.has(o)) continue; seen.add(o);
       if (foreign(o) || names.some((n) => Object.hasOwn(o, n))) bad = true;
       for (const key of Reflect.ownKeys(o)) { const d = Reflect.getOwnPropertyDescriptor(o, key);
         for (const v of [d.value, d.get, d.set]) if (v !== null && (typeof v === 'object' || typeof v === 'function')) open.push(v) }
       const up = Object.getPrototypeOf(o); if (up !== null) open.push(up) }
     return bad || seen.size < 500`,
  ),
  leavesNot(
    'an error that the library throws into the script comes from this realm',
    `let out = false; const tries = [() => V8.Http.Post(Symbol('x')), () => V8.Http.Post.call(null, new Proxy(function () {}, {})), () => Reflect.construct(V8.Http.Post, []), () => new V8.Http.Post(),
       () => V8.Http.Post(Object.create(null)), () => console.log(Object.create(null)), () => console.log(Symbol('s')), () => DateFormat(Symbol('s'))];
     for (const t of tries) try { if (leadsOut(t())) out = true } catch (e) { if (leadsOut(e) || /isolated-vm|node:|\\.ts/.test(String(e.stack))) out = true }
     return out`,
  ),
  leavesNot(
    'a lane’s function that is made to throw shows nothing of the lane',
    `let out = false; const look = (v) => { if (leadsOut(v) || /script-run|node:|\\.ts|file:/.test(String(v && v.stack) + JSON.stringify(v))) out = true };
     for (const forged of [undefined, 5, '{', 'x'.repeat(1000), null, []]) {
       Object.prototype.toJSON = () => forged;
       try { look(V8.MQ.SendMsg(1n)) } catch (e) { look(e) }
       try { look(V8.MQ.SendMsg({get a() { throw new Error('mine') }})) } catch (e) { look(e) }
       try { look(console.log({a: 1})) } catch (e) { look(e) }
     }
     delete Object.prototype.toJSON; return out`,
  ),
];

declareAttacks([...VM2, ...EXPRESSIONS, ...ISOLATED_VM]);
