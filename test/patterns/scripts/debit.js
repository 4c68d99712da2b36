/**
 * Takes an amount from an account if it is there. Callable by other engines alone.
 *
 * @engineKey debit
 * @stopHttp
 */
var n = V8.DbTrans.FromSql('update account set Balance = Balance - @amount where Id = @id and Balance >= @amount')
  .AddInParameter('@amount', V8.Param.Amount)
  .AddInParameter('@id', V8.Param.AccountId)
  .ExecuteNonQuery();
return n === 1 ? { Code: 1 } : { Code: 0, Msg: 'not enough' };
