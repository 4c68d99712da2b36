// Only these six can add a property that does not show up among the enumerable keys, or change the flags of one. They
// note that they were called; a run that called none of them is proved clean the short way (clean-check.js).
(function guardDefiners(kit) {
  kit.gate = { __proto__: null, tainted: false };

  // A proxy forwards `this`, has no source to read and keeps name and length.
  function guard(owner, name, adjust) {
    const trap = (target, self, values) => {
      kit.gate.tainted = true;
      return kit.apply(target, self, adjust === undefined ? values : adjust(values, trap));
    };
    const handler = kit.freeze({ __proto__: null, apply: trap });
    kit.defineHidden(owner, name, new Proxy(kit.freeze(owner[name]), handler));
  }

  guard(Object, 'defineProperty');
  guard(Object, 'defineProperties');
  guard(Reflect, 'defineProperty');
  guard(Object.prototype, '__defineGetter__');
  guard(Object.prototype, '__defineSetter__');
  // The stack of the object begins below this function, unless the script says where.
  guard(Error, 'captureStackTrace', (values, trap) =>
    values.length === 1 ? { __proto__: null, length: 2, 0: values[0], 1: trap } : values,
  );
});
