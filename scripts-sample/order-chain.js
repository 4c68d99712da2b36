/**
 * 链式处理：确认已预留的订单，再转给 ERP 队列。
 * A link in a chain: confirms a reserved order and sends it on to the ERP's queue.
 *
 * @apiName 订单确认 / order confirmation
 * @queue orders.reserved
 * @retry 3
 */

const order = V8.Param.Message.Message;

const updated = V8.FormEngine.UptFormDataByWhere('shop_order', {
  State: 'confirmed',
  _Where: [
    ['OrderId', '=', order.OrderId],
    ['State', '=', 'reserved']
  ]
});
if (updated.Code !== 1) return updated;

// 没有匹配的行：订单不是“已预留”，不应继续。 No row matched: the order is not reserved, so it must not go on.
if (updated.DataCount === 0) return { Code: 0, Msg: `订单不是已预留状态 / order ${order.OrderId} is not reserved` };

// 事务提交后才真正发出；提交前出错则不会发出。 It goes out with the commit, and not at all when that fails.
const sent = V8.MQ.SendMsg('erp.orders', order, `erp-${order.OrderId}`);
if (sent.Code !== 1) return sent;

return { Code: 1, Msg: `已确认 / confirmed ${order.OrderId}` };
