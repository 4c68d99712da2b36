import { Counter, Gauge, Registry } from 'prom-client';
import type { GaugeReading, Metrics } from '../ports/metrics.ts';

/** The host's metrics in Prometheus' text format. Every series is in docs/metrics.md. */
export interface MetricsPage extends Metrics {
  readonly contentType: string;
  /** Prints everything, with the gauges as read now. */
  render(reading: GaugeReading): Promise<string>;
}

const CIRCUIT_LABELS = ['kind', 'tenant', 'subject'] as const;

/** Makes an empty page; each host has its own. */
export function createMetrics(): MetricsPage {
  const registry = new Registry();
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });

  const deliveries = counter('v8host_deliveries_total', 'Deliveries by how they ended', ['tenant', 'outcome']);
  const inboxHits = counter('v8host_inbox_hits_total', 'Deliveries answered by the inbox without a run', ['tenant']);
  const stale = counter('v8host_stale_settlements_total', 'Settlements dropped, their channel being over', ['tenant']);
  const kills = counter('v8host_sandbox_kills_total', 'Lanes killed or lost under a run, by reason', ['reason']);
  const limits = counter('v8host_limits_hit_total', 'Runs that a limit ended or slowed, by code', ['tenant', 'code']);
  const opened = counter('v8host_circuits_opened_total', 'Breakers opened and engines paused', CIRCUIT_LABELS);
  const paused = gauge('v8host_circuits_paused', 'Bindings and engines paused or probed now', CIRCUIT_LABELS);
  const inFlight = gauge('v8host_in_flight', 'Deliveries being handled');
  const lanes = gauge('v8host_lanes', 'Sandbox lanes by state', ['state']);
  const runs = gauge('v8host_tenant_runs', 'Runs of a tenant by state', ['tenant', 'state']);
  const balance = gauge('v8host_tenant_cpu_balance_seconds', 'CPU time that a tenant may still use', ['tenant']);
  const quarantine = gauge('v8host_tenant_quarantined', '1 while a tenant runs apart because it cost a lane', [
    'tenant',
  ]);
  const rows = gauge('v8host_outbox_rows', 'Messages committed and not sent yet', ['tenant']);
  const failed = gauge('v8host_outbox_failed_rows', 'Messages that cannot be sent', ['tenant']);
  const lag = gauge('v8host_outbox_lag_seconds', 'Age of the oldest unsent message', ['tenant']);

  return {
    contentType: registry.contentType,
    deliverySettled(tenant, outcome) {
      deliveries.inc({ tenant, outcome });
      if (outcome === 'duplicate') inboxHits.inc({ tenant });
    },
    settlementDropped: (tenant) => stale.inc({ tenant }),
    laneKilled: (reason) => kills.inc({ reason }),
    limitHit: (tenant, code) => limits.inc({ tenant, code }),
    circuitOpened: (kind, tenant, subject) => opened.inc({ kind, tenant, subject }),
    async render(reading) {
      inFlight.set(reading.inFlight);
      lanes.set({ state: 'busy' }, reading.lanes.busy);
      lanes.set({ state: 'idle' }, Math.max(0, reading.lanes.lanes - reading.lanes.busy));
      lanes.set({ state: 'awaited' }, reading.lanes.waiting);
      // A tenant that went away must not leave its last value behind.
      for (const series of [runs, balance, quarantine, rows, failed, lag, paused]) series.reset();
      for (const load of reading.tenants) {
        runs.set({ tenant: load.tenant, state: 'running' }, load.running);
        runs.set({ tenant: load.tenant, state: 'waiting' }, load.waiting);
        balance.set({ tenant: load.tenant }, load.cpuBalanceMs / 1000);
        quarantine.set({ tenant: load.tenant }, load.quarantined ? 1 : 0);
      }
      for (const { kind, tenant, subject } of reading.circuits) paused.set({ kind, tenant, subject }, 1);
      for (const outbox of reading.outbox) {
        rows.set({ tenant: outbox.tenant }, outbox.rows);
        failed.set({ tenant: outbox.tenant }, outbox.failed);
        lag.set({ tenant: outbox.tenant }, outbox.lagSeconds);
      }
      return registry.metrics();
    },
  };
}
