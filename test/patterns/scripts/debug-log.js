/**
 * Collects what happens and returns it only when the caller asks; what fails is written to the system log.
 *
 * @engineKey debug-log
 */
var log = [];
var startedAt = Date.now();
function note(name, value) {
  log.push({ At: Date.now() - startedAt, Name: name, Value: value });
}
var result;
try {
  note('param', V8.Param);
  if (V8.Param.Amount === undefined) throw new TypeError('Amount is missing');
  result = { Code: 1, Data: { Total: V8.Param.Amount * 2 } };
} catch (error) {
  note('error', { Message: error.message, Stack: error.stack, Line: error.lineNumber || null });
  V8.Method.AddSysLog({ Type: 'debug', Title: 'debug-log failed', Content: error.message, Level: 3 });
  result = { Code: 0, Msg: error.message };
}
if (V8.Param._Debug) result.DataAppend = { DebugLog: log };
return result;
