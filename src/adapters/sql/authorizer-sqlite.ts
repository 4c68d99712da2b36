import { constants } from 'node:sqlite';
import { tableAccess } from '../../core/protected-tables.ts';
import { CATALOGUE_PRAGMAS, isCatalogueView } from './catalogue-sqlite.ts';

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

/** What SQLite says about an action. */
interface ActionNames {
  /** The table of reads and writes. */
  readonly first: string | null;
  readonly second: string | null;
  /** The innermost view that does it. */
  readonly view: string | null;
}

/** Decides whether a script's statement may do this. */
export function authorizeScript(action: number, { first, second, view }: ActionNames): number {
  if (action === constants.SQLITE_PRAGMA) return allowIf(CATALOGUE_PRAGMAS.has(first ?? ''));
  if (action === constants.SQLITE_FUNCTION) return allowIf(second?.toLowerCase() !== 'load_extension');
  if (READS.has(action)) return allowIf(first === null || accessTo(first) !== 'hidden' || isCatalogueView(view));
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
