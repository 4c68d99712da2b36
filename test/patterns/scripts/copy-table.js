/**
 * Copies the definition of a table, under a name of its own: the table, then each of its fields. One copy at a time for
 * each table.
 *
 * @engineKey copy-table
 * @lock TableName
 */
var source = V8.FormEngine.GetDiyTable(V8.Param.TableName);
if (source.Code !== 1) return source;
var fields = V8.FormEngine.GetTableData('diy_field', { _Where: [['TableId', '=', source.Data.Id]], _OrderBy: 'Name' });
var copy = { ...source.Data, Name: `${source.Data.Name}_${V8.Param.Suffix}` };
delete copy.Id;
var made = V8.FormEngine.AddTable(copy);
if (made.Code !== 1) return made;
var added = [];
for (var i = 0; i < fields.Data.length; i++) {
  var field = { ...fields.Data[i], TableName: copy.Name };
  delete field.Id;
  delete field.TableId;
  var one = V8.FormEngine.AddField(field);
  if (one.Code !== 1) return one;
  added.push(field.Name);
}
V8.Result = { Code: 1, Data: { Name: copy.Name, Fields: added } };
