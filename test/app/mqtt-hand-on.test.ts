import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MqttHost } from '../support/mqtt-host.ts';

test('an event can be handed on to another engine, as the platform’s scripts do', { timeout: 120_000 }, async (t) => {
  const host = await MqttHost.start(t, { mqtt: { engine: 'hand-on' } });
  await host.host.push({
    'hand-on.js': `if (V8.EventName !== 'MessageReceived') return { Code: 1 };
return V8.ApiEngine.Run('noted', { EventName: V8.EventName, MQTT: V8.MQTT });`,
    'noted.js': `return V8.FormEngine.AddFormData('onward', { EventId: V8.EventName, Note: V8.MQTT.Topic + ' ' + typeof V8.MQTT.Publish });`,
  });
  const device = await host.client({ clientId: 'd' });
  await device.publishAsync('x', '1', { qos: 1 });
  const [row] = await host.rows('onward');
  assert.deepEqual([row?.EventId, row?.Note], ['MessageReceived', 'tenant/demo/x function']);
});
