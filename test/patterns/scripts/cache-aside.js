/**
 * Reads an article through the cache: JSON text with a life, a placeholder for what does not exist, removal on a write.
 *
 * @engineKey cache-aside
 */
var MISSING = '-';
var KEY = 'article:' + V8.Param.Sku;

function read() {
  var text = V8.Cache.Get(KEY);
  if (typeof text === 'string') return { Code: 1, Data: text === MISSING ? null : JSON.parse(text), From: 'cache' };
  var row = V8.FormEngine.GetFormData('article', { _Where: [['Sku', '=', V8.Param.Sku]] });
  if (row.Code === 0) return row;
  if (row.Code === 2) V8.Cache.Set(KEY, MISSING, '0.00:01:00');
  else V8.Cache.Set(KEY, JSON.stringify({ Sku: row.Data.Sku, Name: row.Data.Name }), 300);
  return { Code: 1, Data: row.Code === 2 ? null : { Sku: row.Data.Sku, Name: row.Data.Name }, From: 'table' };
}

if (V8.Param.Name === undefined) return read();
var saved = V8.FormEngine.UptFormDataByWhere('article', {
  Sku: V8.Param.Sku,
  Name: V8.Param.Name,
  _Where: [['Sku', '=', V8.Param.Sku]],
  _NoLineForAdd: true
});
V8.Cache.Remove(KEY);
V8.Cache.RemoveParent('article-list:');
return saved;
