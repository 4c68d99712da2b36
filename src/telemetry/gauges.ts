import { Gauge, type Registry } from 'prom-client';
import type { GaugeReading } from '../ports/metrics.ts';
import { measureEventLoop } from './event-loop.ts';
import type { Labels } from './labels.ts';

type Show = (reading: GaugeReading) => void;

/** What is measured when somebody asks. @returns what takes a reading into the registry. */
export function createGauges(registry: Registry, labels: Labels): Show {
  const parts = [
    hostGauges(registry),
    tenantGauges(registry, labels),
    outboxGauges(registry, labels),
    backlogGauges(registry, labels),
    circuitGauges(registry, labels),
    queueGauges(registry, labels),
  ];
  return (reading) => {
    for (const show of parts) show(reading);
  };
}

function hostGauges(registry: Registry): Show {
  const gauge = maker(registry);
  const inFlight = gauge('v8host_in_flight', 'Deliveries being handled');
  const lanes = gauge('v8host_lanes', 'Sandbox lanes by state', ['state']);
  const connections = gauge('v8host_mqtt_connections', 'Devices connected to this host');
  const sockets = gauge('v8host_http_connections', 'Open connections to the HTTP server');
  const late = gauge('v8host_event_loop_lag_seconds', 'How late the event loop was since the last scrape', [
    'quantile',
  ]);
  const resident = gauge('v8host_resident_bytes', 'Memory of the host process without its lanes');
  const readLag = measureEventLoop();
  return (reading) => {
    inFlight.set(reading.inFlight);
    lanes.set({ state: 'busy' }, reading.lanes.busy);
    lanes.set({ state: 'idle' }, Math.max(0, reading.lanes.lanes - reading.lanes.busy));
    lanes.set({ state: 'awaited' }, reading.lanes.waiting);
    connections.set(reading.mqttConnections);
    sockets.set(reading.httpConnections);
    const { p50, p99, max } = readLag();
    late.set({ quantile: '0.5' }, p50);
    late.set({ quantile: '0.99' }, p99);
    late.set({ quantile: '1' }, max);
    resident.set(process.memoryUsage.rss());
  };
}

function tenantGauges(registry: Registry, labels: Labels): Show {
  const gauge = maker(registry);
  const runs = gauge('v8host_tenant_runs', 'Runs of a tenant by state', ['tenant', 'state']);
  const balance = gauge('v8host_tenant_cpu_balance_seconds', 'CPU time that a tenant may still use', ['tenant']);
  const quarantine = gauge('v8host_tenant_quarantined', '1 while a tenant runs apart because it cost a lane', [
    'tenant',
  ]);
  const pool = gauge('v8host_pool_connections', 'Database connections by use and state', ['tenant', 'use', 'state']);
  return (reading) => {
    startOver(runs, balance, quarantine, pool);
    for (const load of reading.tenants) {
      const tenant = labels.tenant(load.tenant);
      runs.inc({ tenant, state: 'running' }, load.running);
      runs.inc({ tenant, state: 'waiting' }, load.waiting);
      balance.inc({ tenant }, load.cpuBalanceMs / 1000);
      quarantine.inc({ tenant }, load.quarantined ? 1 : 0);
    }
    for (const { tenant: name, use, used, size, waiting } of reading.pools) {
      const tenant = labels.tenant(name);
      pool.inc({ tenant, use, state: 'used' }, used);
      pool.inc({ tenant, use, state: 'size' }, size);
      pool.inc({ tenant, use, state: 'awaited' }, waiting);
    }
  };
}

function outboxGauges(registry: Registry, labels: Labels): Show {
  const gauge = maker(registry);
  const rows = gauge('v8host_outbox_rows', 'Messages committed and not sent yet', ['tenant']);
  const failed = gauge('v8host_outbox_failed_rows', 'Messages that cannot be sent', ['tenant']);
  const lag = gauge('v8host_outbox_lag_seconds', 'Age of the oldest unsent message', ['tenant']);
  return (reading) => {
    startOver(rows, failed, lag);
    const oldest = new Map<string, number>();
    for (const outbox of reading.outbox) {
      const tenant = labels.tenant(outbox.tenant);
      rows.inc({ tenant }, outbox.rows);
      failed.inc({ tenant }, outbox.failed);
      // Of those that share a label the oldest counts, not the sum.
      oldest.set(tenant, Math.max(outbox.lagSeconds, oldest.get(tenant) ?? 0));
    }
    for (const [tenant, seconds] of oldest) lag.set({ tenant }, seconds);
  };
}

function backlogGauges(registry: Registry, labels: Labels): Show {
  const gauge = maker(registry);
  const parked = gauge('v8host_parked_messages', 'Messages kept as rows: dead, or waiting', ['tenant', 'state']);
  const queued = gauge('v8host_queue_messages', 'Messages in bound queues', ['tenant', 'queue', 'state']);
  return (reading) => {
    startOver(parked, queued);
    for (const backlog of reading.backlog) {
      const tenant = labels.tenant(backlog.tenant);
      parked.inc({ tenant, state: 'dead' }, backlog.deadLetters);
      parked.inc({ tenant, state: 'waiting' }, backlog.waiting);
      for (const { queue: name, ready, unsettled } of backlog.queues) {
        const queue = labels.subject(backlog.tenant, name);
        queued.inc({ tenant, queue, state: 'ready' }, ready);
        queued.inc({ tenant, queue, state: 'unsettled' }, unsettled);
      }
    }
  };
}

function circuitGauges(registry: Registry, labels: Labels): Show {
  const paused = maker(registry)('v8host_circuits_paused', 'Bindings and engines paused or probed now', [
    'kind',
    'tenant',
    'subject',
  ]);
  return (reading) => {
    startOver(paused);
    for (const { kind, tenant, subject } of reading.circuits) {
      paused.inc({ kind, tenant: labels.tenant(tenant), subject: labels.subject(tenant, subject) });
    }
  };
}

function queueGauges(registry: Registry, labels: Labels): Show {
  const connections = maker(registry)('v8host_queue_connections', 'Connections to RabbitMQ by use and state', [
    'tenant',
    'use',
    'state',
  ]);
  return (reading) => {
    startOver(connections);
    for (const { tenant, use, state } of reading.queueConnections)
      connections.inc({ tenant: labels.tenant(tenant), use, state });
  };
}

/** A tenant that went away must not leave its last value behind. */
function startOver(...gauges: readonly { reset(): void }[]): void {
  for (const gauge of gauges) gauge.reset();
}

function maker(registry: Registry) {
  return <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
}
