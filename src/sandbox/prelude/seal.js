// Runs last: what the parts have made is complete and cannot be changed by a script.
(function sealPrelude(kit) {
  kit.sealMembers();
});
