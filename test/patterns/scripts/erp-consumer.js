/**
 * Tells the ERP of an order and notes on the order how it went. What the ERP does wrong is no reason to come again.
 *
 * @engineKey erp-consumer
 * @queue erp-orders
 */
var order = V8.Param.Message.Message;
var note = { Id: order.OrderId, ErpAt: DateNow() };
try {
  var text = V8.Http.Post({
    Url: order.ErpUrl,
    PostParamString: JSON.stringify({ No: order.OrderId, Lines: [{ Sku: order.Sku }] }),
    ParamType: 'json',
    Timeout: 10
  });
  var answer = JSON.parse(text);
  note.ErpState = answer.ok ? 'sent' : 'refused';
  note.ErpNo = String(answer.no || '');
} catch (error) {
  console.error('erp: ' + error.message);
  note.ErpState = 'failed';
  note.ErpNo = '';
}
var saved = V8.FormEngine.UptFormData('erp_order', note, V8.DbTrans);
return saved.Code === 1 ? { Code: 1 } : saved;
