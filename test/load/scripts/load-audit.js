/** Rows of a table in portions, or how many there are of each: what the load has left behind. */
if (V8.Param.Table) {
  return V8.FormEngine.GetTableData(V8.Param.Table, {
    _OrderBys: { Id: 'asc' },
    _PageIndex: V8.Param.Page,
    _PageSize: V8.Param.Size,
    _SelectFields: V8.Param.Fields,
  });
}
var counts = {};
for (const table of V8.Param.Tables) {
  var counted = V8.FormEngine.GetTableDataCount(table, {});
  if (counted.Code !== 1) return counted;
  counts[table] = counted.DataCount === undefined ? counted.Data : counted.DataCount;
}
return { Code: 1, Data: counts };
