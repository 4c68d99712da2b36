import { randomUUID } from 'node:crypto';
import type { Config } from '../config/load-config.ts';
import type { Releasers } from '../lifecycle.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Tracer } from '../ports/tracer.ts';
import { createPassiveTracer } from '../telemetry/passive-tracer.ts';
import { productVersion } from './product-version.ts';

interface TracerParts {
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'spansSent'>;
  readonly releasers: Releasers;
}

/** Exports traces where a collector is configured. The library is loaded only then: other hosts start as fast as ever. */
export async function openTracer(config: Config, { ids, log, metrics, releasers }: TracerParts): Promise<Tracer> {
  const { otlpUrl, otlpHeaders, sampleRatio, serviceName } = config.telemetry;
  if (otlpUrl === undefined) return createPassiveTracer(ids);
  const { createOtlpTracer } = await import('../telemetry/otlp-tracer.ts');
  const tracer = createOtlpTracer({
    url: tracesUrl(otlpUrl),
    headers: JSON.parse(otlpHeaders.reveal()) as Record<string, string>,
    serviceName,
    serviceVersion: productVersion(),
    instanceId: randomUUID(),
    sampleRatio,
    messagingSystem: config.queueUrl === undefined ? 'v8host' : 'rabbitmq',
    log: log.child('telemetry'),
    onSpans: (outcome, count) => metrics.spansSent(outcome, count),
  });
  releasers.add('traces', () => tracer.close());
  return tracer;
}

/** As OTEL_EXPORTER_OTLP_ENDPOINT is read: the signal's path follows the address. */
function tracesUrl(address: string): string {
  const base = address.replace(/\/+$/, '');
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`;
}
