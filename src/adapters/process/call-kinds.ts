import { HOST_CALL_ROWS } from '../../protocol/host-call-names.ts';

export const KNOWN_CALLS: ReadonlySet<string> = new Set(HOST_CALL_ROWS.map((row) => row.name));

/** Calls that have an `Async` twin. */
export const ASYNC_CALLS: ReadonlySet<string> = new Set(
  HOST_CALL_ROWS.filter((row) => 'async' in row).map((row) => row.name),
);

/** Calls that touch no transaction: they wait for no other. */
export const PARALLEL_CALLS: ReadonlySet<string> = new Set(
  HOST_CALL_ROWS.filter((row) => 'async' in row && row.async === 'parallel').map((row) => row.name),
);
