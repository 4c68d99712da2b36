// What a script writes beside an async function of V8.Inbox.Once is in the same savepoint: undone with it, although its
// call said Code 1. Seen are calls made before anything has waited, and async ones without an answer when the key is taken.
(function defineOnceBeside(kit) {
  const FAMILIES = { __proto__: null, FormEngine: 1, Db: 1, DbTrans: 1, MQ: 1, MQTT: 1, ApiEngine: 1, MongoDb: 1 };

  // Begins before the function of Once, so that what that does after a wait comes later. The answer is called when the
  // function has given a promise.
  kit.watchBesideOnce = (run) => {
    const job = { __proto__: null, over: false };
    endJob(run, job);
    return (crossed) => {
      run.inbox.beside = !job.over;
      run.inbox.crossed = crossed;
    };
  };

  async function endJob(run, job) {
    await undefined;
    job.over = true;
    run.inbox.beside = false;
  }

  kit.noteBesideOnce = (run, name, args) => {
    if (run.inbox?.beside && kit.writesInTransaction(name, args)) run.inbox.crossed = true;
  };

  kit.writesInTransaction = (name, args) => {
    const dot = kit.lastIndexOf(name, '.');
    if (FAMILIES[kit.slice(name, 0, dot)] === undefined) return false;
    const member = kit.slice(name, dot + 1);
    if (member === 'FromSql') return kit.indexOf(args, '"Ending":"ExecuteNonQuery"') >= 0;
    return member !== 'NewId' && !kit.startsWith(member, 'Get');
  };

  // A run whose writes were undone so fails.
  kit.refuseCrossedOnce = (run) => {
    if (!run.inbox.crossed || run.inbox.depth > 0) return;
    const error = kit.onceMisuse(
      '它被撤销时，未等它结束的其他写入也已撤销：请先 await 之前的写入，再 await 它',
      'what was written beside it was undone with it: await the writes before it, then await it',
    );
    kit.failRun(run, error);
    throw error;
  };

  // A script that ends in the middle of a Once: half of it must not be kept.
  kit.openOnce = (run) =>
    run.inbox !== undefined && run.inbox.depth > 0
      ? kit.onceMisuse('Once 尚未结束就返回，请 await 它', 'await it before the end')
      : undefined;

  kit.onceMisuse = (zh, en) => new kit.ErrorConstructor(`V8.Inbox.Once: ${zh} / ${en}`);
});
