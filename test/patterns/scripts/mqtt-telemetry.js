/**
 * Readings of a thermometer: checked, stored on the device's row, and an alarm beyond the limit.
 *
 * @engineKey mqtt-telemetry
 */
var mqtt = V8.MQTT || {};
if (V8.EventName !== 'MessageReceived') return;
var payload = mqtt.Payload || {};
var degrees = Number(payload.Degrees);
if (!isFinite(degrees) || degrees < -60 || degrees > 200) return { Code: 0, Msg: 'Degrees: -60 to 200' };

if (degrees > 80) {
  var alarm = V8.ApiEngine.Run('device-alarm', { DeviceCode: mqtt.ClientId, Level: degrees > 150 ? 9 : 1 }, V8.DbTrans);
  if (alarm.Code !== 1) return alarm;
}
return V8.FormEngine.UptFormDataByWhere(
  'device',
  { Degrees: degrees, ReadingId: V8.Method.NewUlid(), _Where: [['DeviceCode', '=', mqtt.ClientId]] },
  V8.DbTrans
);
