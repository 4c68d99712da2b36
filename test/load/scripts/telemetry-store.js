/**
 * Keeps a reading of a machine.
 * @queue telemetry
 * @retry 50
 * @backoff fixed:200ms
 */
var reading = V8.Param.Message.Message.Payload;
return V8.FormEngine.AddFormData('plant_reading', {
  EventId: V8.Param.EventId,
  Value: String(reading.value),
  At: String(Date.now()),
});
