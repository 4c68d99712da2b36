/** Time. Tests give a clock of their own; stores keep theirs for due times and leases (delivery.md 4). */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Resolves after `ms`, or earlier when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Local wall-clock text `yyyy-MM-dd HH:mm:ss` in the configured time zone. */
  localText(ms: number): string;
}
