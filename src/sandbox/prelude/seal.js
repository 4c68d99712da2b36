// What the parts have made for scripts is complete now and cannot be changed by a script.
(function sealPrelude(kit) {
  // Its place in a run; a script may assign it, but the next run has its own.
  kit.defineGlobal('V8', undefined);
  kit.sealMembers();
});
