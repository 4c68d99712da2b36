/**
 * Pays by the engine that nobody reaches from outside.
 *
 * @engineKey pay
 * @anonymous
 */
return V8.ApiEngine.Run('debit', { AccountId: V8.Param.AccountId, Amount: Number(V8.Param.Amount) }, V8.DbTrans);
