import type { LogEvent } from '../../src/core/log-events.ts';
import type { Log, LogFields } from '../../src/ports/log.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly event: LogEvent;
  readonly fields: LogFields;
}

/** A log that keeps its lines for the test to read. */
export class RecordingLog implements Log {
  readonly lines: LogLine[] = [];

  child(): Log {
    return this;
  }
  debug(event: LogEvent, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', event, fields });
  }
  info(event: LogEvent, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', event, fields });
  }
  warn(event: LogEvent, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', event, fields });
  }
  error(event: LogEvent, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', event, fields });
  }

  /** Lines of one event, in order. */
  of(event: LogEvent): LogLine[] {
    return this.lines.filter((line) => line.event === event);
  }
}
