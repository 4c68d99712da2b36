// Proves at the start of a run that the runs before it in this context have left nothing (sandbox.md 3). What is not an
// open object (intrinsics.js) is frozen. Runs that touched no definer are checked the short way: numbers of keys,
// prototypes, extensibility, and the identity of every value. Otherwise every property is compared with its flags.
(function defineCleanCheck(kit) {
  const { isExtensible, getPrototypeOf, getOwnPropertySymbols } = Object;
  const { records } = kit;
  const count = records.length;
  const ANYTHING = /(?:)/;
  const { exec } = RegExp.prototype;

  let used = false;
  const checks = records.flatMap(identityChecks);
  const checkCount = checks.length;

  // True when the context is as it was made, or could be made so again.
  kit.makeClean = () => {
    if (!used) {
      used = true;
      return true;
    }
    // Clears RegExp.$1 and its like.
    kit.apply(exec, ANYTHING, ['']);
    if (!kit.gate.tainted && hasSameShape() && hasSameValues()) return true;
    if (kit.gate.tainted && kit.isAsRecorded()) return forgetTaint();
    return kit.restoreRecorded() && kit.isAsRecorded() && forgetTaint();
  };

  function forgetTaint() {
    kit.gate.tainted = false;
    return true;
  }

  function hasSameShape() {
    for (let i = 0; i < count; i++) {
      const { object, prototype, enumerable, symbols } = records[i];
      if (kit.keys(object).length !== enumerable) return false;
      if (getOwnPropertySymbols(object).length !== symbols) return false;
      if (getPrototypeOf(object) !== prototype || !isExtensible(object)) return false;
    }
    return true;
  }

  function hasSameValues() {
    for (let i = 0; i < checkCount; i++) if (!checks[i]()) return false;
    return true;
  }

  // Functions of at most 40 comparisons: the engine keeps them fast, one of all would be ten times slower.
  function identityChecks({ object, prototype, keys, descriptors }) {
    const functions = [];
    const changeable = keys
      .map((key, i) => ({ key, descriptor: descriptors[i] }))
      .filter(({ key, descriptor }) => key !== kit.PER_RUN && (descriptor.configurable || descriptor.writable));
    for (let at = 0; at < changeable.length; at += 40) {
      functions.push(identityCheck(object, prototype, changeable.slice(at, at + 40)));
    }
    return functions;
  }

  function identityCheck(object, prototype, properties) {
    const names = properties.map(({ key }, i) => (typeof key === 'symbol' ? `key${i}` : JSON.stringify(key)));
    const tests = properties.map((property, i) => comparison(property, names[i], `value${i}`, prototype));
    const parameters = properties.flatMap((_, i) => [`key${i}`, `value${i}`]);
    const text = `return () => ${tests.join(' && ')};`;
    const make = new Function('object', 'hasOwn', ...parameters, text);
    return make(object, kit.hasOwn, ...properties.flatMap(({ key, descriptor }) => [key, descriptor.value]));
  }

  // A property that was deleted would be read from the prototype: where that has the same, its presence is asked too.
  function comparison({ key, descriptor }, name, value, prototype) {
    const inherited = prototype !== null && key in prototype;
    const presence = inherited ? `hasOwn(object, ${name})` : `${name} in object`;
    if (!('value' in descriptor)) return presence;
    const same = `object[${name}] === ${value}`;
    const ambiguous = descriptor.value === undefined || (inherited && prototype[key] === descriptor.value);
    return ambiguous ? `${presence} && ${same}` : same;
  }
});
