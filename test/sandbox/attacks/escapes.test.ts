/** Ways out of the realm: constructors, callers, stacks, replaced built-ins, and sources that close their wrapper. */
import { type Attack, declareAttacks } from './attack.ts';
import { withProbes } from './realm-probe.ts';

/** An escape returns true only when it reached something outside. */
function leavesNot(name: string, source: string): Attack {
  return { name, source: withProbes(source), ends: 'returned', returns: false };
}

const CONSTRUCTORS: readonly Attack[] = [
  leavesNot('the constructor chain of this', 'return seesHost(this.constructor.constructor)'),
  leavesNot('the constructor chain of a host call', 'return seesHost(V8.Http.Post.constructor)'),
  leavesNot('the constructor chain of a host call’s answer', 'return leadsOut(V8.Http.Post({}))'),
  leavesNot('the constructor chain of the parameter', 'return leadsOut(V8.Param) || leadsOut(V8.CurrentUser)'),
  leavesNot('the constructor chain of the console', 'return leadsOut(console) || seesHost(console.log.constructor)'),
  leavesNot(
    'the constructor chain of the transaction',
    'return leadsOut(V8.DbTrans) || seesHost(V8.DbTrans.Commit.constructor)',
  ),
  leavesNot(
    'every kind of function constructor',
    `return [function () {}, async () => {}, function* () {}, async function* () {}]
      .some((f) => { try { return seesHost((code) => { const g = f.constructor(code)(); return () => (g.next ? g.next().value : []) ?? [] }) } catch { return false } })`,
  ),
  leavesNot('indirect eval', 'return (0, eval)("typeof process") !== "undefined"'),
  leavesNot(
    'Reflect.construct with another target',
    'return seesHost((code) => Reflect.construct(Function, [code], V8.Http.Post.bind()))',
  ),
  leavesNot(
    'a dynamic import of a module of Node',
    'try { await import("node:fs"); return true } catch (e) { return leadsOut(e) }',
  ),
  leavesNot(
    'a dynamic import from eval and from a new function',
    `const bad = async (make) => { try { await make(); return true } catch (e) { return leadsOut(e) } };
     return await bad(() => eval('import("node:child_process")')) || await bad(() => new Function('return import("node:fs")')())`,
  ),
  leavesNot(
    'import.meta of an evaluated text',
    'try { return Boolean(eval("import.meta")) } catch (e) { return leadsOut(e) }',
  ),
];

const CALLERS: readonly Attack[] = [
  leavesNot(
    'the caller of the script',
    'function f() { return f.caller && f.caller.caller } try { return Boolean(f()) } catch { return false }',
  ),
  leavesNot('the callee’s caller', 'try { return Boolean(arguments.callee.caller) } catch { return false }'),
  leavesNot('the arguments of the script', 'return arguments.length > 0'),
  leavesNot(
    'the caller seen from a getter that the shim reads',
    'let c = null; function g() { c = g.caller; return 1 } V8.MQ.SendMsg({toJSON: g}); return c !== null && String(c).includes("kit")',
  ),
  leavesNot(
    'functions of stack frames',
    `let seen = false; Error.prepareStackTrace = (e, frames) => { for (const f of frames) {
       const fn = f.getFunction(); if (fn && String(fn).includes('ki' + 't.')) seen = true;
       if (foreign(f.getThis()) || foreign(fn)) seen = true } return '' };
     new Error('x').stack; V8.MQ.SendMsg({toJSON() { return new Error('y').stack }}); return seen`,
  ),
  leavesNot(
    'file names of stack frames',
    `let names = []; Error.prepareStackTrace = (e, frames) => frames.map((f) => String(f.getFileName() ?? f.getEvalOrigin()));
     names = names.concat(new Error('x').stack); V8.MQ.SendMsg({toJSON() { names = names.concat(new Error('y').stack); return 1 }});
     return names.some((name) => /node:|file:|isolated-vm|\\.ts|\\//.test(name))`,
  ),
  leavesNot(
    'the stack of an error that a built-in throws under the shim',
    `let stack = ''; V8.MQ.SendMsg({toJSON() { try { null.x } catch (e) { stack = e.stack } return 1 }});
     return /node:|file:|isolated-vm|\\.ts|\\/src/.test(stack)`,
  ),
  leavesNot(
    'captureStackTrace onto an object of the platform',
    'try { Error.captureStackTrace(V8.FormEngine); return typeof V8.FormEngine.stack === "string" } catch (e) { return leadsOut(e) }',
  ),
];

/** The built-in is replaced by one that keeps what it is given; then the platform is used. */
function replaced(what: string, replace: string): Attack {
  return leavesNot(
    `a replaced ${what}`,
    `const got = []; const keep = function (...a) { got.push(this, ...a) };
     const isShim = (v) => typeof v === 'function' && /kit\\.|bridge/.test(String(v));
     const found = (v) => foreign(v) || isShim(v) || (v !== null && typeof v === 'object' && ['bridge', 'callNames', 'settle'].some((k) => hasOwn(v, k)));
     const O = {defineProperty: Object.defineProperty, prototype: Object.prototype}; const { hasOwn } = Object;
     ${replace};
     V8.Http.Post({a: [1, 'x'], s: 'text'}, 'y', V8.DbTrans); console.log('x', {a: 1}, new Error('e')); V8.MQ.SendMsg(1n); DateNow('yyyy');
     let out = false; for (let i = 0; i < got.length; i++) if (found(got[i])) out = true; return out`,
  );
}

const REPLACED: readonly Attack[] = [
  replaced('Function.prototype.call', 'Function.prototype.call = keep'),
  replaced('Function.prototype.apply', 'Function.prototype.apply = keep'),
  replaced('Function.prototype.bind', 'Function.prototype.bind = keep'),
  replaced('Reflect', 'for (const k of Object.getOwnPropertyNames(Reflect)) Reflect[k] = keep'),
  replaced('JSON', 'JSON.stringify = JSON.parse = keep'),
  replaced('array iterator', 'Array.prototype[Symbol.iterator] = keep'),
  replaced(
    'Array.prototype',
    'for (const k of ["push", "pop", "map", "forEach", "join", "slice", "concat", "shift"]) if (k !== "push") Array.prototype[k] = keep',
  ),
  replaced(
    'String.prototype',
    'for (const k of ["includes", "slice", "split", "trim", "startsWith", "toLowerCase", "replace"]) String.prototype[k] = keep',
  ),
  replaced('Promise.prototype.then', 'Promise.prototype.then = Promise.resolve = keep'),
  replaced(
    'Map and WeakMap',
    'for (const C of [Map, WeakMap, Set, WeakSet]) for (const k of ["get", "set", "has", "add"]) C.prototype[k] = keep',
  ),
  replaced(
    'Object',
    'for (const k of ["freeze", "keys", "create", "assign", "defineProperty", "getPrototypeOf"]) Object[k] = keep',
  ),
  replaced('Date', 'globalThis.Date = keep'),
  replaced(
    'setter of Object.prototype',
    `for (const k of ["0", "1", "call", "bridge", "caps", "settle", "value", "get", "set", "name", "json"])
       O.defineProperty(O.prototype, k, {__proto__: null, set(v) { got[got.length] = v; got[got.length] = this }, configurable: true})`,
  ),
  replaced(
    'getter of Object.prototype',
    `for (const k of ["bridge", "caps", "_Where", "_Lang", "lang", "toJSON", "family", "member"])
       O.defineProperty(O.prototype, k, {__proto__: null, get() { got[got.length] = this }, configurable: true})`,
  ),
  replaced(
    'Symbol.species',
    'Object.defineProperty(Promise, Symbol.species, {get: keep}); Object.defineProperty(Array, Symbol.species, {get: keep})',
  ),
];

/** A source that leaves the function it is the body of never runs. */
const WRAPPERS: readonly Attack[] = (
  [
    ['closes the function', '}); globalThis.planted = 1; (function () {'],
    ['closes the factory', '}}); globalThis.planted = 1; (function () { return function () {'],
    ['closes an async function', 'await 1; }); globalThis.planted = 1; (async function () {'],
    ['closes a method', '} , planted() {'],
    ['closes the parameters of a function', '){} , function(){ globalThis.planted = 1; '],
    ['opens a comment', '/*'],
    ['opens a template', '`'],
    ['ends in an HTML comment', 'return 1 }) <!--'],
  ] as const
).map(([name, source]) => ({ name: `a source that ${name}`, source, ends: 'syntax' }));

declareAttacks([...CONSTRUCTORS, ...CALLERS, ...REPLACED, ...WRAPPERS]);
