/**
 * Rows of the caller's own department; everything for administrators.
 *
 * @engineKey role-gate
 * @anonymous
 */
var user = V8.CurrentUser;
if (!user.Id) {
  var token = V8.Method.GetCurrentToken();
  if (!token || !token.CurrentUser || !token.CurrentUser.Id) return { Code: 1001, Msg: 'log in first' };
}
var where = [];
if (Number(user.Level || 0) < 9999) where.push(['DeptId', '=', user.DeptId || user.RoleName]);
return V8.FormEngine.GetTableData('dept_paper', { _Where: where, _OrderBy: 'Title', _SelectFields: ['Title'] });
