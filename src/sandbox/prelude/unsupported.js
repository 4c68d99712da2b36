// Members of the platform that this host does not have (protocol/unsupported-members.ts): each answers by a DosResult
// that says so. They exist, so that a script that calls one fails with a sentence.
(function defineUnsupported(kit) {
  for (let i = 0; i < kit.unsupported.length; i++) {
    const { family, members, instead, promises, twins, global } = kit.unsupported[i];
    for (let k = 0; k < members.length; k++) {
      add(family, members[k], instead, promises ? refuseLater : refuseNow);
      if (twins) add(family, `${members[k]}Async`, instead, refuseLater);
    }
    // The same frozen object; a script may have a variable of that name.
    if (global) kit.defineGlobal(family, kit.familyAt(family));
  }

  function add(family, name, instead, answer) {
    const row = kit.freeze({ __proto__: null, member: `${family}.${name}`, instead });
    kit.addFamilyMember(row.member, kit.publicFunction(name, answer, row));
  }

  function refuseNow(row, ...values) {
    return kit.refuse('MEMBER_UNSUPPORTED', row, values);
  }

  async function refuseLater(row, ...values) {
    return kit.refuse('MEMBER_UNSUPPORTED', row, values);
  }
});
