/**
 * 同步到 ERP：把订单 POST 给外部系统，并记录它的答复。
 * Tells an outside ERP about an order by HTTP and keeps its answer.
 *
 * @apiName ERP 同步 / ERP sync
 * @queue erp.orders
 * @retry 5
 * @backoff exp:1s..30s
 * @timeout 30s
 */

var envelope = V8.Param.Message;
var order = envelope.Message;

// 地址放在设置表里，换环境不用改脚本。 The address is a setting, so a script moves between environments unchanged.
var setting = V8.FormEngine.GetFormData('shop_setting', { _Where: [['Name', '=', 'ErpUrl']] });
if (setting.Code !== 1 || !setting.Data.Value) {
  return { Code: 0, Msg: '请在 shop_setting 中填写 ErpUrl / set ErpUrl in shop_setting' };
}

// HTTP 请求不在事务里：这次运行若失败重试，请求会再次发出，并带同样的 Idempotency-Key，对方据此识别重复。
// A request is outside the transaction: if this run fails and comes again, so does the request, with the same
// Idempotency-Key header, by which the other side recognises it.
var response = V8.Http.PostResponse({
  Url: setting.Data.Value,
  ParamType: 'json',
  PostParam: { OrderId: order.OrderId, Sku: order.Sku, Qty: order.Qty },
  Timeout: 10
});

// 返回 Code 0：按 @retry 和 @backoff 稍后重试。 Code 0: comes again later, by @retry and @backoff.
if (response.StatusCode < 200 || response.StatusCode > 299) {
  return { Code: 0, Msg: 'ERP: ' + (response.ErrorMessage || 'HTTP ' + response.StatusCode) };
}

return V8.FormEngine.AddFormData('erp_call', {
  OrderId: order.OrderId,
  EventId: envelope.EventId,
  StatusCode: response.StatusCode,
  Answer: response.Content.slice(0, 2000)
});
