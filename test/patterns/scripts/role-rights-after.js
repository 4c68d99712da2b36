/**
 * After a role is saved: its rights are deleted and made anew from the JSON of the form, in the same transaction.
 *
 * @engineKey role-rights-after
 */
var action = { Add: 'Insert', Upt: 'Update', Del: 'Delete' }[V8.FormSubmitAction] || V8.FormSubmitAction;
var roleId = V8.Form.Id || V8.OldForm.Id;
var gone = V8.FormEngine.DelFormDataByWhere('role_right', { _Where: [['RoleId', '=', roleId]] }, V8.DbTrans);
if (gone.Code !== 1) return gone;
if (action === 'Delete') return;
var rights = JSON.parse(V8.Form.Rights || V8.OldForm.Rights || '[]');
var rows = rights.map(function (right) {
  return { FormEngineKey: 'role_right', Id: V8.Method.NewUlid(), RoleId: roleId, Menu: right.Menu, Action: action, At: V8.Action.GetDateTimeNow() };
});
if (rows.length === 0) return;
return V8.FormEngine.AddTableData(rows, V8.DbTrans);
