import { Registry } from 'prom-client';
import type { GaugeReading, Metrics } from '../ports/metrics.ts';
import { createCounters } from './counters.ts';
import { createGauges } from './gauges.ts';
import { cappedLabels, DEFAULT_LABEL_CAPS, type LabelCaps } from './labels.ts';

/** The host's metrics in Prometheus' text format. Every series is in docs/metrics.md. */
export interface MetricsPage extends Metrics {
  readonly contentType: string;
  /** Prints everything, with the gauges as read now. */
  render(reading: GaugeReading): Promise<string>;
}

/** Makes an empty page; each host has its own. */
export function createMetrics(caps: LabelCaps = DEFAULT_LABEL_CAPS): MetricsPage {
  const registry = new Registry();
  const labels = cappedLabels(caps);
  const showGauges = createGauges(registry, labels);
  return {
    contentType: registry.contentType,
    ...createCounters(registry, labels),
    async render(reading) {
      showGauges(reading);
      return registry.metrics();
    },
  };
}
