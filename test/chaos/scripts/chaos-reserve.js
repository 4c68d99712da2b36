/**
 * Takes one piece of stock, notes the effect and sends on.
 * @queue chaos.reserve
 * @retry 50
 * @backoff fixed:100ms
 */
var order = V8.Param.Message.Message;
var stock = V8.FormEngine.GetFormData('chaos_stock', { _Where: [['Sku', '=', order.Sku]] });
if (stock.Code !== 1) return stock;
var taken = V8.FormEngine.UptFormDataByWhere('chaos_stock', {
  _Where: [['Sku', '=', order.Sku], ['Stock', '=', stock.Data.Stock]],
  Stock: stock.Data.Stock - 1,
});
if (taken.Code !== 1 || taken.DataCount !== 1) return { Code: 0, Msg: 'somebody else took stock' };
var effect = V8.FormEngine.AddFormData('chaos_effect', { EventId: V8.Param.EventId, Engine: V8.ApiEngineKey });
if (effect.Code !== 1) return effect;
var sent = V8.MQ.SendMsg({ QueueName: 'chaos.onward', EventId: 'on-' + V8.Param.EventId, Message: { From: V8.Param.EventId } });
if (sent.Code !== 1) return sent;
return { Code: 1 };
