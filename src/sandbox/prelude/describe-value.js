// Reads values that a script threw or logged. Reading runs script code (getters, Proxy traps, toString), so it may
// throw or loop: the first is caught here, the second ends by the run's limits.
(function defineValueReaders(kit) {
  const UNREADABLE = '[unreadable]';

  kit.isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  // Cuts before anything is joined to it, so that no huge string is ever built from a script's.
  kit.cut = (text, cap) => (text.length > cap ? `${kit.slice(text, 0, cap)}…` : text);

  // JSON for objects, `name: message` for errors (JSON would print them as {}), text for everything else.
  kit.describe = (value, cap) => {
    try {
      if (!kit.isObject(value)) return kit.cut(kit.string(value), cap);
      if (kit.isError(value))
        return kit.cut(`${readText(value, 'name', 100)}: ${readText(value, 'message', cap)}`, cap);
      const json = kit.stringify(value);
      return kit.cut(json === undefined ? kit.string(value) : json, cap);
    } catch {
      return UNREADABLE;
    }
  };

  // What was thrown; the name is empty when it was no error.
  kit.describeThrown = (thrown) => {
    if (!kit.isObject(thrown)) return plainThrown(thrown);
    const name = readText(thrown, 'name', 100);
    const message = readText(thrown, 'message', 2000);
    const stack = readText(thrown, 'stack', 8000);
    if (stack === '' && message === '') return plainThrown(thrown);
    return { __proto__: null, name, message, stack };
  };

  function plainThrown(thrown) {
    return { __proto__: null, name: '', message: kit.describe(thrown, 2000), stack: '' };
  }

  function readText(object, key, cap) {
    try {
      const value = object[key];
      return typeof value === 'string' ? kit.cut(value, cap) : '';
    } catch {
      return UNREADABLE;
    }
  }
});
