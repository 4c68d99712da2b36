/**
 * Creates a shop step by step, one at a time by a lock in the cache. Callers of old versions get an answer at once and
 * the work is done by a timer; the others wait for it. Progress is told through the cache.
 *
 * @engineKey tenant-create
 */
var key = String(V8.Param.Key || '').toLowerCase();
if (!/^[a-z][a-z0-9-]{2,19}$/.test(key)) return { Code: 0, Msg: 'Key: 3 to 20 letters, digits and -' };
var lock = { Key: key, By: V8.Param._BackgroundTaskAttempt || 1, At: DateNow() };
if (V8.Cache.SetIfNotExists('create-lock:' + key, JSON.stringify(lock), 120) !== true) {
  return { Code: 2, Msg: 'busy', Data: JSON.parse(V8.Cache.Get('create-lock:' + key)).By };
}
function progress(step) {
  V8.Cache.Set('create-progress:' + key, JSON.stringify({ Step: step, At: DateNow() }), 600);
}
function work() {
  progress('tables');
  var made = V8.ApiEngine.Run('tenant-create-step', { Key: key }, V8.DbTrans);
  progress(made && made.Code === 1 ? 'done' : 'failed');
  V8.Cache.Remove('create-lock:' + key);
  return made;
}
progress('queued');
if (!V8.Param.OldCaller) return work();
setTimeout(work, 50);
return { Code: 1, Msg: 'queued' };
