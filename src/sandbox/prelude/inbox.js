// V8.Inbox.Once(key, fn): `fn` runs between two host calls, the claim of the key and the word whether its effects stay.
(function defineInbox(kit) {
  const misuse = kit.onceMisuse;
  const begin = kit.makeHostCall('Inbox.Begin', 'Begin');
  const end = kit.makeHostCall('Inbox.End', 'End');
  kit.addFamilyMember('Inbox.Once', kit.publicFunction('Once', once));

  function once(key, fn) {
    if (typeof fn !== 'function') throw misuse('第二个参数须为函数', 'its second argument is a function');
    const run = kit.cur;
    run.inbox ??= { __proto__: null, depth: 0, waits: false, beside: false, crossed: false };
    if (run.inbox.waits) throw misuse('请先 await 前一个 Once', 'await the Once before first');
    const crossed = run.calls !== undefined && run.calls.writes > 0;
    const begun = begin(key);
    if (begun.Code !== 1 || !begun.DataAppend.Ran) return begun;
    run.inbox.depth += 1;
    if (run.inbox.depth === 1) run.inbox.crossed = false;
    const beside = kit.watchBesideOnce(run);
    let value;
    let waits;
    try {
      value = fn();
      waits = isPromise(value);
    } catch (error) {
      leave(run, false);
      throw error;
    }
    if (!waits) return decide(run, value);
    return followOnce(run, value, () => beside(crossed));
  }

  // Savepoints end in the reverse order, which nobody can promise of functions that wait beside each other.
  function followOnce(run, promise, watch) {
    if (run.inbox.depth === 1) {
      run.inbox.waits = true;
      watch();
      return settle(run, promise);
    }
    leave(run, false);
    throw misuse('Once 之内的函数不能是 async', 'a function inside of another Once is not async');
  }

  async function settle(run, promise) {
    let value;
    try {
      value = await promise;
    } catch (error) {
      run.inbox.waits = false;
      leave(run, false);
      kit.refuseCrossedOnce(run);
      throw error;
    }
    run.inbox.waits = false;
    return decide(run, value);
  }

  // A result that says no is the caller's answer; everything else is Data of the success.
  function decide(run, value) {
    let no = true;
    let answer;
    try {
      no = saysNo(value);
    } finally {
      // Reading the result may throw.
      answer = leave(run, !no);
    }
    if (no) kit.refuseCrossedOnce(run);
    if (no) return value;
    if (answer.Code === 1 && value !== undefined) answer.Data = value;
    return answer;
  }

  function saysNo(value) {
    if (!kit.isObject(value)) return false;
    const code = value.Code;
    return code !== undefined && code !== null && code !== 1 && code !== '1';
  }

  function isPromise(value) {
    return kit.isObject(value) && typeof value.then === 'function';
  }

  function leave(run, keep) {
    run.inbox.depth -= 1;
    return end(keep);
  }
});
