// What the parts about texts, bytes, numbers and moments call: captured before any script, as in primordials.js.
(function captureValuePrimordials(kit) {
  const { uncurryThis } = kit;
  const { defineProperty } = Object;

  kit.ownProperty = Object.getOwnPropertyDescriptor;
  kit.defineVisible = (target, key, value) =>
    defineProperty(target, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  kit.defineVisibleGetter = (target, key, get) =>
    defineProperty(target, key, { __proto__: null, get, enumerable: true, configurable: true });
  kit.defineGetter = (target, key, read) =>
    kit.defineVisibleGetter(target, key, kit.publicFunction(`get ${key}`, read, key));

  kit.indexOf = uncurryThis(String.prototype.indexOf);
  kit.replaceAll = uncurryThis(String.prototype.replaceAll);
  kit.charCodeAt = uncurryThis(String.prototype.charCodeAt);
  kit.fromCharCode = String.fromCharCode;

  kit.Uint8ArrayConstructor = Uint8Array;
  kit.fromBase64 = Uint8Array.fromBase64;
  kit.toBase64 = uncurryThis(Uint8Array.prototype.toBase64);
  kit.subarray = uncurryThis(Uint8Array.prototype.subarray);
  kit.arraySlice = uncurryThis(Array.prototype.slice);

  kit.NaN = NaN;
  kit.BigInt = BigInt;
  kit.max = Math.max;
  kit.math = captureMath();

  kit.now = Date.now;
  kit.date.getTimezoneOffset = uncurryThis(Date.prototype.getTimezoneOffset);
  kit.date.setHours = uncurryThis(Date.prototype.setHours);

  function captureMath() {
    const math = { __proto__: null, PI: Math.PI, E: Math.E, ceil: Math.ceil };
    const names = ['abs', 'floor', 'max', 'min', 'pow', 'sqrt', 'sign', 'exp', 'log10'];
    for (const name of names) math[name] = Math[name];
    return math;
  }
});
