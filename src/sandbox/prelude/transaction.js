// `V8.DbTrans` stands for the run's platform transaction when a script passes it on; the host decides when it commits.
// What scripts do to end it themselves is ignored, as on the platform, and said to their author once a run.
(function defineTransaction(kit) {
  kit.transaction = kit.familyAt('DbTrans');
  const MEMBERS = ['Commit', 'Rollback', 'Close', 'Dispose'];
  for (let i = 0; i < MEMBERS.length; i++) {
    kit.addFamilyMember(`DbTrans.${MEMBERS[i]}`, kit.publicFunction(MEMBERS[i], ignore, MEMBERS[i]));
  }

  function ignore(member) {
    if (kit.cur.toldOfTransaction) return;
    kit.cur.toldOfTransaction = true;
    kit.bridge.log(
      'warn',
      `V8.DbTrans.${member}(): 已忽略，平台按返回值提交或回滚 / ignored, the result decides whether the platform commits`,
    );
  }
});
