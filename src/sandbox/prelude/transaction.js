// `V8.DbTrans` stands for the run's platform transaction when a script passes it on; the host decides when it commits.
(function defineTransaction(kit) {
  kit.transaction = kit.familyAt('DbTrans');
  const nothing = () => undefined;
  const MEMBERS = ['Commit', 'Rollback', 'Close', 'Dispose'];
  for (let i = 0; i < MEMBERS.length; i++) {
    kit.addFamilyMember(`DbTrans.${MEMBERS[i]}`, kit.publicFunction(MEMBERS[i], nothing));
  }
});
