import type { Log } from '../../src/ports/log.ts';

/** A log for tests of what is not about logging. */
export const SILENT_LOG: Log = {
  child: () => SILENT_LOG,
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
