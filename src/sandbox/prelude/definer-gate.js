// What a run did that makes the proof dearer that it left nothing (clean-check.js). `tainted`: it called one of the six
// functions that can add a property that does not show up among the enumerable keys, or change the flags of one.
// `symbols`: it may have had a symbol, without which nobody can add a property that has a symbol for its name.
(function guardDefiners(kit) {
  kit.gate = { __proto__: null, tainted: false, symbols: false };
  // What stands behind a getter here: a walk of the global's properties misses it.
  kit.guardedGlobals = [Symbol, Proxy, Intl];

  const { defineProperty } = Object;
  // For the prelude's own use, which is not a script's.
  kit.ownKeys = Reflect.ownKeys;
  kit.getOwnPropertySymbols = Object.getOwnPropertySymbols;

  // A proxy forwards `this`, has no source to read and keeps name and length.
  function guard(owner, name, note, adjust) {
    const trap = (target, self, values) => {
      kit.gate[note] = true;
      return kit.apply(target, self, adjust === undefined ? values : adjust(values, trap));
    };
    const handler = kit.freeze({ __proto__: null, apply: trap });
    kit.defineHidden(owner, name, new Proxy(kit.freeze(owner[name]), handler));
  }

  guard(Object, 'defineProperty', 'tainted');
  guard(Object, 'defineProperties', 'tainted');
  guard(Reflect, 'defineProperty', 'tainted');
  guard(Object.prototype, '__defineGetter__', 'tainted');
  guard(Object.prototype, '__defineSetter__', 'tainted');
  // The stack of the object begins below this function, unless the script says where.
  guard(Error, 'captureStackTrace', 'tainted', (values, trap) =>
    values.length === 1 ? { __proto__: null, length: 2, 0: values[0], 1: trap } : values,
  );

  // Wherever a symbol can come from: the constructor with its well-known ones, the keys that a proxy's traps are given,
  // and the functions that list keys, the last as keys of an object, which Object.assign copies.
  guard(Object, 'getOwnPropertySymbols', 'symbols');
  guard(Object, 'getOwnPropertyDescriptors', 'symbols');
  guard(Reflect, 'ownKeys', 'symbols');
  guardGlobal('Symbol');
  guardGlobal('Proxy');
  // Two of its constructors, called as functions, put a symbol of their own on an object (ECMA-402, ChainNumberFormat).
  guardGlobal('Intl');

  // Every way to the constructor leads over the global, until a script has put another value there.
  function guardGlobal(name) {
    const value = globalThis[name];
    const get = () => {
      kit.gate.symbols = true;
      return value;
    };
    const set = (replaced) => {
      kit.gate.tainted = true;
      kit.defineHidden(globalThis, name, replaced);
    };
    defineProperty(globalThis, name, {
      __proto__: null,
      get: kit.publicFunction(`get ${name}`, get),
      set: kit.publicFunction(`set ${name}`, set),
      enumerable: false,
      configurable: true,
    });
  }
});
