/** Traces that come from outside and go outside: over HTTP and over MQTT. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../support/api-host.ts';
import { eventually } from '../support/eventually.ts';
import { MqttHost } from '../support/mqtt-host.ts';
import { OtlpCollector, type PostedSpan, treeOf } from '../support/otlp-collector.ts';
import { openTestTracer } from '../support/test-tracer.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: 'vendor=1' };

const only = (spans: readonly PostedSpan[], name: string): PostedSpan => {
  const [span] = spans.filter((each) => each.name === name);
  assert.ok(span, `${name} among ${spans.map((each) => each.name).join(', ')}`);
  return span;
};

test('requests go on with the trace of their caller, at every way in', async (t) => {
  const collector = await OtlpCollector.listen(t);
  const { tracer, decorate } = openTestTracer(t, collector.url);
  const api = await openApi(t, { decorate, server: { tracer } });
  await api.host.push({
    'show.js': "/** @anonymous */ return V8.FormEngine.AddFormData('effect', { EventId: 'x' });",
    'note.js': '/** @queue note */ return { Code: 1 };',
  });
  await api.host.host.start();
  const authorization = `Bearer token-of-the-whole-host`;
  const ask = (method: 'GET' | 'POST', url: string, headers: Record<string, string>) =>
    api.server.inject({
      method,
      url,
      headers: { authorization, ...headers },
      ...(method === 'POST' ? { payload: {} } : {}),
    });

  await ask('POST', '/api/v1/tenants/demo/engines/show/run?secret=query', CALLER);
  const first = await collector.until(['POST /api/v1/tenants/:tenant/engines/:key/run']);
  const route = only(first, 'POST /api/v1/tenants/:tenant/engines/:key/run');
  assert.equal(route.parent, 'b7ad6b7169203331');
  assert.deepEqual(treeOf(first, TRACE), [
    'POST /api/v1/tenants/:tenant/engines/:key/run',
    '  run show',
    '    V8.FormEngine.AddFormData',
  ]);
  assert.deepEqual(route.attributes, {
    'http.request.method': 'POST',
    'http.route': '/api/v1/tenants/:tenant/engines/:key/run',
    'http.response.status_code': 200,
    'url.scheme': 'http',
  });

  const entry = '00-11111111111111111111111111111111-2222222222222222-01';
  const shown = await ask('POST', '/apiengine/show?OsClient=demo', { traceparent: entry });
  assert.equal(shown.json().Code, 1, shown.body);
  const second = await collector.until(['POST']);
  assert.deepEqual(treeOf(second, '1'.repeat(32)), ['POST', '  run show', '    V8.FormEngine.AddFormData']);

  const sent = { method: 'POST', url: '/api/v1/tenants/demo/queues/note/messages', payload: { Message: 1 } } as const;
  await api.server.inject({ ...sent, headers: { authorization } });
  const third = await collector.until(['process microi.demo.note']);
  assert.deepEqual(treeOf(third, only(third, 'run note').traceId), [
    'POST /api/v1/tenants/:tenant/queues/:queue/messages',
    '  send microi.demo.note',
    '    process microi.demo.note',
    '      commit',
    '      run note',
  ]);

  const refusedStream = '/api/v1/tenants/demo/logs/stream?after=nonsense';
  for (const url of ['/livez', '/readyz', '/', refusedStream]) await ask('GET', url, CALLER);
  await ask('GET', '/api/v1/tenants', { traceparent: 'nonsense' });
  const last = await collector.until(['GET /api/v1/tenants']);
  assert.equal(only(last, 'GET /api/v1/tenants').parent, undefined, 'what is no traceparent begins a trace');
  assert.ok(!last.some(({ name }) => /livez|readyz|stream/.test(name) || name === 'GET /'), 'probes are not told of');
  assert.ok(!collector.bodies.join('').includes('secret'));
});

test('a device begins a trace in its user properties, and devices are told of the trace of what they get', async (t) => {
  const collector = await OtlpCollector.listen(t);
  const { decorate } = openTestTracer(t, collector.url);
  const host = await MqttHost.start(t, { decorate });
  await host.host.push({ 'readings.js': '/** @queue readings */ return { Code: 1 };' });
  const told: Record<string, unknown>[] = [];
  const device = await host.client({ clientId: 'd', protocolVersion: 5 });
  device.on('message', (_topic, _payload, { properties }) => told.push({ ...properties?.userProperties }));
  await device.subscribeAsync('answers/d', { qos: 1 });
  const publish = (payload: object, properties = {}) =>
    device.publishAsync('data/d', JSON.stringify(payload), { qos: 1, properties });

  await publish({ ask: 'send', n: 1 }, { userProperties: CALLER });
  const first = await collector.until(['process microi.demo.readings']);
  assert.deepEqual(treeOf(first, TRACE), [
    'process mqtt',
    '  commit',
    '  run device',
    '    V8.FormEngine.AddFormData',
    '    V8.MQ.SendMsg',
    '      create microi.demo.readings',
    '        process microi.demo.readings',
    '          commit',
    '          run readings',
    '        send microi.demo.readings',
  ]);

  await publish({ ask: 'answer', n: 2 });
  await eventually(() => assert.equal(told.length, 1));
  const spans = await collector.until(['send mqtt']);
  const made = only(spans, 'create mqtt');
  assert.equal(told[0]?.traceparent, `00-${made.traceId}-${made.spanId}-01`);
  assert.equal(only(spans, 'send mqtt').parent, made.spanId);
  assert.equal(made.attributes['messaging.destination.name'], 'tenant/demo/answers/d');
});

test('a message that a device hands to a queue stays in the trace of the device', async (t) => {
  const collector = await OtlpCollector.listen(t);
  const { decorate } = openTestTracer(t, collector.url);
  const host = await MqttHost.start(t, { decorate, mqtt: { engine: '' } });
  await host.host.push({ 'readings.js': '/** @queue readings */ return { Code: 1 };' });
  const binding = { TopicFilter: 'data/#', QueueName: 'readings', EventIdPath: '', IsEnable: 1 };
  await host.host.store.tables.insert('mci_mqtt_binding', { Id: 'b-1', ...binding, IsDeleted: 0 });
  const device = await host.client({ clientId: 'd', protocolVersion: 5 });
  await device.publishAsync('data/d', '{}', { qos: 1, properties: { userProperties: CALLER } });
  const spans = await collector.until(['process microi.demo.readings']);
  assert.deepEqual(treeOf(spans, TRACE), [
    'send microi.demo.readings',
    '  process microi.demo.readings',
    '    commit',
    '    run readings',
  ]);
  assert.equal(only(spans, 'send microi.demo.readings').parent, 'b7ad6b7169203331');
});
