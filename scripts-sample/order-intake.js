/**
 * 接单：检查输入，保存订单，把订单发到队列 orders。由 HTTP 或命令行调用。
 * Takes an order in: checks it, stores it and sends it to the queue `orders`. Called over HTTP or by the CLI:
 *   v8host run order-intake --param '{"OrderId":"A-1","Sku":"P-1","Qty":2}'
 *
 * @apiName 接单 / order intake
 */

var param = V8.Param;
var qty = Number(param.Qty);

// 尽早拒绝，并说清楚缺什么。 Refuse early, and say what is missing.
if (!/^\S{1,50}$/.test(String(param.OrderId || ''))) {
  return refuse('OrderId 须为 1 到 50 个字符，不含空格 / OrderId takes 1 to 50 characters without blanks');
}
if (!param.Sku) return refuse('缺少 Sku / Sku is missing');
if (!Number.isInteger(qty) || qty < 1) return refuse('Qty 须为大于 0 的整数 / Qty must be a whole number above 0');

var orderId = String(param.OrderId);
var sku = String(param.Sku);

// 传入 V8.DbTrans：保存和发送在同一个事务里，要么都成立，要么都不成立。
// With V8.DbTrans, storing and sending are one transaction: both happen or neither.
var found = V8.FormEngine.GetFormData('shop_order', { _Where: [['OrderId', '=', orderId]] }, V8.DbTrans);
if (found.Code === 0) return found;

if (found.Code === 1 && (found.Data.Sku !== sku || found.Data.Qty !== qty)) {
  return refuse('订单 ' + orderId + ' 已存在且内容不同 / order ' + orderId + ' exists with other contents');
}
if (found.Code === 2) {
  var added = V8.FormEngine.AddFormData(
    'shop_order',
    { OrderId: orderId, Sku: sku, Qty: qty, State: 'new' },
    V8.DbTrans
  );
  if (added.Code !== 1) return added;
}

// EventId 由订单号得出：同一订单再发多少次，库存也只扣一次。
// The EventId comes from the order's number: sent again and again, the stock still falls once.
var sent = V8.MQ.SendMsg({
  QueueName: 'orders',
  EventId: 'order-' + orderId,
  Message: { OrderId: orderId, Sku: sku, Qty: qty }
});
if (sent.Code !== 1) return sent;

return {
  Code: 1,
  Msg: found.Code === 1
    ? '订单已存在，已用同一个 EventId 再次发送 / known order, sent again with the same EventId'
    : '订单已接收 / order accepted',
  Data: { OrderId: orderId, EventId: sent.Data.EventId }
};

/** @param {string} msg */
function refuse(msg) {
  return { Code: 0, Msg: msg };
}
