/**
 * One engine for every event of the broker: who is online, what devices say by month, alarms by an engine of their own.
 *
 * @engineKey mqtt-all-events
 */
var m = V8.MQTT;
var prefix = 'tenant/' + V8.OsClient.toLowerCase() + '/';
if (V8.EventName == 'Connected' || V8.EventName == 'Disconnected') {
  V8.FormEngine.UptFormDataByWhere('device', {
    IsOnline: V8.EventName == 'Connected' ? 1 : 0,
    SeenAt: DateNow(),
    _Where: [['DeviceCode', '=', m.ClientId]]
  });
} else if (V8.EventName == 'MessageReceived') {
  if (m.Topic.indexOf(prefix) !== 0) return { Code: 0, Msg: 'not ours' };
  var value = typeof m.Payload === 'string' ? JSON.parse(m.Payload) : m.Payload;
  V8.MongoDb.AddFormData({
    DbName: 'iot',
    TableName: 'archive_' + DateNow('yyyy_MM'),
    _FormData: { Topic: m.Topic.substring(prefix.length), Value: value, Qos: m.Qos, Retain: m.Retain, Raw: m.PayloadRaw }
  });
  if (value && value.Alarm) {
    return V8.ApiEngine.Run('device-alarm', { DeviceCode: m.ClientId, Level: value.Alarm });
  }
}
console.log(V8.EventName);
