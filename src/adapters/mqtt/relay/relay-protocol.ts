/**
 * How hosts speak with the one that runs the broker: HTTP/2 inside the TLS of relay-tls.ts. A device's connection is one
 * stream, whose bytes go both ways as they are, with the device's address in `x-address`; everything else is a request
 * with a JSON answer, `{value}` or `{error}`.
 */
export const PATHS = {
  device: '/device',
  /** Body: core/mqtt-message.ts, the tenant beside it; the message's own id in `x-id`. */
  publish: '/publish',
  /** These: `{tenant, name}`. */
  sessions: '/sessions',
  retained: '/retained',
  subscribers: '/subscribers',
  disconnect: '/disconnect',
} as const;

/** Of all streams together: one device that does not read must not stop the others. Bytes. */
export const WINDOW_BYTES = 64 * 1024 * 1024;

/** The defaults guard a public server against strangers; these streams are devices of another host of ours. */
export const SESSION_OPTIONS = {
  maxSessionMemory: 1_000,
  streamResetBurst: 100_000,
  streamResetRate: 10_000,
  settings: { enablePush: false, maxConcurrentStreams: 100_000 },
} as const;
