import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type Span,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../ports/log.ts';

/** Ended spans that wait at most; more are dropped and counted. About 2 KB each. */
const MAX_WAITING = 4_096;

/** Spans of one post. */
const BATCH = 512;

/** What a host that ends waits for its last post. Milliseconds. */
const CLOSE_MS = 2_000;

export interface SpanQueueOptions {
  readonly log: Log;
  /** Told what became of spans. */
  readonly onSpans: (outcome: SpanOutcome, count: number) => void;
  /** Longest wait for one post. Milliseconds. */
  readonly postMs: number;
  /** Between two posts. Milliseconds. */
  readonly delayMs: number;
}

/** `failed`: the collector did not take them. `dropped`: too many waited. */
export type SpanOutcome = 'exported' | 'failed' | 'dropped';

/**
 * Ended spans on their way to the collector. It never waits for it: while the collector is away so many spans are kept
 * and no more, and the log says so once.
 */
export class SpanQueue implements SpanProcessor {
  readonly #options: SpanQueueOptions;
  readonly #batches: BatchSpanProcessor;
  #waiting = 0;
  #isAway = false;

  constructor(exporter: SpanExporter, options: SpanQueueOptions) {
    this.#options = options;
    this.#batches = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) => this.#export(exporter, spans, done),
        forceFlush: async () => exporter.forceFlush?.(),
        shutdown: () => exporter.shutdown(),
      },
      maxQueueSize: MAX_WAITING,
      maxExportBatchSize: BATCH,
      // Longer than the exporter's own, which tells why.
      exportTimeoutMillis: options.postMs * 2,
      scheduledDelayMillis: options.delayMs,
    });
  }

  onStart(): void {}

  onEnd(span: Span): void {
    if (this.#waiting >= MAX_WAITING) {
      this.#options.onSpans('dropped', 1);
      return;
    }
    this.#waiting += 1;
    this.#batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown();
  }

  /** Posts what waits. A collector that does not answer keeps nobody. */
  async close(): Promise<void> {
    const over = new AbortController();
    const last = this.shutdown().catch(() => undefined);
    await Promise.race([last, sleep(CLOSE_MS, undefined, { signal: over.signal, ref: false }).catch(() => undefined)]);
    over.abort();
  }

  #export(exporter: SpanExporter, spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#waiting -= spans.length;
    exporter.export(spans, (result) => {
      // 0 is the library's code of success.
      const isTaken = result.code === 0;
      this.#options.onSpans(isTaken ? 'exported' : 'failed', spans.length);
      this.#tell(isTaken, result.error);
      // A failure is told here; the library would only tell it to nobody.
      done({ code: 0 });
    });
  }

  #tell(isTaken: boolean, error: Error | undefined): void {
    if (isTaken === !this.#isAway) return;
    this.#isAway = !isTaken;
    if (isTaken) this.#options.log.info('traces.export_resumed');
    else this.#options.log.warn('traces.export_failed', { reason: (error?.message ?? '').slice(0, 200) });
  }
}
