/**
 * Takes stock. The payload is one level below the envelope. It ends without a return, as older handlers do.
 *
 * @engineKey stock-consumer
 * @queue stock-moves
 * @legacyAck on
 */
var envelope = V8.Param.Message;
var order = envelope.Message;
var row = V8.FormEngine.GetFormData('stock', { _Where: [['Sku', '=', order.Sku]] }, V8.DbTrans);
V8.FormEngine.UptFormData(
  'stock',
  { Id: row.Data.Id, Qty: row.Data.Qty - order.Qty, LastEvent: envelope.EventId, LastUser: order.By },
  V8.DbTrans
);
