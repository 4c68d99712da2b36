const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * True for a W3C traceparent: after trimming exactly 55 characters of lower-case hex, version not `ff`, trace id and
 * span id not all zero (mq-mqtt.md 4.2, check 7a).
 */
export function isTraceParent(text: string): boolean {
  return TRACE_PARENT.test(text.trim());
}

/** Where a trace stands (W3C Trace Context): what a message or a request carries on. */
export interface TraceContext {
  readonly traceParent: string;
  readonly traceState: string | null;
}

/** Longest tracestate that is carried on; W3C asks for 512 characters at least. */
const MAX_TRACE_STATE = 512;

/** Visible ASCII and blanks: what every header can carry. */
const TRACE_STATE = /^[\x20-\x7e]*$/;

/**
 * The context that somebody else sent. @returns undefined without a valid traceparent; a tracestate that is too long,
 * or that no header could carry, is left out.
 */
export function readTraceContext(
  traceParent: string | null | undefined,
  traceState: string | null | undefined,
): TraceContext | undefined {
  if (traceParent == null || !isTraceParent(traceParent)) return undefined;
  const state = traceState?.trim() ?? '';
  const isKept = state !== '' && state.length <= MAX_TRACE_STATE && TRACE_STATE.test(state);
  return { traceParent: traceParent.trim(), traceState: isKept ? state : null };
}

/**
 * The traceparent of a new span. It goes on with the parent's trace and flags when the parent is valid, else it starts
 * the trace `traceIdHex`, sampled.
 * @param traceIdHex 32 lower-case hex digits. @param spanIdHex 16 lower-case hex digits.
 */
export function childTraceParent(parent: string | null, traceIdHex: string, spanIdHex: string): string {
  if (parent === null || !isTraceParent(parent)) return `00-${traceIdHex}-${spanIdHex}-01`;
  const [, traceId, , flags] = parent.trim().split('-');
  return `00-${traceId}-${spanIdHex}-${flags}`;
}
