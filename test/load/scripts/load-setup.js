/** What no file of a project can say: which topics go into a queue, and where the ERP is. */
var bound = V8.FormEngine.AddFormData('mci_mqtt_binding', {
  TopicFilter: 'telemetry/#',
  QueueName: 'telemetry',
  EventIdPath: 'id',
  IsEnable: 1,
});
if (bound.Code !== 1) return bound;
return V8.FormEngine.AddFormData('plant_setting', { Name: 'ErpUrl', Value: V8.Param.ErpUrl });
