// Built-in objects that a walk of the global's properties misses.
(function findHiddenIntrinsics(kit) {
  const { getPrototypeOf, getOwnPropertyDescriptor } = Object;

  kit.hiddenIntrinsics = () => [...kit.guardedGlobals, ...hiddenPrototypes(), ...accessorsOfStack()];

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
