/**
 * Takes an order: stock falls, the order is noted, the shipment and, where asked for, the ERP are told.
 * @queue orders
 * @retry 10
 * @backoff fixed:300ms
 */
var order = V8.Param.Message.Message;
// What is no order throws here, every time.
var sku = order.Lines[0].Sku;
var qty = order.Lines[0].Qty;
var stock = V8.FormEngine.GetFormData('plant_stock', { _Where: [['Sku', '=', sku]] });
if (stock.Code !== 1) return stock;
var taken = V8.FormEngine.UptFormDataByWhere('plant_stock', {
  _Where: [['Sku', '=', sku], ['Stock', '=', stock.Data.Stock]],
  Stock: stock.Data.Stock - qty,
});
if (taken.Code !== 1) return taken;
if (taken.DataCount !== 1) return { Code: 0, Msg: 'the stock has just changed' };
var noted = V8.FormEngine.AddFormData('plant_order', { EventId: V8.Param.EventId, At: String(Date.now()) });
if (noted.Code !== 1) return noted;
var shipped = V8.MQ.SendMsg({ QueueName: 'shipments', EventId: 'ship-' + V8.Param.EventId, Message: { Of: V8.Param.EventId } });
if (shipped.Code !== 1 || !order.Erp) return shipped;
return V8.MQ.SendMsg({ QueueName: 'erp', EventId: 'erp-' + V8.Param.EventId, Message: { Of: V8.Param.EventId } });
