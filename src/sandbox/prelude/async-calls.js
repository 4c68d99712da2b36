// The `Async` twins of host calls. A call waits in the run's box until the microtasks have drained: the lane then sends
// all that were made meanwhile at once, and later brings the answers.
(function defineAsyncCalls(kit) {
  kit.makeAsyncCall = (name, member) => kit.publicFunction(`${member}Async`, callHostAsync, name);

  function callHostAsync(name, ...values) {
    const run = kit.cur;
    const { args, refusal } = kit.prepareCall(run, name, values);
    if (refusal !== undefined) return kit.resolve(refusal);
    run.calls ??= { __proto__: null, resolvers: { __proto__: null }, lastId: 0, unsent: 0, writes: 0 };
    const { calls } = run;
    calls.lastId += 1;
    const id = calls.lastId;
    calls.unsent += 1;
    run.box[5] += `${id} ${name} ${args}\n`;
    run.box[6] += 1;
    const writes = kit.writesInTransaction(name, args);
    if (writes) calls.writes += 1;
    return new kit.PromiseConstructor((resolve) => {
      calls.resolvers[id] = { __proto__: null, resolve, writes };
    });
  }

  // `answers` has a line for each: the call's id, a space, JSON.
  kit.deliverAnswers = (run, answers) => {
    for (let at = 0; at < answers.length; ) {
      const found = kit.indexOf(answers, '\n', at);
      const end = found < 0 ? answers.length : found;
      const space = kit.indexOf(answers, ' ', at);
      deliver(run, kit.slice(answers, at, space), kit.slice(answers, space + 1, end));
      at = end + 1;
    }
  };

  function deliver(run, id, json) {
    const { resolve, writes } = run.calls.resolvers[id];
    delete run.calls.resolvers[id];
    if (writes) run.calls.writes -= 1;
    run.box[6] -= 1;
    resolve(kit.parse(json));
  }

  // The lane has read the box and sends what is in it.
  kit.markSent = (run) => {
    run.box[5] = '';
    if (run.calls !== undefined) run.calls.unsent = 0;
  };

  kit.dropCalls = (run) => {
    if (run.calls !== undefined && run.calls.unsent > 0) kit.noteLate(run, `Async × ${run.calls.unsent}`);
    run.box[5] = '';
    run.box[6] = 0;
  };
});
