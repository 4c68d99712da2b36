/**
 * Prints a label. One of them has a text that never ends.
 * @queue labels
 * @retry 1
 * @backoff fixed:500ms
 * @timeout 2s
 */
var label = V8.Param.Message.Message;
while (label.Endless) {}
return V8.FormEngine.AddFormData('plant_label', { EventId: V8.Param.EventId, At: String(Date.now()) });
