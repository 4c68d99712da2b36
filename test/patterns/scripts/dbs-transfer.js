/**
 * Moves stock between two shelves of another database, in a transaction of its own that the script ends by itself.
 *
 * @engineKey dbs-transfer
 */
V8.FormEngine.AddFormData('transfer', { Note: 'asked ' + V8.Param.Qty }, V8.DbTrans);
var db = V8.Param.Connection ? V8.Dbs.Open('MySql', V8.Param.Connection) : V8.Dbs.erp;
var tran = db.BeginTransaction();
function move(id, qty) {
  var n = tran
    .FromSql('update bin set Qty = Qty + @qty where Id = @id and Qty + @qty >= 0')
    .AddInParameter('@qty', qty)
    .AddInParameter('@id', id)
    .ExecuteNonQuery();
  if (n !== 1) throw new Error('shelf ' + id);
}
try {
  move('to', V8.Param.Qty);
  move('from', -V8.Param.Qty);
  tran.Commit();
} catch (error) {
  tran.Rollback();
  throw error;
} finally {
  tran.Close();
}
return { Code: V8.Param.Code };
