// Runs first in a fresh context, before any script: keeps what the other parts of the prelude call, because a script
// may replace every built-in it can reach. Nothing here or later looks a method up on a prototype at run time.
(function capturePrimordials(kit) {
  const { bind, call } = Function.prototype;
  const uncurryThis = bind.bind(call);
  const bindTo = uncurryThis(bind);
  kit.uncurryThis = uncurryThis;

  kit.apply = Reflect.apply;
  kit.freeze = Object.freeze;
  kit.hasOwn = Object.hasOwn;
  kit.is = Object.is;
  kit.keys = Object.keys;
  kit.isArray = Array.isArray;
  kit.number = Number;
  kit.isFinite = Number.isFinite;
  kit.isSafeInteger = Number.isSafeInteger;
  kit.ProxyConstructor = Proxy;
  kit.WeakMapConstructor = WeakMap;
  kit.weakMapGet = uncurryThis(WeakMap.prototype.get);
  kit.weakMapSet = uncurryThis(WeakMap.prototype.set);
  kit.trunc = Math.trunc;
  kit.min = Math.min;
  kit.string = String;
  kit.slice = uncurryThis(String.prototype.slice);
  kit.includes = uncurryThis(String.prototype.includes);
  kit.indexOf = uncurryThis(String.prototype.indexOf);
  kit.lastIndexOf = uncurryThis(String.prototype.lastIndexOf);
  kit.startsWith = uncurryThis(String.prototype.startsWith);
  kit.toLowerCase = uncurryThis(String.prototype.toLowerCase);
  kit.trim = uncurryThis(String.prototype.trim);
  kit.stringify = JSON.stringify;
  kit.parse = JSON.parse;
  kit.setPrototypeOf = Object.setPrototypeOf;
  kit.resolve = bindTo(Promise.resolve, Promise);
  kit.FunctionConstructor = Function;
  kit.AsyncFunctionConstructor = (async () => {}).constructor;
  kit.DateConstructor = Date;
  kit.now = Date.now;
  kit.PromiseConstructor = Promise;
  kit.ErrorConstructor = Error;
  kit.TypeErrorConstructor = TypeError;
  kit.RangeErrorConstructor = RangeError;
  kit.isError = Error.isError;
  kit.date = captureDateMethods();

  const { defineProperty } = Object;
  // A null prototype, or a script's Object.prototype.get would be read as part of the descriptor.
  kit.defineHidden = (target, key, value) =>
    defineProperty(target, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });

  kit.defineHiddenGetter = (target, key, get) =>
    defineProperty(target, key, { __proto__: null, get, enumerable: false, configurable: true });

  // Bound functions print `[native code]` and have no caller, arguments or prototype to look through. `first`, when
  // given, comes before the caller's arguments.
  kit.publicFunction = (name, implementation, ...first) => {
    const bound = first.length === 0 ? bindTo(implementation, undefined) : bindTo(implementation, undefined, first[0]);
    defineProperty(bound, 'name', { __proto__: null, value: name });
    return kit.freeze(bound);
  };

  // An element of an array of ours: an assignment could run a setter of Array.prototype or Object.prototype.
  kit.defineEntry = (array, index, value) =>
    defineProperty(array, index, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  function captureDateMethods() {
    const methods = { __proto__: null };
    const names = ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'];
    for (const name of names) methods[`get${name}`] = uncurryThis(Date.prototype[`get${name}`]);
    methods.getTime = uncurryThis(Date.prototype.getTime);
    methods.setDate = uncurryThis(Date.prototype.setDate);
    methods.setFullYear = uncurryThis(Date.prototype.setFullYear);
    return methods;
  }
});
