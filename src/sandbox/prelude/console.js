// console: every call is one line of the run's log. The lane counts lines and bytes; here only the length that may
// cross at all is cut.
(function defineConsole(kit) {
  const LEVELS = ['log', 'info', 'warn', 'error'];

  function write(level, ...values) {
    const cap = kit.cur.caps.logBytes;
    let line = '';
    for (let i = 0; i < values.length && line.length <= cap; i++) {
      line += `${i > 0 ? ' ' : ''}${kit.describe(values[i], cap)}`;
    }
    kit.bridge.log(level, kit.cut(line, cap));
  }

  const console = {};
  for (let i = 0; i < LEVELS.length; i++) console[LEVELS[i]] = kit.publicFunction(LEVELS[i], write, LEVELS[i]);
  kit.defineGlobal('console', kit.freeze(console));
});
