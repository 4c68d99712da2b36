/**
 * 预留库存：处理队列 orders 的消息，扣减库存，再通知下一步。
 * Reserves stock for a message of the queue `orders`, then tells the next step.
 *
 * @apiName 预留库存 / stock reservation
 * @queue orders
 * @retry 3
 */

// 消息处理自带事务：下面所有读写和发送，只在返回 {Code:1} 后一起生效。
// A message runs in a transaction of its own: every read, write and send below takes effect together, after {Code:1}.

// V8.Param.Message 是信封，里面的 Message 是业务数据；旧客户端发的是 JSON 文本。
// V8.Param.Message is the envelope, its Message the payload; older clients send it as JSON text.
var order = V8.Param.Message.Message;
if (typeof order === 'string') order = JSON.parse(order);

var stored = V8.FormEngine.GetFormData('shop_order', { _Where: [['OrderId', '=', order.OrderId]] });
if (stored.Code !== 1) return { Code: 0, Msg: '订单不存在 / there is no order ' + order.OrderId };

const row = stored.Data;

// 人工重放旧消息时，订单可能已经处理过。 A message replayed by hand may find its order dealt with.
if (row.State !== 'new') return { Code: 1, Msg: '订单已是 / the order is ' + row.State };

var stock = V8.FormEngine.GetFormData('shop_stock', { _Where: [['Sku', '=', order.Sku]] });
if (stock.Code === 0) return stock;

// 库存不足是业务结果，不是故障：重试也不会变多，所以返回 Code 1。
// Too little stock is a business result and no failure: a retry would not find more, so it is Code 1.
if (stock.Code === 2 || stock.Data.Stock < order.Qty) {
  return setState('rejected', '库存不足 / not enough stock of ' + order.Sku);
}

// 条件更新：只有库存仍是刚才读到的数才扣减。直接写回会覆盖别人刚扣的数（丢失更新）。
// A conditional update: only if the stock is still what was read. Writing it back without the condition would undo
// what somebody else took meanwhile (a lost update).
var taken = V8.FormEngine.UptFormDataByWhere('shop_stock', {
  Stock: stock.Data.Stock - order.Qty,
  _Where: [
    ['Sku', '=', order.Sku],
    ['Stock', '=', stock.Data.Stock]
  ]
});
if (taken.Code !== 1) return taken;
if (taken.DataCount === 0) return { Code: 0, Msg: '库存刚被改动，稍后重试 / the stock has just changed, try again' };

var sent = V8.MQ.SendMsg({
  QueueName: 'orders.reserved',
  EventId: 'reserved-' + order.OrderId,
  Message: order
});
if (sent.Code !== 1) return sent;

return setState('reserved', '已预留 / reserved ' + order.Qty + ' x ' + order.Sku);

/**
 * @param {string} state
 * @param {string} msg
 */
function setState(state, msg) {
  var updated = V8.FormEngine.UptFormData('shop_order', { Id: row.Id, State: state });
  if (updated.Code !== 1) return updated;
  return { Code: 1, Msg: msg };
}
