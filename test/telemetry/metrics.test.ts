import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GaugeReading } from '../../src/ports/metrics.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';

const READING: GaugeReading = {
  inFlight: 3,
  lanes: { lanes: 4, busy: 1, waiting: 2 },
  tenants: [{ tenant: 'a', running: 2, waiting: 7, cpuBalanceMs: -1500, quarantined: true }],
  outbox: [{ tenant: 'a', rows: 5, failed: 1, lagSeconds: 12.5 }],
  circuits: [{ kind: 'engine', tenant: 'a', subject: 'fat' }],
};

test('deliveries, inbox hits and kills are counted; gauges are those of the reading', async () => {
  const metrics = createMetrics();
  metrics.deliverySettled('a', 'done');
  metrics.deliverySettled('a', 'duplicate');
  metrics.settlementDropped('a');
  metrics.laneKilled('V8_TIMEOUT');
  metrics.limitHit('a', 'V8_TIMEOUT');
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
    'v8host_outbox_rows{tenant="a"} 5',
    'v8host_outbox_lag_seconds{tenant="a"} 12.5',
  ]) {
    assert.ok(page.includes(line), `${line}\n${page}`);
  }
});

test('a tenant that went away leaves no value behind', async () => {
  const metrics = createMetrics();
  await metrics.render(READING);
  const page = await metrics.render({ ...READING, tenants: [], outbox: [], circuits: [] });
  assert.ok(!/v8host_(tenant|outbox|circuits_paused)[^ ]*tenant="a"/.test(page), page);
});
