// Which built-in objects scripts may change for the rest of their run, and which are frozen (sandbox.md 3). Freezing all
// would break what scripts do every day: polyfills on prototypes, `o.toString = …`, ES5 subclasses of errors.
(function sortIntrinsics(kit) {
  const { getPrototypeOf, getOwnPropertyDescriptor } = Object;
  const OPEN = [
    ...[
      'Object',
      'Function',
      'Array',
      'String',
      'Number',
      'Boolean',
      'BigInt',
      'Date',
      'RegExp',
      'Promise',
      'Map',
      'Set',
    ],
    ...['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError', 'AggregateError'],
  ];

  kit.openObjects = [globalThis, Math, JSON];
  for (const name of OPEN) kit.openObjects.push(globalThis[name], globalThis[name].prototype);

  const open = new Set(kit.openObjects);
  for (const object of reachable()) if (!open.has(object)) kit.freeze(object);

  // Every context pays for this walk, so it makes as little garbage as it can.
  function reachable() {
    const found = new Set();
    const waiting = [globalThis, ...kit.hiddenIntrinsics()];
    const add = (value) => {
      if (kit.isObject(value) && !found.has(value)) waiting.push(value);
    };
    while (waiting.length > 0) {
      const object = waiting.pop();
      if (found.has(object)) continue;
      found.add(object);
      add(getPrototypeOf(object));
      const keys = kit.ownKeys(object);
      for (let i = 0; i < keys.length; i++) {
        const descriptor = getOwnPropertyDescriptor(object, keys[i]);
        add(descriptor.value);
        add(descriptor.get);
        add(descriptor.set);
      }
    }
    return found;
  }
});
