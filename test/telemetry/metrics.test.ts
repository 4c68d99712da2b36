import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GaugeReading } from '../../src/ports/metrics.ts';
import { measureEventLoop } from '../../src/telemetry/event-loop.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';

const READING: GaugeReading = {
  inFlight: 3,
  lanes: { lanes: 4, busy: 1, waiting: 2 },
  tenants: [{ tenant: 'a', running: 2, waiting: 7, cpuBalanceMs: -1500, quarantined: true }],
  outbox: [{ tenant: 'a', rows: 5, failed: 1, lagSeconds: 12.5 }],
  circuits: [{ kind: 'engine', tenant: 'a', subject: 'fat' }],
  backlog: [{ tenant: 'a', deadLetters: 4, waiting: 6, queues: [{ queue: 'orders', ready: 120, unsettled: 8 }] }],
  pools: [{ tenant: 'a', use: 'run', used: 3, size: 12, waiting: 1 }],
  mqttConnections: 9,
  queueConnections: [
    { tenant: 'a', use: 'publisher', state: 'up' },
    { tenant: 'a', use: 'consumer', state: 'down' },
  ],
  httpConnections: 5,
};

test('deliveries, inbox hits and kills are counted; gauges are those of the reading', async () => {
  const metrics = createMetrics();
  metrics.deliverySettled('a', 'done', 0.2);
  metrics.deliverySettled('a', 'duplicate', 0.001);
  metrics.deliveryBegan('a', 40);
  metrics.engineEnded('a', 'stock', 'returned');
  metrics.hostCallAnswered('Cache.Get', 0.003, true);
  metrics.mqttPublished('a', 'refuse');
  metrics.settlementDropped('a');
  metrics.laneKilled('V8_TIMEOUT');
  metrics.limitHit('a', 'V8_TIMEOUT');
  metrics.spansSent('dropped', 3);
  metrics.circuitOpened('binding', 'a', 'microi.a.q');
  const page = await metrics.render(READING);
  for (const line of [
    'v8host_deliveries_total{tenant="a",outcome="done"} 1',
    'v8host_deliveries_total{tenant="a",outcome="duplicate"} 1',
    'v8host_inbox_hits_total{tenant="a"} 1',
    'v8host_stale_settlements_total{tenant="a"} 1',
    'v8host_sandbox_kills_total{reason="V8_TIMEOUT"} 1',
    'v8host_limits_hit_total{tenant="a",code="V8_TIMEOUT"} 1',
    'v8host_circuits_opened_total{kind="binding",tenant="a",subject="microi.a.q"} 1',
    'v8host_circuits_paused{kind="engine",tenant="a",subject="fat"} 1',
    'v8host_in_flight 3',
    'v8host_lanes{state="idle"} 3',
    'v8host_tenant_runs{tenant="a",state="running"} 2',
    'v8host_tenant_runs{tenant="a",state="waiting"} 7',
    'v8host_tenant_cpu_balance_seconds{tenant="a"} -1.5',
    'v8host_tenant_quarantined{tenant="a"} 1',
    'v8host_delivery_seconds_bucket{le="0.25",tenant="a"} 2',
    'v8host_delivery_seconds_bucket{le="0.1",tenant="a"} 1',
    'v8host_delivery_age_seconds_bucket{le="15",tenant="a"} 0',
    'v8host_delivery_age_seconds_bucket{le="60",tenant="a"} 1',
    'v8host_engine_runs_total{tenant="a",engine="stock",outcome="returned"} 1',
    'v8host_host_call_seconds_count{call="Cache.Get"} 1',
    'v8host_host_call_failures_total{call="Cache.Get"} 1',
    'v8host_mqtt_publishes_total{tenant="a",decision="refuse"} 1',
    'v8host_mqtt_connections 9',
    'v8host_http_connections 5',
    'v8host_queue_connections{tenant="a",use="publisher",state="up"} 1',
    'v8host_queue_connections{tenant="a",use="consumer",state="down"} 1',
    'v8host_spans_total{outcome="dropped"} 3',
    'v8host_parked_messages{tenant="a",state="dead"} 4',
    'v8host_parked_messages{tenant="a",state="waiting"} 6',
    'v8host_queue_messages{tenant="a",queue="orders",state="ready"} 120',
    'v8host_queue_messages{tenant="a",queue="orders",state="unsettled"} 8',
    'v8host_pool_connections{tenant="a",use="run",state="used"} 3',
    'v8host_pool_connections{tenant="a",use="run",state="awaited"} 1',
    'v8host_outbox_rows{tenant="a"} 5',
    'v8host_outbox_lag_seconds{tenant="a"} 12.5',
  ]) {
    assert.ok(page.includes(line), `${line}\n${page}`);
  }
});

test('a tenant that went away leaves no value behind', async () => {
  const metrics = createMetrics();
  await metrics.render(READING);
  const page = await metrics.render({
    ...READING,
    tenants: [],
    outbox: [],
    circuits: [],
    backlog: [],
    pools: [],
    queueConnections: [],
  });
  assert.ok(!/v8host_(tenant|outbox|circuits_paused|parked|queue|pool)[^ ]*tenant="a"/.test(page), page);
});

test('labels beyond their cap are counted together, and the oldest of them is the lag', async () => {
  const metrics = createMetrics({ tenants: 2, subjects: 1 });
  for (const tenant of ['a', 'b', 'c', 'd']) metrics.deliverySettled(tenant, 'done', 0.1);
  metrics.engineEnded('a', 'first', 'returned');
  metrics.engineEnded('b', 'first', 'returned');
  metrics.engineEnded('b', 'second', 'returned');
  const outbox = ['a', 'b', 'c', 'd'].map((tenant, i) => ({ tenant, rows: 1, failed: 0, lagSeconds: 40 - i * 10 }));
  const page = await metrics.render({ ...READING, outbox });
  for (const line of [
    'v8host_deliveries_total{tenant="a",outcome="done"} 1',
    'v8host_deliveries_total{tenant="other",outcome="done"} 2',
    'v8host_engine_runs_total{tenant="a",engine="first",outcome="returned"} 1',
    'v8host_engine_runs_total{tenant="b",engine="other",outcome="returned"} 2',
    'v8host_outbox_rows{tenant="other"} 2',
    'v8host_outbox_lag_seconds{tenant="other"} 20',
  ]) {
    assert.ok(page.includes(line), `${line}\n${page}`);
  }
  assert.doesNotMatch(page, /tenant="[cd]"/);
});

test('a turn of the event loop that takes long is seen', async () => {
  const readLag = measureEventLoop();
  const seen: number[] = [];
  // On a crowded machine the library's own timer may be so late that a long turn falls between two of its looks.
  while (seen.length < 5 && (seen.at(-1) ?? 0) <= 0.3) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const until = performance.now() + 400;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 50));
    seen.push(readLag().max);
  }
  assert.ok((seen.at(-1) ?? 0) > 0.3, `max ${seen.join(', ')}`);
});
