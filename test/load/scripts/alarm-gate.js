/** Keeps an alarm before the machine has its acknowledgement. */
if (V8.EventName !== 'MessageReceived' || V8.MQTT.Topic.indexOf('/alarms/') < 0) return { Code: 1 };
return V8.FormEngine.AddFormData('plant_alarm', { EventId: V8.MQTT.Payload.id, At: String(Date.now()) });
