// What an object's properties are like before any script: a few flat arrays per object. Every context has them for all
// open objects, and 500 descriptors would weigh more than the rest of the prelude.
(function recordProperties(kit) {
  const { getPrototypeOf, getOwnPropertyDescriptor } = Object;

  // What a property is; else it is not.
  const WRITABLE = 1;
  const ENUMERABLE = 2;
  const CONFIGURABLE = 4;
  const ACCESSOR = 8;

  kit.recordOf = (object) => {
    const keys = kit.ownKeys(object);
    const flags = [];
    // Or getters, of accessors.
    const values = [];
    const setters = { __proto__: null };
    for (let i = 0; i < keys.length; i++) {
      const descriptor = getOwnPropertyDescriptor(object, keys[i]);
      flags[i] = kit.flagsOf(descriptor);
      values[i] = flags[i] & ACCESSOR ? descriptor.get : descriptor.value;
      if (flags[i] & ACCESSOR) setters[i] = descriptor.set;
    }
    const enumerable = kit.keys(object).length;
    const symbols = kit.getOwnPropertySymbols(object).length;
    return {
      __proto__: null,
      object,
      prototype: getPrototypeOf(object),
      keys,
      flags,
      values,
      setters,
      enumerable,
      symbols,
    };
  };

  // Only what a descriptor has itself is read, or a value on Object.prototype would answer.
  kit.flagsOf = (descriptor) => {
    const flags = (descriptor.enumerable ? ENUMERABLE : 0) | (descriptor.configurable ? CONFIGURABLE : 0);
    return flags | (kit.hasOwn(descriptor, 'get') ? ACCESSOR : descriptor.writable ? WRITABLE : 0);
  };

  kit.isAccessor = ({ flags }, i) => (flags[i] & ACCESSOR) !== 0;
  kit.isChangeable = ({ flags }, i) => (flags[i] & (CONFIGURABLE | WRITABLE)) !== 0;

  // The descriptor that makes the property again.
  kit.descriptorOf = ({ flags, values, setters }, i) => {
    const enumerable = (flags[i] & ENUMERABLE) !== 0;
    const configurable = (flags[i] & CONFIGURABLE) !== 0;
    if ((flags[i] & ACCESSOR) !== 0) {
      return { __proto__: null, get: values[i], set: setters[i], enumerable, configurable };
    }
    return { __proto__: null, value: values[i], writable: (flags[i] & WRITABLE) !== 0, enumerable, configurable };
  };
});
