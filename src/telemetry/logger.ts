import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import type { LogEvent } from '../core/log-events.ts';
import type { Log, LogFields } from '../ports/log.ts';
import { errorFields } from './error-fields.ts';
import { maskField } from './mask-secrets.ts';
import { toTextLine } from './text-line.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LoggerOptions {
  /** Lines below it are not written. */
  readonly level: LogLevel;
  /** `json` for machines, `text` for people, `auto` by whether the stream is a terminal. */
  readonly format: 'auto' | 'json' | 'text';
  /** Standard output unless given. */
  readonly stream?: LogStream;
}

export interface LogStream {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/** Makes the host's log: `{time, level, component, event, …fields, err}`, one line each. */
export function createLogger(options: LoggerOptions): Log {
  const stream = options.stream ?? process.stdout;
  const text = options.format === 'text' || (options.format === 'auto' && stream.isTTY === true);
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      // Errors are written by errorFields; pino must neither do it again nor copy their message.
      errorKey: 'thrown',
      serializers: { err: (fields: unknown) => fields },
      // The text of a level: numbers mean something to pino only.
      formatters: { level: (label) => ({ level: label }) },
    },
    text ? textStream(stream) : jsonStream(options.stream),
  );
  return toLog(logger, undefined);
}

/** Synchronous, so that the last line before a crash is not lost. */
function jsonStream(stream: LogStream | undefined): DestinationStream {
  return stream === undefined ? destination({ dest: 1, sync: true }) : { write: (line) => void stream.write(line) };
}

function textStream(stream: LogStream): DestinationStream {
  return { write: (line) => void stream.write(toTextLine(JSON.parse(line) as Record<string, unknown>)) };
}

function toLog(logger: PinoLogger, component: string | undefined): Log {
  const write =
    (level: LogLevel) =>
    (event: LogEvent, fields: LogFields = {}): void => {
      if (logger.isLevelEnabled(level)) logger[level](toRecord(component, event, fields));
    };
  return {
    child: (name) => toLog(logger, name),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

/** Event first. Names that the line itself uses cannot be taken over by a field. */
function toRecord(component: string | undefined, event: LogEvent, fields: LogFields): Record<string, unknown> {
  const record: Record<string, unknown> = component === undefined ? { event } : { component, event };
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'time' || name === 'level' || Object.hasOwn(record, name)) continue;
    record[name] = value instanceof Error ? errorFields(value) : maskField(name, value);
  }
  return record;
}
