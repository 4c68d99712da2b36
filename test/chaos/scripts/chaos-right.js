/**
 * Takes stock of B, then of A: its twin does it the other way round.
 * @queue chaos.right
 * @retry 50
 * @backoff fixed:100ms
 * @prefetch 4
 */
function take(sku) {
  var stock = V8.FormEngine.GetFormData('chaos_stock', { _Where: [['Sku', '=', sku]] });
  if (stock.Code !== 1) throw new Error('no stock: ' + stock.Msg);
  var taken = V8.FormEngine.UptFormDataByWhere('chaos_stock', {
    _Where: [['Sku', '=', sku], ['Stock', '=', stock.Data.Stock]],
    Stock: stock.Data.Stock - 1,
  });
  if (taken.DataCount !== 1) throw new Error('somebody else took stock');
}
take('B');
take('A');
V8.FormEngine.AddFormData('chaos_effect', { EventId: V8.Param.EventId, Engine: V8.ApiEngineKey });
V8.MQ.SendMsg('chaos.onward', { From: V8.Param.EventId }, 'on-' + V8.Param.EventId);
return { Code: 1 };
