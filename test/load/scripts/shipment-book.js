/**
 * Books the shipment of an order.
 * @queue shipments
 * @retry 50
 * @backoff fixed:200ms
 */
return V8.FormEngine.AddFormData('plant_shipment', {
  EventId: V8.Param.Message.Message.Of,
  At: String(Date.now()),
});
