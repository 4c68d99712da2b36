// Runs a script to its end and tells the lane how it ended. The first end counts: what floats on afterwards cannot
// change it, except that a failing timer fails the run.
//
// The lane reads a run's `box`, an array, after every entry, when the microtasks have drained:
//   0 state: ? unsettled, = returned, 0 nothing, ! threw, u unwritable, L too large, . reported before, d dirty context
//   1 to 3 texts of the state · 4 when the next timer is due (ms UTC, -1 none) · 5 new async calls, a line each
//   6 async calls without an answer · 7 late effects, a line each
(function defineExecute(kit) {
  const DIRTY = ['d'];

  // Refuses a source that closes the function around it: the constructor parses it as a function body by itself.
  kit.checkBody = (source, isAsync) => {
    try {
      if (isAsync) new kit.AsyncFunctionConstructor(source);
      else new kit.FunctionConstructor(source);
      return '';
    } catch (error) {
      return kit.describe(error, 500);
    }
  };

  // Once per context: the lane's functions, which never throw, and the engine, a function that makes its script.
  kit.install = (factory, isAsync, call, refuse, log) => {
    kit.factory = factory;
    kit.isAsync = isAsync;
    kit.bridge = { __proto__: null, call, refuse, log };
  };

  // The first entry of a run. Caps are characters here, bytes in the lane.
  kit.begin = (inputJson, argumentBytes, resultBytes, logBytes) => {
    if (!kit.makeClean()) return DIRTY;
    const run = {
      __proto__: null,
      caps: { __proto__: null, argumentBytes, resultBytes, logBytes },
      box: ['?', '', '', '', -1, '', 0, ''],
      over: false,
    };
    kit.cur = run;
    const input = kit.parse(inputJson);
    const v8 = kit.makeV8(input);
    kit.enterEvent(run, v8, input.TableEvent);
    try {
      kit.defineHidden(globalThis, 'V8', v8);
    } catch {
      // A run before made it unchangeable.
      return DIRTY;
    }
    if (run.event?.rows !== undefined) follow(run, v8, kit.filterRows(run, v8, kit.factory()));
    else execute(run, v8, kit.factory());
    return run.box;
  };

  // Every further entry: answers of async calls, or else the timer that is due.
  kit.step = (answers) => {
    const run = kit.cur;
    if (run.box[0] !== '?') kit.reportEnd(run, '.', '', '', '');
    kit.markSent(run);
    run.box[7] = '';
    if (answers === '') kit.runTimer(run);
    else kit.deliverAnswers(run, answers);
    return run.box;
  };

  // For an entry that threw on its way out, because of a rejection that nobody handled.
  kit.readBox = () => kit.cur.box;

  function execute(run, v8, script) {
    try {
      const value = script();
      // An async function's promise is one also when the script has broken Promise.prototype.
      if (kit.isAsync || (kit.isObject(value) && typeof value.then === 'function')) follow(run, v8, value);
      else kit.endRun(run, v8, value);
    } catch (error) {
      endThrown(run, error);
    }
  }

  async function follow(run, v8, promise) {
    try {
      kit.endRun(run, v8, await promise);
    } catch (error) {
      endThrown(run, error);
    }
  }

  function endThrown(run, error) {
    if (run.box[0] === '?') kit.failRun(run, error);
  }
});
