/**
 * Asks for stock to be taken: EventId and content are the order's alone, so that a repeated click sends the same message.
 *
 * @engineKey stock-producer
 */
if (!V8.Param.OrderId) return { Code: 0, Msg: 'OrderId is missing' };
var sent = await V8.MQ.SendMsg({
  QueueName: 'stock-moves',
  EventId: 'order-' + V8.Param.OrderId,
  Message: { OrderId: V8.Param.OrderId, Sku: V8.Param.Sku, Qty: V8.Param.Qty, By: V8.CurrentUser.Id || 'nobody' }
});
if (sent.Code !== 1) return sent;
return { Code: 1, Data: sent.Data.EventId };
