// These can run code after the microtasks have drained, measure time by shared memory, make executable memory, or are
// so many objects that proving them unchanged would cost every engine's first run.
(function removeGlobals() {
  delete globalThis.WebAssembly;
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  delete globalThis.FinalizationRegistry;
  delete globalThis.WeakRef;
  delete globalThis.Temporal;
  delete globalThis.DisposableStack;
  delete globalThis.AsyncDisposableStack;
  // V8's own writes nowhere.
  delete globalThis.console;
});
