// Runs a script to its end and tells the lane how it ended. The first end counts: what floats on afterwards cannot
// change it.
(function defineExecute(kit) {
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

  // The lane's one entry of a run. `call`, `refuse`, `log` and `settle` are the lane's functions; they never throw and
  // stay in this closure. Caps are characters here, bytes in the lane.
  kit.begin = (script, inputJson, argumentBytes, resultBytes, logBytes, call, refuse, log, settle) => {
    kit.cur = { __proto__: null, caps: { __proto__: null, argumentBytes, resultBytes, logBytes } };
    kit.bridge = { __proto__: null, call, refuse, log, settle };
    execute(script, kit.makeV8(kit.parse(inputJson)));
  };

  function execute(script, v8) {
    kit.defineHidden(globalThis, 'V8', v8);
    try {
      const value = script();
      if (isThenable(value)) kit.onSettled(kit.resolve(value), (settled) => end(settled, v8), endThrown);
      else end(value, v8);
    } catch (error) {
      endThrown(error);
    }
  }

  function isThenable(value) {
    return kit.isObject(value) && typeof value.then === 'function';
  }

  function end(value, v8) {
    let json;
    try {
      const result = value === undefined ? v8.Result : value;
      if (result === undefined) return kit.bridge.settle('nothing', '', '', '');
      json = kit.stringify(result);
      if (json === undefined) return kit.bridge.settle('unwritable', typeof result, '', '');
    } catch (error) {
      return kit.bridge.settle('unwritable', kit.describe(error, 500), '', '');
    }
    if (json.length > kit.cur.caps.resultBytes) return kit.bridge.settle('too-large', kit.string(json.length), '', '');
    return kit.bridge.settle('returned', json, '', '');
  }

  function endThrown(error) {
    const { name, message, stack } = kit.describeThrown(error);
    kit.bridge.settle('threw', name, message, stack);
  }
});
