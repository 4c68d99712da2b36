// setTimeout and clearTimeout (v8-surface.md 6.7): callbacks run one after another when the script itself has come to
// rest, and before its run is over. There is no setInterval.
(function defineTimers(kit) {
  const MAX_PENDING = 256;

  kit.defineGlobal('setTimeout', kit.publicFunction('setTimeout', setTimer));
  kit.defineGlobal('clearTimeout', kit.publicFunction('clearTimeout', clearTimer));

  // The run's pending timers by id. Made at the first one: most runs have none.
  function timersOf(run) {
    run.timers ??= { __proto__: null, pending: { __proto__: null }, count: 0, lastId: 0 };
    return run.timers;
  }

  function setTimer(callback, delay, ...values) {
    const run = kit.cur;
    if (typeof callback !== 'function') {
      throw new kit.TypeErrorConstructor('setTimeout: 第一个参数必须是函数 / the first argument must be a function');
    }
    const milliseconds = kit.number(delay);
    if (run.over) {
      kit.noteLate(run, 'setTimeout');
      return 0;
    }
    const timers = timersOf(run);
    if (timers.count >= MAX_PENDING) {
      throw new kit.RangeErrorConstructor(`setTimeout: 最多 ${MAX_PENDING} 个待执行 / at most ${MAX_PENDING} pending`);
    }
    timers.lastId += 1;
    timers.count += 1;
    const due = kit.now() + (milliseconds > 0 ? kit.trunc(kit.min(milliseconds, 2 ** 31)) : 0);
    timers.pending[timers.lastId] = { __proto__: null, due, callback, values };
    if (run.box[4] < 0 || due < run.box[4]) run.box[4] = due;
    return timers.lastId;
  }

  function clearTimer(id) {
    const run = kit.cur;
    if (run.timers === undefined || (typeof id !== 'number' && typeof id !== 'string')) return;
    if (run.timers.pending[id] !== undefined) remove(run, id);
  }

  function remove(run, id) {
    delete run.timers.pending[id];
    run.timers.count -= 1;
    const first = firstOf(run);
    run.box[4] = first === undefined ? -1 : run.timers.pending[first].due;
  }

  // Keys that are numbers come in rising order, so of two with the same time the older one is first.
  function firstOf(run) {
    let first;
    for (const id in run.timers.pending) {
      if (first === undefined || run.timers.pending[id].due < run.timers.pending[first].due) first = id;
    }
    return first;
  }

  // Runs the timer that is due first. What it throws, or its promise rejects with, fails the run.
  kit.runTimer = (run) => {
    const id = run.timers === undefined ? undefined : firstOf(run);
    if (id === undefined || run.timers.pending[id].due > kit.now()) return;
    const { callback, values } = run.timers.pending[id];
    remove(run, id);
    try {
      const value = kit.apply(callback, undefined, values);
      if (kit.isObject(value) && typeof value.then === 'function') follow(run, value);
    } catch (error) {
      fail(run, error);
    }
  };

  async function follow(run, promise) {
    try {
      await promise;
    } catch (error) {
      fail(run, error);
    }
  }

  function fail(run, error) {
    if (!run.over) kit.failRun(run, error);
  }

  kit.dropTimers = (run) => {
    if (run.timers !== undefined && run.timers.count > 0) kit.noteLate(run, `setTimeout × ${run.timers.count}`);
    run.timers = undefined;
    run.box[4] = -1;
  };
});
