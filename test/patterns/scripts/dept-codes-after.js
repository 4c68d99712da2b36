/**
 * After a department moved: codes of everything below it are made anew, by recursion, and those of its users.
 *
 * @engineKey dept-codes-after
 */
var all = V8.FormEngine.GetTableData('dept', { _OrderBy: 'Sort' }, V8.DbTrans);
if (all.Code !== 1) return all;
var below = {};
all.Data.forEach(function (row) {
  var parent = row.ParentId || '';
  (below[parent] = below[parent] || []).push(row);
});
return recode('', '') || { Code: 1 };

function recode(parentId, code) {
  var rows = below[parentId] || [];
  for (var i = 0; i < rows.length; i++) {
    var own = code + (i + 1) + '.';
    if (own.length > 20) return { Code: 0, Msg: 'too deep: ' + own };
    var saved = V8.FormEngine.UptFormData('dept', { Id: rows[i].Id, Code: own }, V8.DbTrans);
    if (saved.Code !== 1) return saved;
    V8.FormEngine.UptFormDataByWhere('dept_user', { DeptCode: own, _Where: [['DeptId', '=', rows[i].Id]] }, V8.DbTrans);
    var failed = recode(rows[i].Id, own);
    if (failed) return failed;
  }
}
