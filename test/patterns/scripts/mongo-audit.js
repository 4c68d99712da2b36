/**
 * An audit log by months: written, listed by conditions, and marked as seen. Lists of values are texts with commas.
 *
 * @engineKey mongo-audit
 */
var place = { DbName: 'sys_log_' + DateNow('yyyy'), TableName: 'audit_' + DateNow('yyyy_MM') };
var p = V8.Param;

if (p.Write) {
  return V8.MongoDb.AddFormData({ ...place, Id: p.Id, _FormData: p.Write });
}
if (p.Seen) {
  return V8.MongoDb.UptFormData({ ...place, Id: p.Seen, _FormData: { Seen: 1 } });
}
var where = [];
if (p.Kinds) where.push(['Kind', 'In', p.Kinds]);
where.push(['AND', 'By', '=', p.By === undefined ? null : p.By]);
if (p.Either) where.push(['OR', 'Amount', '>=', 100]);
var list = V8.MongoDb.GetTableData({ ...place, _Where: where, _PageIndex: 1, _PageSize: 10 });
if (list.Code !== 1) return list;
return { Code: 1, Data: list.Data.map((row) => row._id), DataCount: list.DataCount };
