const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * True for a W3C traceparent: after trimming exactly 55 characters of lower-case hex, version not `ff`, trace id and
 * span id not all zero (mq-mqtt.md 4.2, check 7a).
 */
export function isTraceParent(text: string): boolean {
  return TRACE_PARENT.test(text.trim());
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
