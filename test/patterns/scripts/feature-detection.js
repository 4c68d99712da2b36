/**
 * Works on older and newer versions: looks for what there is before it uses it.
 *
 * @engineKey feature-detection
 */
var found = {
  Known: typeof V8.Method.NewUlid === 'function',
  Unknown: typeof V8.Method.NeverHeardOf,
  UnknownFamily: typeof V8.NeverHeardOf,
  Dates: typeof DateNow,
  MissingGlobal: typeof DateNever,
  Browser: [typeof V8.FormSet, typeof V8.Tips, typeof V8.ParentV8].join()
};
var now;
try {
  now = System.DateTime.Now.ToString('yyyy-MM-dd HH:mm:ss');
} catch (e) {
  now = DateNow();
}
found.Now = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(now);
try {
  System.IO.File.ReadAllText('/etc/passwd');
  found.Files = 'read';
} catch (e) {
  found.Files = e instanceof Error;
}
found.Thrown = (function () { try { V8.Method.NeverHeardOf(); } catch (e) { return e.name; } })();
return { Code: 1, Data: found };
