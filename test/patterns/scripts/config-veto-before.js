/**
 * Before a setting is saved: defaults, blanks and lists are put right; a second setting without a tenant is refused.
 *
 * @engineKey config-veto-before
 */
if (V8.FormSubmitAction == 'Delete') return;
var form = V8.Form;
form.Name = (form.Name || V8.OldForm.Name || '').trim();
if (!form.Name) return { Code: 0, Msg: 'Name is missing' };
form.Kind = form.Kind || V8.OldForm.Kind || 'text';
if (Array.isArray(V8.Param._FormData && V8.Param._FormData.Hosts)) form.Hosts = JSON.stringify(V8.Param._FormData.Hosts);
if (!form.TenantId && !V8.OldForm.TenantId) {
  var others = V8.FormEngine.GetTableDataCount(
    'setting',
    { _Where: [['TenantId', '=', null], ['Name', '=', form.Name], ['Id', '<>', form.Id], ['Kind', '!=', 'gone']] },
    V8.DbTrans
  );
  if (others.DataCount > 0) return { Code: 0, Msg: 'there is one already' };
}
