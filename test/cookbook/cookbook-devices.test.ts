/** The recipes of docs/cookbook.md that devices take part in: a real broker, real clients. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../patterns/pattern-host.ts';
import { eventually } from '../support/eventually.ts';
import { MqttHost } from '../support/mqtt-host.ts';
import { pushBesideSamples } from './cookbook-host.ts';

test('4, 5 and 16: a device is registered, asks and is answered, and its topic is bound to a queue', async (t) => {
  const mqtt = await MqttHost.start(t, { mqtt: { engine: 'device-gate' } });
  const { host } = mqtt;
  await pushBesideSamples(host);
  const binding = { TopicFilter: 'sensor/+', QueueName: 'telemetry', EventIdPath: 'Id', IsEnable: 1 };
  await host.store.tables.insert('mci_mqtt_binding', { Id: 'telemetry', ...binding, IsDeleted: 0 });
  const messages: string[] = [];
  const device = await mqtt.client({ clientId: 'shelf-1', protocolVersion: 5 }, messages);
  await device.subscribeAsync('answers/shelf-1', { qos: 1 });
  const ask = () => device.publishAsync('ask', JSON.stringify({ Id: 7, Sku: 'P-1' }), { qos: 1 });
  await assert.rejects(ask(), { code: 0x99 }, 'the reason code of a refusal by the engine');

  const refused = await run(host, 'device-register', { DeviceNo: 'A B' });
  assert.deepEqual(refused, { Code: 0, Msg: 'DeviceNo: 3 to 40 of a-z, 0-9 and -' });
  const registered = { Code: 1, Data: { DeviceNo: 'shelf-1', State: 'active' } };
  for (const _ of ['once', 'again']) {
    assert.deepEqual(await run(host, 'device-register', { DeviceNo: 'shelf-1', Model: 'S2' }), registered);
  }
  assert.equal((await host.rows('device')).length, 1);
  await ask();
  await eventually(() =>
    assert.ok(
      messages.some((text) => text.includes('{"Id":7,"Stock":10}')),
      messages.join(),
    ),
  );

  const reading = JSON.stringify({ Id: 'reading-1', Temp: 91 });
  for (const _ of ['once', 'again']) await device.publishAsync('sensor/shelf-1', reading, { qos: 1 });
  await eventually(async () => {
    const alarms = (await host.rows('device_alarm')).map(({ DeviceNo, Temp, State }) => [
      DeviceNo,
      Number(Temp),
      State,
    ]);
    assert.deepEqual(alarms, [['shelf-1', 91, 'open']]);
  }, 60_000);
  assert.equal((await host.rows('sensor_reading')).length, 1);
});
