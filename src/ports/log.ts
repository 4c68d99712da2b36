import type { LogEvent } from '../core/log-events.ts';

/** Fields of one log line. Sizes, hashes and names only; never payloads, headers, script sources or secrets. */
export interface LogFields {
  readonly [name: string]: string | number | boolean | null | undefined | Error;
  /** The error that was handled here (core/errors.ts `coerceError`); its cause chain is logged, once. */
  readonly err?: Error;
}

/** The host's own log. Script output is data and goes to `sys_log`, never here. */
export interface Log {
  /** A log whose lines carry the component, such as `app.handle-delivery`. */
  child(component: string): Log;
  debug(event: LogEvent, fields?: LogFields): void;
  /** Lifecycle, and one line per settled delivery. */
  info(event: LogEvent, fields?: LogFields): void;
  /** Healed by itself, or a tenant's misuse. */
  warn(event: LogEvent, fields?: LogFields): void;
  /** An operator must act. */
  error(event: LogEvent, fields?: LogFields): void;
}
