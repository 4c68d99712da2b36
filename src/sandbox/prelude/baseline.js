// What the open objects were like before any script, and the exact comparison with it: every property with its flags.
(function recordOpenObjects(kit) {
  const { isExtensible, getPrototypeOf, getOwnPropertyDescriptor, getOwnPropertySymbols } = Object;
  const { ownKeys, defineProperty, deleteProperty, setPrototypeOf } = Reflect;
  const { has } = Set.prototype;

  // The global that every run has its own of.
  kit.PER_RUN = 'V8';
  kit.records = kit.openObjects.map(recordOf);
  const count = kit.records.length;

  kit.isAsRecorded = () => {
    for (let i = 0; i < count; i++) if (!isSameObject(kit.records[i])) return false;
    return true;
  };

  // Deletes what was added and puts back what was changed. False where an object refuses.
  kit.restoreRecorded = () => {
    for (let i = 0; i < count; i++) if (!restoreObject(kit.records[i])) return false;
    return true;
  };

  function isSameObject({ object, prototype, keys, descriptors }) {
    if (getPrototypeOf(object) !== prototype || !isExtensible(object)) return false;
    if (ownKeys(object).length !== keys.length) return false;
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] !== kit.PER_RUN && !hasDescriptor(object, keys[i], descriptors[i])) return false;
    }
    return true;
  }

  function hasDescriptor(object, key, expected) {
    const found = getOwnPropertyDescriptor(object, key);
    if (found === undefined) return false;
    // Only what it has itself is read, or a value on Object.prototype would answer.
    if (found.enumerable !== expected.enumerable || found.configurable !== expected.configurable) return false;
    if (!kit.hasOwn(found, 'value')) return kit.hasOwn(expected, 'get') && hasAccessors(found, expected);
    return kit.hasOwn(expected, 'value') && found.writable === expected.writable && kit.is(found.value, expected.value);
  }

  function hasAccessors(found, expected) {
    return found.get === expected.get && found.set === expected.set;
  }

  function restoreObject({ object, prototype, keys, known, descriptors }) {
    const present = ownKeys(object);
    for (let i = 0; i < present.length; i++) {
      if (!kit.apply(has, known, [present[i]]) && !deleteProperty(object, present[i])) return false;
    }
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] !== kit.PER_RUN && !hasDescriptor(object, keys[i], descriptors[i])) {
        if (!defineProperty(object, keys[i], descriptors[i])) return false;
      }
    }
    return setPrototypeOf(object, prototype);
  }

  function recordOf(object) {
    const keys = ownKeys(object);
    const descriptors = keys.map((key) => withoutPrototype(getOwnPropertyDescriptor(object, key)));
    return {
      __proto__: null,
      object,
      prototype: getPrototypeOf(object),
      keys,
      known: new Set(keys),
      descriptors,
      enumerable: kit.keys(object).length,
      symbols: getOwnPropertySymbols(object).length,
    };
  }

  function withoutPrototype(descriptor) {
    setPrototypeOf(descriptor, null);
    return descriptor;
  }
});
