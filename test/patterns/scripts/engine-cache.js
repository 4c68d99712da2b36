/**
 * Writes the row of an engine into the cache under its three names, and removes one that is no longer its own.
 *
 * @engineKey engine-cache
 */
var row = V8.FormEngine.GetFormData('sys_apiengine', { _Where: [['ApiEngineKey', '=', V8.Param.Key]] });
if (row.Code !== 1) return row;
var text = JSON.stringify(row.Data);
var names = [row.Data.ApiEngineKey, row.Data.Id, row.Data.ApiAddress];
var written = [];
for (var i = 0; i < names.length; i++) {
  if (!names[i]) continue;
  var name = 'FormData:sys_apiengine:' + String(names[i]).toLowerCase();
  V8.Cache.Set(name, text);
  written.push(name);
}
if (V8.Param.OldKey) V8.Cache.Remove('FormData:sys_apiengine:' + V8.Param.OldKey.toLowerCase());
var again = JSON.parse(V8.Cache.Get(written[0]));
return { Code: 1, Data: { Written: written.length, Same: again.ApiV8Code === row.Data.ApiV8Code, Key: again.ApiEngineKey } };
