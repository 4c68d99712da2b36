import type { TestContext } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import type { Log } from '../../src/ports/log.ts';
import { createOtlpTracer, type ExportingTracer } from '../../src/telemetry/otlp-tracer.ts';
import { SILENT_LOG } from './silent-log.ts';

/** The real tracer, which posts every 20 ms, with what it told of its spans. */
export interface TestTracer {
  readonly tracer: ExportingTracer;
  /** Spans by outcome. */
  readonly sent: Record<string, number>;
  /** For `TestHost.open`: the host uses this tracer. */
  readonly decorate: (adapters: Adapters) => Adapters;
}

/** It ends with the test. */
export function openTestTracer(
  t: TestContext,
  url: string,
  { sampleRatio = 1, log = SILENT_LOG }: { readonly sampleRatio?: number; readonly log?: Log } = {},
): TestTracer {
  const sent: Record<string, number> = {};
  const tracer = createOtlpTracer({
    url: `${url}/v1/traces`,
    headers: { authorization: 'Bearer of-the-collector' },
    serviceName: 'v8host',
    serviceVersion: '0.0.0',
    instanceId: 'one',
    sampleRatio,
    messagingSystem: 'v8host',
    log,
    onSpans: (outcome, count) => {
      sent[outcome] = (sent[outcome] ?? 0) + count;
    },
    delayMs: 20,
  });
  t.after(() => tracer.close());
  return { tracer, sent, decorate: (adapters) => ({ ...adapters, tracer }) };
}
