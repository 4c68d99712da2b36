// Proves at the start of a run that the runs before it in this context have left nothing (sandbox.md 3). What is not an
// open object (intrinsics.js) is frozen. Runs that touched no definer are checked the short way: numbers of keys, of
// symbols if the run may have had one, prototypes, extensibility, and the identity of every value. Otherwise every
// property is compared with its flags.
(function defineCleanCheck(kit) {
  const { isExtensible, getPrototypeOf } = Object;
  const { records } = kit;
  const count = records.length;
  const ANYTHING = /(?:)/;
  const { exec } = RegExp.prototype;

  let used = false;
  let checks;

  // True when the context is as it was made, or could be made so again.
  kit.makeClean = () => {
    if (!used) {
      used = true;
      return true;
    }
    checks ??= kit.makeIdentityChecks();
    if (checks === undefined) return false;
    // Clears RegExp.$1 and its like.
    kit.apply(exec, ANYTHING, ['']);
    const { tainted, symbols } = kit.gate;
    if (!tainted && hasSameShape() && (!symbols || hasSameSymbols()) && hasSameValues()) return forget();
    if (tainted && kit.isAsRecorded()) return forget();
    return kit.restoreRecorded() && kit.isAsRecorded() && forget();
  };

  function forget() {
    kit.gate.tainted = false;
    kit.gate.symbols = false;
    return true;
  }

  function hasSameShape() {
    for (let i = 0; i < count; i++) {
      const { object, prototype, enumerable } = records[i];
      if (kit.keys(object).length !== enumerable) return false;
      if (getPrototypeOf(object) !== prototype || !isExtensible(object)) return false;
    }
    return true;
  }

  function hasSameSymbols() {
    for (let i = 0; i < count; i++) {
      if (kit.getOwnPropertySymbols(records[i].object).length !== records[i].symbols) return false;
    }
    return true;
  }

  function hasSameValues() {
    for (let i = 0; i < checks.length; i++) if (!checks[i]()) return false;
    return true;
  }
});
