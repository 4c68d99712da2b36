/**
 * Copies a row: the Id is emptied so that a new one is made, and the answer says what it was copied from.
 *
 * @engineKey copy-row
 */
var source = V8.FormEngine.GetFormData('setting', { Id: V8.Param.Id });
if (source.Code !== 1) return source;
var copy = JSON.parse(JSON.stringify(source.Data));
copy.Id = '';
delete copy.CreateTime;
delete copy.UpdateTime;
copy.Name = copy.Name + ' (copy)';
var result = V8.FormEngine.AddFormData('setting', { _FormData: copy }, V8.DbTrans);
result.DataAppend = { CopiedFrom: source.Data.Id, Spread: { ...source.Data }.Name };
return result;
