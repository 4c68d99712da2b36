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

  function reachable() {
    const found = new Set();
    const waiting = [globalThis, ...hiddenPrototypes(), ...accessorsOfStack()];
    while (waiting.length > 0) {
      const object = waiting.pop();
      if (!kit.isObject(object) || found.has(object)) continue;
      found.add(object);
      waiting.push(getPrototypeOf(object));
      for (const key of Reflect.ownKeys(object)) {
        const { value, get, set } = getOwnPropertyDescriptor(object, key);
        waiting.push(value, get, set);
      }
    }
    return found;
  }

  // What no property leads to: the prototypes behind syntax and behind iterators.
  function hiddenPrototypes() {
    const segments = new Intl.Segmenter().segment('a');
    const samples = [
      async () => {},
      function* () {},
      async function* () {},
      (function* () {})(),
      (async function* () {})(),
      [][Symbol.iterator](),
      ''[Symbol.iterator](),
      new Map()[Symbol.iterator](),
      new Set()[Symbol.iterator](),
      ''.matchAll(/x/g),
      [].values().map(kit.isObject),
      Iterator.from({ __proto__: null, next: kit.isObject }),
      Iterator.concat(),
      segments,
      segments[Symbol.iterator](),
    ];
    return samples.map((sample) => getPrototypeOf(sample));
  }

  // Every error has `stack` as a property of its own; the two functions behind it are the same for all.
  function accessorsOfStack() {
    const { get, set } = getOwnPropertyDescriptor(new Error(), 'stack');
    return [get, set];
  }
});
