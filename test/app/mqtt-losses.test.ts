/** What devices are sent once, and what is not handled is told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { MqttHost } from '../support/mqtt-host.ts';

const LIMIT = { timeout: 180_000 };
const body = (value: unknown) => JSON.stringify(value);

/** Titles and contents of the tenant's system log that speak of MQTT. */
async function told(host: MqttHost): Promise<string[]> {
  await host.host.store.journal.flush();
  return (await host.rows('sys_log')).filter(({ Type }) => Type === 'MQTT').map((row) => `${row.Title} ${row.Content}`);
}

test('more commands than a second allows reach the device once each, the rest with a later sweep', LIMIT, async (t) => {
  const host = await MqttHost.start(t);
  await host.host.push({
    'many.js': `/** @queue many */
for (var n = 0; n < 1100; n++) V8.MQTT.Publish('commands', String(n), 1);
V8.MQ.SendMsg({ QueueName: 'after', EventId: 'after-' + V8.Param.EventId, Message: {} });
return { Code: 1 };`,
    'after.js': "/** @queue after */\nreturn V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });",
  });
  const messages: string[] = [];
  const device = await host.client({ clientId: 'd' }, messages);
  await device.subscribeAsync('commands', { qos: 1 });
  await host.host.send('many', 'e1', {});
  await eventually(() => assert.equal(new Set(messages).size, 1_100), 120_000);
  assert.equal(messages.length, 1_100, 'none came twice');
  assert.equal((await host.rows('onward')).length, 1);
});

test('an EventId that comes with another content is refused and told', LIMIT, async (t) => {
  const host = await MqttHost.start(t);
  const properties = { userProperties: { EventId: 'e-1' } };
  const [one, other] = [
    await host.client({ clientId: 'one', protocolVersion: 5 }),
    await host.client({ clientId: 'other', protocolVersion: 5 }),
  ];
  await one.publishAsync('x', body({ n: 1 }), { qos: 1, properties });
  await assert.rejects(other.publishAsync('x', body({ n: 2 }), { qos: 1, properties }));
  await one.publishAsync('x', body({ n: 1 }), { qos: 1, properties });
  assert.equal((await host.events('MessageReceived')).length, 1);
  const rows = (await told(host)).filter((text) => text.includes('e-1'));
  assert.equal(rows.length, 1, rows.join('\n'));
  assert.ok(!rows[0]?.includes('"n"'), 'the payload is not told');
});

test('a reading that no queue can take is told, since its device sees an acknowledgement', LIMIT, async (t) => {
  const host = await MqttHost.start(t);
  const binding = { TopicFilter: 'meters/+', QueueName: 'meters', EventIdPath: 'id', IsEnable: 1 };
  await host.host.store.tables.insert('mci_mqtt_binding', { Id: 'b-1', ...binding, IsDeleted: 0 });
  const device = await host.client({ clientId: 'm' });
  await device.publishAsync('meters/m', body({ id: 'x'.repeat(200) }), { qos: 1 });
  await eventually(async () => assert.match((await told(host)).join('\n'), /PublishLost .*EventId/));
});

test('a text that no MQTT packet can hold is refused, and devices go on', LIMIT, async (t) => {
  const host = await MqttHost.start(t);
  await host.host.push({
    'long.js': `var long = new Array(70001).join('x');
var one = V8.MQTT.Publish({ Topic: 'commands', Payload: '1', UserProperties: { Long: long } });
var two = V8.MQTT.Publish({ Topic: 'commands', Payload: '2', ContentType: long });
var good = V8.MQTT.Publish({ Topic: 'commands', Payload: '3', UserProperties: { Short: 'x' } });
return { Code: 1, Data: [one.Code, two.Code, good.Code, one.ReasonCode] };`,
  });
  const messages: string[] = [];
  const device = await host.client({ clientId: 'd', protocolVersion: 5 }, messages);
  await device.subscribeAsync('commands', { qos: 1 });
  const { Data } = (await host.host.host.services.run('demo', 'long', {})) as { Data: unknown[] };
  assert.deepEqual(Data, [0, 0, 1, 'PARAM_INVALID']);
  await eventually(() => assert.deepEqual(messages, ['tenant/demo/commands 3']));
});
