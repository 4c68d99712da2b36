// What the open objects were like before any script, and the exact comparison with it: every property with its flags.
(function recordOpenObjects(kit) {
  const { isExtensible, getPrototypeOf, getOwnPropertyDescriptor } = Object;
  const { defineProperty, deleteProperty, setPrototypeOf } = Reflect;

  // The global that every run has its own of.
  kit.PER_RUN = 'V8';
  kit.records = [];
  for (let i = 0; i < kit.openObjects.length; i++) kit.records[i] = kit.recordOf(kit.openObjects[i]);
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

  function isSameObject(record) {
    const { object, prototype, keys } = record;
    if (getPrototypeOf(object) !== prototype || !isExtensible(object)) return false;
    if (kit.ownKeys(object).length !== keys.length) return false;
    for (let i = 0; i < keys.length; i++) if (keys[i] !== kit.PER_RUN && !isSameProperty(record, i)) return false;
    return true;
  }

  function isSameProperty(record, i) {
    const { object, keys, flags, values, setters } = record;
    const found = getOwnPropertyDescriptor(object, keys[i]);
    if (found === undefined || kit.flagsOf(found) !== flags[i]) return false;
    if (kit.isAccessor(record, i)) return found.get === values[i] && found.set === setters[i];
    return kit.is(found.value, values[i]);
  }

  function restoreObject(record) {
    const { object, prototype, keys } = record;
    const present = kit.ownKeys(object);
    for (let i = 0; i < present.length; i++) {
      if (!isAmong(keys, present[i]) && !deleteProperty(object, present[i])) return false;
    }
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] !== kit.PER_RUN && !isSameProperty(record, i)) {
        if (!defineProperty(object, keys[i], kit.descriptorOf(record, i))) return false;
      }
    }
    return setPrototypeOf(object, prototype);
  }

  function isAmong(keys, key) {
    for (let i = 0; i < keys.length; i++) if (keys[i] === key) return true;
    return false;
  }
});
