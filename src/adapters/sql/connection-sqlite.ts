import { constants, DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { authorizeScript } from './authorizer-sqlite.ts';
import { CREATE_CATALOGUE_VIEWS } from './catalogue-sqlite.ts';
import { fromSqliteError } from './errors-sqlite.ts';
import type { LocalClock } from './function-values-sqlite.ts';
import { registerFunctions } from './functions-sqlite.ts';
import { ReadBounds } from './read-bounds.ts';
import { timeOf, tookTooLong } from './statement-time.ts';
import { SqliteWorkBound } from './work-bound-sqlite.ts';

/** Whose statement it is: the host's, or a script's under the authorizer. */
export type Authority = 'host' | 'script';

/** `part` is one message's share of a transaction, `batch` a script's group of writes inside of it. */
export type SavepointStatement = `${'SAVEPOINT' | 'ROLLBACK TO' | 'RELEASE'} batch`;

/** `full`: a commit waits for the disk. `relaxed`: a cut of the power may take it away, the end of the process does not. */
export type Durability = 'full' | 'relaxed';

const MAX_CACHED_STATEMENTS = 200;

/** Longest text or row: a function such as `replace` must not fill the host's memory. The host's own reach 16 MiB. */
const MAX_VALUE_BYTES = 64 * 1024 * 1024;

/** One connection to one file. Synchronous: a statement is never interrupted by another one of this process. */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #work: SqliteWorkBound;
  #authority: Authority = 'host';
  #durability: Durability = 'full';

  private constructor(db: DatabaseSync, clock: LocalClock) {
    this.#db = db;
    this.#work = new SqliteWorkBound(db);
    db.limits.length = MAX_VALUE_BYTES;
    registerFunctions(db, clock);
    db.exec(CREATE_CATALOGUE_VIEWS);
    db.setAuthorizer((action, first, second, _database, view) =>
      this.#authority === 'host' ? constants.SQLITE_OK : authorizeScript(action, { first, second, view }),
    );
  }

  /** @throws AppError DB_UNAVAILABLE when the file is no database or cannot be opened, DB_BUSY. */
  static open(path: string, options: { readOnly: boolean; clock: LocalClock }): SqliteConnection {
    try {
      const db = new DatabaseSync(path, { readOnly: options.readOnly, timeout: 0 });
      return SqliteConnection.#configured(db, options);
    } catch (error: unknown) {
      throw fromSqliteError(error);
    }
  }

  static #configured(
    db: DatabaseSync,
    { readOnly, clock }: { readOnly: boolean; clock: LocalClock },
  ): SqliteConnection {
    try {
      // FULL: an acknowledgement may be less durable than the effect, never more (delivery.md F11).
      if (!readOnly) db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      return new SqliteConnection(db, clock);
    } catch (error: unknown) {
      db.close();
      throw error;
    }
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** How the next transaction commits. Not inside of one. */
  setDurability(durability: Durability): void {
    if (durability === this.#durability) return;
    this.#db.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
    this.#durability = durability;
  }

  /** Executes a transaction word. @throws AppError. */
  exec(statement: 'BEGIN IMMEDIATE' | 'COMMIT' | 'ROLLBACK' | SavepointStatement): void {
    try {
      this.#db.exec(statement);
    } catch (error: unknown) {
      throw fromSqliteError(error);
    }
  }

  /** Number that SQLite raises with every change of a table. */
  schemaVersion(): number {
    const row = this.#prepare('PRAGMA schema_version', 'host').get();
    return Number(row?.schema_version);
  }

  /** @throws AppError. */
  execute(query: CompiledQuery, authority: Authority): QueryResult<Record<string, unknown>> {
    const values = query.parameters.map(toBindable);
    // Also while it runs: SQLite prepares a statement again by itself after a change of the schema.
    this.#authority = authority;
    try {
      const statement = this.#prepare(query.sql, authority);
      if (authority === 'script') this.#assertBearable(query.sql);
      return run(statement, values, { authority, timeoutMs: timeOf(query).timeoutMs });
    } catch (error: unknown) {
      throw fromSqliteError(error);
    } finally {
      this.#authority = 'host';
    }
  }

  /** Looking at a plan is the host's own doing. @throws AppError SQL_TOO_MUCH_WORK. */
  #assertBearable(text: string): void {
    this.#authority = 'host';
    this.#work.assertWithin(text, () => this.schemaVersion());
    this.#authority = 'script';
  }

  close(): void {
    this.#statements.clear();
    if (this.#db.isOpen) this.#db.close();
  }

  #prepare(text: string, authority: Authority): StatementSync {
    const key = `${authority}:${text}`;
    const cached = this.#statements.get(key);
    const statement = cached ?? this.#db.prepare(text, { readBigInts: true });
    // Re-inserting keeps the map in order of last use.
    this.#statements.delete(key);
    this.#statements.set(key, statement);
    if (this.#statements.size > MAX_CACHED_STATEMENTS) this.#dropOldest();
    return statement;
  }

  #dropOldest(): void {
    for (const key of this.#statements.keys()) {
      this.#statements.delete(key);
      return;
    }
  }
}

function run(
  statement: StatementSync,
  values: SQLInputValue[],
  { authority, timeoutMs }: { readonly authority: Authority; readonly timeoutMs: number | undefined },
): QueryResult<Record<string, unknown>> {
  if (statement.columns().length > 0) {
    const rows = authority === 'script' ? readBounded(statement, values, timeoutMs) : statement.all(...values);
    return { rows: rows.map(fromDatabase) };
  }
  const { changes, lastInsertRowid } = statement.run(...values);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

/** SQLite cannot be interrupted: the time is looked at between rows. */
function readBounded(
  statement: StatementSync,
  values: SQLInputValue[],
  timeoutMs: number | undefined,
): Record<string, SQLOutputValue>[] {
  const bounds = new ReadBounds();
  const deadline = performance.now() + (timeoutMs ?? Number.POSITIVE_INFINITY);
  const rows: Record<string, SQLOutputValue>[] = [];
  for (const row of statement.iterate(...values)) {
    const refusal = bounds.refuse(row);
    if (refusal !== undefined) throw refusal;
    if (performance.now() > deadline) throw tookTooLong(timeoutMs ?? 0);
    rows.push(row);
  }
  return rows;
}

/** Integers arrive as BigInt and become numbers where a number is exact, else text (defaults.md 7). */
function fromDatabase(row: Record<string, SQLOutputValue>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) result[name] = typeof value === 'bigint' ? fromBigInt(value) : value;
  return result;
}

function fromBigInt(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** `node:sqlite` binds every number as REAL, so that 5 in a text column would read "5.0": integers go as BigInt. */
function toBindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number' && Number.isFinite(value)) return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value instanceof Uint8Array) return value;
  throw new AppError('PARAM_INVALID', {
    field: 'value',
    rule: 'only text, finite numbers, booleans and null can be stored',
  });
}
