/**
 * 设备上报。MQTT 服务把租户的事件交给它（sys_osclients 的 MqttApiEngine，或设备自己的 ApiEngineId）。
 * Readings of devices. The MQTT broker gives it the tenant's events (MqttApiEngine of sys_osclients, or ApiEngineId of
 * a device of its own):
 *   mosquitto_pub -u demo:device -P … -i meter-1 -q 1 -t sensor/meter-1 -m '{"Temp":21.5}'
 *
 * @apiName 设备上报 / device telemetry
 */

var mqtt = V8.MQTT || {};

// 只有 MessageReceived 的返回值决定消息是否转发。 Only the result of MessageReceived decides what is forwarded.
if (V8.EventName !== 'MessageReceived') return { Code: 1 };
if (String(mqtt.Topic).indexOf('/sensor/') < 0) return { Code: 1 };

var temp = mqtt.Payload && mqtt.Payload.Temp;
if (typeof temp !== 'number' || temp < -50 || temp > 150) {
  return { Code: 0, Msg: '温度无效 / the temperature is invalid' };
}

// 设备收到确认（PUBACK）时，这一行已经提交。 When the device has its PUBACK, this row is committed.
var saved = V8.FormEngine.AddFormData('device_reading', { ClientId: mqtt.ClientId, Topic: mqtt.Topic, Temp: temp });
if (saved.Code !== 1) return saved;

// 超过 80 度时通知设备：事务提交后才发出。 Above 80 degrees the device is told, after the commit.
if (temp > 80) V8.MQTT.Publish({ Topic: 'alarm/' + mqtt.ClientId, Payload: { Temp: temp }, Qos: 1 });
return { Code: 1 };
