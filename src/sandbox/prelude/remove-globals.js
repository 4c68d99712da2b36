// These can run code after the microtasks have drained, measure time by shared memory, or make executable memory.
(function removeGlobals() {
  delete globalThis.WebAssembly;
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  delete globalThis.FinalizationRegistry;
  delete globalThis.WeakRef;
  // V8's own writes nowhere.
  delete globalThis.console;
});
