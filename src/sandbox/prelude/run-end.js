// How a run ends, written into its box (execute.js).
(function defineRunEnd(kit) {
  // The script returned. Only the first end counts.
  kit.endRun = (run, v8, value) => {
    if (run.box[0] !== '?') return;
    const unfinished = kit.openOnce(run);
    if (unfinished !== undefined) return kit.failRun(run, unfinished);
    let json;
    try {
      let result = value === undefined ? v8.Result : value;
      if (run.event !== undefined) result = kit.eventResult(run, v8, result);
      if (result === undefined) return kit.reportEnd(run, '0', '', '', '');
      json = kit.stringify(result);
      if (json === undefined) return endUnwritable(run, typeof result);
    } catch (error) {
      return endUnwritable(run, kit.describe(error, 500));
    }
    if (json.length <= run.caps.resultBytes) return kit.reportEnd(run, '=', json, '', '');
    kit.reportEnd(run, 'L', kit.string(json.length), '', '');
    stop(run);
  };

  function endUnwritable(run, why) {
    kit.reportEnd(run, 'u', why, '', '');
    stop(run);
  }

  // Ends the run as failed, whatever it returned before.
  kit.failRun = (run, error) => {
    const { name, message, stack } = kit.describeThrown(error);
    kit.reportEnd(run, '!', name, message, stack);
    stop(run);
  };

  // Something that a finished run still wants to do; the author is told.
  kit.noteLate = (run, text) => {
    if (run.box[7].length < 500) run.box[7] += `${text}\n`;
  };

  kit.reportEnd = (run, state, first, second, third) => {
    run.box[0] = state;
    run.box[1] = first;
    run.box[2] = second;
    run.box[3] = third;
  };

  // A run that failed does nothing more: its timers and the calls that were not sent yet are dropped.
  function stop(run) {
    run.over = true;
    kit.dropTimers(run);
    kit.dropCalls(run);
  }
});
