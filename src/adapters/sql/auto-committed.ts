import type { CompiledQuery } from 'kysely';
import { AppError } from '../../core/errors.ts';
import type { Durability } from './connection-sqlite.ts';
import { kyselyOver } from './kysely-session.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { untilOver } from './statement-time.ts';
import type { ScriptDb } from './system-tables.ts';
import { type StatementTarget, targetOver } from './table-store.ts';

/** Statements that commit by themselves. */
export function autoCommitted(database: SqlDatabase, durability: Durability): StatementTarget {
  return {
    read: (work) => work(database.scriptReader),
    write: (work) => database.writeAsScript(work, durability),
    allOrNothing: (work) => database.writeTogether((db) => work(targetOver(db, (nested) => nested())), durability),
  };
}

/** The same statements for one run: none begins after its end, and one that is under way then is ended. */
export function endingWith(over: AbortSignal, dialect: SqlDialect, target: StatementTarget): StatementTarget {
  const builders = new WeakMap<ScriptDb, ScriptDb>();
  const bound = (db: ScriptDb): ScriptDb => {
    const known = builders.get(db);
    if (known !== undefined) return known;
    const made: ScriptDb = kyselyOver(dialect, async (query: CompiledQuery) => {
      if (over.aborted) throw new AppError('DB_TX_LOST');
      return db.executeQuery(untilOver(query, over));
    });
    builders.set(db, made);
    return made;
  };
  return {
    read: (work) => target.read((db) => work(bound(db))),
    write: (work) => target.write((db) => work(bound(db))),
    allOrNothing: (work) => target.allOrNothing((group) => work(endingWith(over, dialect, group))),
  };
}
