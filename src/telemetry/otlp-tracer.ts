/** Traces for an OpenTelemetry collector. Loaded only where traces are exported: the library is hundreds of files. */
import {
  type Context,
  createTraceState,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TraceContext } from '../core/trace-parent.ts';
import type { Log } from '../ports/log.ts';
import type { Span, SpanAttributes, SpanStart, Tracer } from '../ports/tracer.ts';
import { SpanQueue, type SpanQueueOptions } from './span-queue.ts';

export interface OtlpTracerOptions {
  /** Where spans are posted to, such as `http://collector:4318/v1/traces`. */
  readonly url: string;
  /** Sent with each post, such as an Authorization. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly serviceVersion: string;
  /** Tells this process from others of the service. */
  readonly instanceId: string;
  /** Share of the traces that begin here and are exported, 0 to 1; one that came from elsewhere follows its caller. */
  readonly sampleRatio: number;
  readonly messagingSystem: string;
  readonly log: Log;
  readonly onSpans: SpanQueueOptions['onSpans'];
  /** Between two posts. Milliseconds. */
  readonly delayMs?: number;
}

/** A tracer that exports, with its end. */
export interface ExportingTracer extends Tracer {
  /** Posts what waits, for two seconds at most, and stops. Never rejects. */
  close(): Promise<void>;
}

/** Longest value of an attribute: names of tables and engines, whatever a script called them. Characters. */
const MAX_VALUE = 256;

/** Longest wait for one post. Milliseconds. */
const POST_MS = 5_000;

/** Between two posts. Milliseconds. */
const DELAY_MS = 2_000;

/** Starts exporting. */
export function createOtlpTracer(options: OtlpTracerOptions): ExportingTracer {
  const { url, headers, messagingSystem } = options;
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: POST_MS });
  const queue = new SpanQueue(exporter, { delayMs: DELAY_MS, ...options, postMs: POST_MS });
  const provider = new TracerProvider({
    sampler: samplerOf(options.sampleRatio),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE },
    spanProcessors: [queue],
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.serviceVersion,
      'service.instance.id': options.instanceId,
    }),
  });
  const tracer = provider.getTracer('v8host', options.serviceVersion);
  return {
    isOn: true,
    messagingSystem,
    start: (name, start) => startSpan(tracer, name, start),
    close: () => queue.close(),
  };
}

/** With a ratio of 0 nothing is exported, whoever asks for it. */
function samplerOf(ratio: number): Sampler {
  if (ratio === 0) return new AlwaysOffSampler();
  return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

function startSpan(tracer: OtelTracer, name: string, { kind, parent, attributes }: SpanStart): Span {
  return new RecordedSpan(
    tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, contextOf(parent)),
  );
}

function contextOf(parent: TraceContext | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  if (parent instanceof RecordedSpan) return parent.context;
  const [, traceId = '', spanId = '', flags = '00'] = parent.traceParent.split('-');
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(parent.traceState === null ? {} : { traceState: createTraceState(parent.traceState) }),
  });
}

/** A span of the library. One that is not sampled has its context, too. */
class RecordedSpan implements Span {
  readonly #span: OtelSpan;

  constructor(span: OtelSpan) {
    this.#span = span;
  }

  get context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.#span);
  }

  get traceParent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? '01' : '00'}`;
  }

  get traceState(): string | null {
    return this.#span.spanContext().traceState?.serialize() || null;
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    if (this.#span.isRecording()) this.#span.setAttributes({ ...attributes });
  }

  end(error?: string): void {
    if (error !== undefined) {
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
      this.#span.setAttribute('error.type', error);
    }
    this.#span.end();
  }
}
