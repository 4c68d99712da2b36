/**
 * A reading counts once, by the id that the device gave it; whatever goes wrong keeps the message from being forwarded.
 *
 * @engineKey mqtt-once
 */
if (V8.EventName !== 'MessageReceived') return { Code: 1 };
var reading = V8.MQTT.Payload;
if (!reading || !reading.EventId) throw new Error('a reading without EventId');

var known = V8.FormEngine.GetFormData('reading', { _Where: [['EventId', '=', reading.EventId]] }, V8.DbTrans);
if (known.Code === 1) return { Code: 1, Msg: 'known' };
if (known.Code !== 2) return known;
var added = V8.FormEngine.AddFormData('reading', { EventId: reading.EventId, Degrees: reading.Degrees }, V8.DbTrans);
if (added.ReasonCode === 'ROW_NOT_UNIQUE') return { Code: 1, Msg: 'known' };
if (added.Code !== 1) return added;
V8.Method.AddSysLog({ Type: 'reading', Title: reading.EventId, Content: String(reading.Degrees), Level: 1 });
return { Code: 1 };
