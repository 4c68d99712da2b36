import { constants } from 'node:sqlite';
import { tableAccess } from '../../core/protected-tables.ts';

/**
 * What a script's statement may consist of. Everything else is refused: ATTACH, PRAGMA, COMMIT, DDL (delivery.md F2),
 * and recursion, which need not end: a statement cannot be interrupted, and holds the host's thread.
 */
const READS: ReadonlySet<number> = new Set([constants.SQLITE_SELECT, constants.SQLITE_READ]);
const WRITES: ReadonlySet<number> = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
]);

/** Decides whether a script's statement may do this. The table is the first argument of reads and writes. */
export function authorizeScript(action: number, first: string | null, second: string | null): number {
  if (action === constants.SQLITE_FUNCTION) return allowIf(second?.toLowerCase() !== 'load_extension');
  if (READS.has(action)) return allowIf(first === null || accessTo(first) !== 'hidden');
  if (WRITES.has(action)) return allowIf(first !== null && accessTo(first) === 'write');
  return constants.SQLITE_DENY;
}

/** SQLite's own tables would show the names of hidden ones. */
function accessTo(table: string): 'hidden' | 'read' | 'write' {
  return /^sqlite_/i.test(table) ? 'hidden' : tableAccess(table);
}

function allowIf(allowed: boolean): number {
  return allowed ? constants.SQLITE_OK : constants.SQLITE_DENY;
}
