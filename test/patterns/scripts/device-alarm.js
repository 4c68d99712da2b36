/**
 * Notes an alarm; level 9 is refused, and with it the message that raised it.
 *
 * @engineKey device-alarm
 */
if (V8.Param.Level === 9) return { Code: 0, Msg: 'alarm level 9 is reserved' };
return V8.FormEngine.AddFormData('device_alarm', { DeviceCode: V8.Param.DeviceCode, Level: V8.Param.Level });
