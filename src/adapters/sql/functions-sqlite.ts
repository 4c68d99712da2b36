import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { LocalClock } from './function-values-sqlite.ts';
import { DATE_FUNCTIONS } from './functions-sqlite-date.ts';
import { TEXT_FUNCTIONS } from './functions-sqlite-text.ts';

/** Gives a connection the functions of MySQL that scripts use and SQLite lacks or reads otherwise (defaults.md 10.10). */
export function registerFunctions(db: DatabaseSync, clock: LocalClock): void {
  for (const [name, compute] of Object.entries({ ...DATE_FUNCTIONS, ...TEXT_FUNCTIONS })) {
    db.function(name, { varargs: true, useBigIntArguments: true }, (...values: SQLOutputValue[]) =>
      compute(clock, ...values),
    );
  }
}
