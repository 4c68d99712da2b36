import type { TraceContext } from '../core/trace-parent.ts';

/** Values of OpenTelemetry's attributes. Names and sizes only; never payloads, SQL parameters or secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Its part in a trace, as OpenTelemetry's span kinds say it. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface SpanStart {
  readonly kind: SpanKind;
  /** What it follows from, here or on another host; a new trace begins without it. */
  readonly parent?: TraceContext | undefined;
  readonly attributes?: SpanAttributes;
}

/** One piece of work in a trace. Its own context goes on to whatever follows from it, recorded or not. */
export interface Span extends TraceContext {
  /** Renames it, where its name is known only later. */
  rename(name: string): void;
  /** Adds attributes; one that is undefined is left out. */
  set(attributes: SpanAttributes): void;
  /** Ends it, once. @param error code of the error it failed with. */
  end(error?: string): void;
}

/** Where the host tells what it did, as traces (docs/traces.md). Nothing of it throws, waits or decides anything. */
export interface Tracer {
  /** False where nothing is exported: spans then carry the context on and do nothing else. */
  readonly isOn: boolean;
  /** The queue server as OpenTelemetry names it (`messaging.system`). */
  readonly messagingSystem: string;
  /** @param name of few values: an operation with an engine or a queue, never an id. */
  start(name: string, start: SpanStart): Span;
}
