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
  let checks;

  // True when the context is as it was made, or could be made so again.
  kit.makeClean = () => {
    if (!used) {
      used = true;
      return true;
    }
    checks ??= kit.makeIdentityChecks();
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
    for (let i = 0; i < checks.length; i++) if (!checks[i]()) return false;
    return true;
  }
});
