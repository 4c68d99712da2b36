/**
 * Limits of one run. Defaults and caps: defaults.md 6, reproduced in docs/limits.md.
 * Times are milliseconds, sizes bytes unless the name says otherwise.
 */
export interface RunLimits {
  /** Wall time from the start of the script, host calls included. */
  readonly wallMs: number;
  /** CPU time of the whole lane process. */
  readonly cpuMs: number;
  /** V8 heap of the isolate. */
  readonly heapMb: number;
  /** Resident memory of the lane process. */
  readonly rssMb: number;
  readonly resultBytes: number;
  readonly paramBytes: number;
  /** Arguments of one host call. */
  readonly argumentBytes: number;
  /** Reply of one host call. */
  readonly replyBytes: number;
  readonly hostCalls: number;
  readonly nesting: number;
  readonly logLines: number;
  readonly logBytes: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_RUN_LIMITS: RunLimits = Object.freeze({
  wallMs: 60_000,
  cpuMs: 10_000,
  heapMb: 128,
  rssMb: 300,
  resultBytes: MIB,
  paramBytes: 8 * MIB,
  argumentBytes: 16 * MIB,
  replyBytes: 16 * MIB,
  hostCalls: 10_000,
  nesting: 32,
  logLines: 256,
  logBytes: 64 * 1024,
});

/** Longest wall time a binding may ask for (`@timeout`, TimeoutSeconds). */
export const MAX_WALL_MS = 600_000;

/** Largest V8 heap that an engine may be given (`LimitMemory`). MB. */
export const MAX_HEAP_MB = 512;

/** Longest wait of a call for its turn; messages wait as long as it takes. Milliseconds. */
export const CALL_QUEUE_WAIT_MS = 30_000;

/** Host calls a second of one tenant. A busy lane makes some 10,000, so this stops floods, not work. */
export const HOST_CALLS_PER_SECOND = 20_000;

/** Largest message a script may send; a larger one is Code 0. */
export const MAX_SENT_MESSAGE_BYTES = 4 * MIB;

/** Largest message body taken from a queue; a larger one is a dead letter `too-large`. */
export const MAX_RECEIVED_MESSAGE_BYTES = 16 * MIB;

/** Deepest nesting of a JSON document that the host reads from a message or a request. */
export const MAX_JSON_DEPTH = 256;

/** Values in a JSON document that the host reads from a message, a request or a host call, each member and each item counted. */
export const MAX_JSON_VALUES = 500_000;

/** Rows of one read: without `_PageSize`, and at most with it. */
export const DEFAULT_ROWS_PER_READ = 10_000;
export const MAX_ROWS_PER_READ = 100_000;
