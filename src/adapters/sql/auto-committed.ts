import type { Durability } from './connection-sqlite.ts';
import type { SqlDatabase } from './sql-database.ts';
import { type StatementTarget, targetOver } from './table-store.ts';

/** Statements that commit by themselves. */
export function autoCommitted(database: SqlDatabase, durability: Durability): StatementTarget {
  return {
    read: (work) => work(database.scriptReader),
    write: (work) => database.writeAsScript(work, durability),
    allOrNothing: (work) => database.writeTogether((db) => work(targetOver(db, (nested) => nested())), durability),
  };
}
