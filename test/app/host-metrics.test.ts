/** What a host that ran says in Prometheus' format: each part that feeds a series does. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createMetrics, type MetricsPage } from '../../src/telemetry/metrics.ts';
import { type ApiHost, HOST_TOKEN, openApi } from '../support/api-host.ts';
import { eventually } from '../support/eventually.ts';
import { Gate, STOP_AT_GATE } from '../support/gate.ts';
import { MqttHost } from '../support/mqtt-host.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const pageOf = async ({ adapters, host }: TestHost) =>
  (adapters.metrics as MetricsPage).render({ ...(await host.gauges()), httpConnections: 0 });

async function assertLines(host: TestHost, lines: readonly string[]): Promise<void> {
  const page = await pageOf(host);
  for (const line of lines) assert.ok(page.includes(line), `${line}\n${page}`);
}

test('host calls by name, and runs by engine', async (t) => {
  const host = await TestHost.open(tempDir(t));
  t.after(() => host.close());
  await host.push({
    'reads.js': "V8.FormEngine.GetTableDataCount('effect', {}); return V8.FormEngine.GetFormData('no_such', {});",
  });
  await host.host.services.run('demo', 'reads', {}, 'en');
  await assertLines(host, [
    'v8host_engine_runs_total{tenant="demo",engine="reads",outcome="returned"} 1',
    'v8host_host_call_seconds_count{call="FormEngine.GetTableDataCount"} 1',
    'v8host_host_call_failures_total{call="FormEngine.GetFormData"} 1',
  ]);
});

test('messages by outcome, their age and time, dead letters, and what waits in a queue', async (t) => {
  const gate = new Gate();
  const host = await TestHost.open(tempDir(t), { lanes: 2, decorate: (adapters) => gate.guard(adapters) });
  t.after(() => host.close());
  t.after(() => gate.open());
  await host.push({
    'fails.js': '/**\n * @queue fails\n */\nreturn { Code: 0, Msg: "no" };\n',
    'later.js': `/**\n * @queue later\n */\n${STOP_AT_GATE}\nreturn { Code: 1 };\n`,
  });
  await host.host.start();
  // Consumed one at a time: the second one waits for the first, which stands at the gate.
  await host.send('later', undefined, {});
  await gate.arrived();
  await host.send('later', undefined, {});
  await assertLines(host, [
    'v8host_queue_messages{tenant="demo",queue="later",state="ready"} 1',
    'v8host_queue_messages{tenant="demo",queue="later",state="unsettled"} 1',
  ]);
  gate.open();
  await host.send('fails', undefined, {});
  await eventually(() =>
    assertLines(host, [
      'v8host_deliveries_total{tenant="demo",outcome="dead"} 1',
      'v8host_deliveries_total{tenant="demo",outcome="done"} 2',
      'v8host_delivery_seconds_count{tenant="demo"} 3',
      'v8host_delivery_age_seconds_count{tenant="demo"} 3',
    ]),
  );
});

test('devices and what was decided about their messages', async (t) => {
  const mqtt = await MqttHost.start(t);
  const client = await mqtt.client({ clientId: 'meter-1' });
  await client.publishAsync('readings', JSON.stringify({ n: 1 }), { qos: 1 });
  await client.publishAsync('readings', JSON.stringify({ ask: 'block' }), { qos: 1 });
  await client.publishAsync('readings', JSON.stringify({ ask: 'answer', n: 2 }), { qos: 1 });
  await eventually(() =>
    assertLines(mqtt.host, [
      'v8host_mqtt_connections 1',
      'v8host_mqtt_publishes_total{tenant="demo",decision="forward"} 2',
      'v8host_mqtt_publishes_total{tenant="demo",decision="refuse"} 1',
      'v8host_mqtt_publishes_total{tenant="demo",decision="downlink"} 1',
    ]),
  );
});

test('open connections to the HTTP server, of whoever asks for nothing, too', async (t) => {
  const page = createMetrics();
  const render = async (httpConnections: number) => page.render({ ...(await api.host.host.gauges()), httpConnections });
  const api: ApiHost = await openApi(t, { server: { metrics: { contentType: page.contentType, render } } });
  const url = await api.server.listen({ host: '127.0.0.1', port: 0 });
  const open = async () => {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${HOST_TOKEN}` } });
    return Number(/^v8host_http_connections (\d+)$/m.exec(await response.text())?.[1]);
  };
  const own = await open();
  assert.ok(own >= 1 && own < 5, `${own}: those that ask`);
  const sockets = Array.from({ length: 5 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await eventually(async () => assert.ok((await open()) >= 5 + 1));
  for (const socket of sockets) socket.destroy();
  await eventually(async () => assert.ok((await open()) < 5));
});
