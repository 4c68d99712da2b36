import { Counter, Histogram, type Registry } from 'prom-client';
import type { Metrics } from '../ports/metrics.ts';
import type { Labels } from './labels.ts';

/** From a run of some milliseconds to the longest that a script may have. Seconds. */
const DURATIONS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
/** Host calls are shorter: the first bucket is what a cache in this process takes. Seconds. */
const CALL_DURATIONS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];
/** From a queue that is served at once to one that waited over a night. Seconds. */
const AGES = [0.1, 1, 5, 15, 60, 300, 1_800, 7_200, 43_200];

/** What is counted when it happens. */
export function createCounters(registry: Registry, labels: Labels): Metrics {
  return { ...deliveryCounters(registry, labels), ...runCounters(registry, labels) };
}

type DeliveryCounters = Pick<Metrics, 'deliverySettled' | 'deliveryBegan' | 'settlementDropped' | 'mqttPublished'>;

function deliveryCounters(registry: Registry, labels: Labels): DeliveryCounters {
  const { counter, histogram } = makers(registry);
  const deliveries = counter('v8host_deliveries_total', 'Deliveries by how they ended', ['tenant', 'outcome']);
  const inboxHits = counter('v8host_inbox_hits_total', 'Deliveries answered by the inbox without a run', ['tenant']);
  const stale = counter('v8host_stale_settlements_total', 'Settlements dropped, their channel being over', ['tenant']);
  const published = counter('v8host_mqtt_publishes_total', 'MQTT messages by what was decided', ['tenant', 'decision']);
  const durations = histogram('v8host_delivery_seconds', 'Time from delivery to settlement', ['tenant'], DURATIONS);
  const ages = histogram('v8host_delivery_age_seconds', 'Age of a message that comes first', ['tenant'], AGES);
  return {
    deliverySettled(name, outcome, seconds) {
      const tenant = labels.tenant(name);
      deliveries.inc({ tenant, outcome });
      durations.observe({ tenant }, seconds);
      if (outcome === 'duplicate') inboxHits.inc({ tenant });
    },
    deliveryBegan: (tenant, seconds) => ages.observe({ tenant: labels.tenant(tenant) }, seconds),
    settlementDropped: (tenant) => stale.inc({ tenant: labels.tenant(tenant) }),
    mqttPublished: (tenant, decision) => published.inc({ tenant: labels.tenant(tenant), decision }),
  };
}

function runCounters(registry: Registry, labels: Labels): Omit<Metrics, keyof DeliveryCounters> {
  const { counter, histogram } = makers(registry);
  const ended = counter('v8host_engine_runs_total', 'Runs of engines by outcome', ['tenant', 'engine', 'outcome']);
  const calls = histogram('v8host_host_call_seconds', 'Time that host calls take', ['call'], CALL_DURATIONS);
  const failedCalls = counter('v8host_host_call_failures_total', 'Host calls answered with Code 0', ['call']);
  const kills = counter('v8host_sandbox_kills_total', 'Lanes killed or lost under a run, by reason', ['reason']);
  const limits = counter('v8host_limits_hit_total', 'Runs that a limit ended or slowed, by code', ['tenant', 'code']);
  const spans = counter('v8host_spans_total', 'Spans of traces by what became of them', ['outcome']);
  const opened = counter('v8host_circuits_opened_total', 'Breakers opened and engines paused', [
    'kind',
    'tenant',
    'subject',
  ]);
  return {
    engineEnded: (tenant, engine, outcome) =>
      ended.inc({ tenant: labels.tenant(tenant), engine: labels.subject(tenant, engine), outcome }),
    hostCallAnswered(call, seconds, failed) {
      calls.observe({ call }, seconds);
      if (failed) failedCalls.inc({ call });
    },
    laneKilled: (reason) => kills.inc({ reason }),
    spansSent: (outcome, count) => spans.inc({ outcome }, count),
    limitHit: (tenant, code) => limits.inc({ tenant: labels.tenant(tenant), code }),
    circuitOpened: (kind, tenant, subject) =>
      opened.inc({ kind, tenant: labels.tenant(tenant), subject: labels.subject(tenant, subject) }),
  };
}

function makers(registry: Registry) {
  const registers = [registry];
  return {
    counter: <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
      new Counter({ name, help, labelNames: [...labelNames], registers }),
    histogram: <L extends string>(name: string, help: string, labelNames: readonly L[], buckets: readonly number[]) =>
      new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers }),
  };
}
