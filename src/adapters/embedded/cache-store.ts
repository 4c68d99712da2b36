import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { AppError } from '../../core/errors.ts';

/** What a key holds. */
export type CacheEntry = { readonly kind: 'string'; readonly text: string } | { readonly kind: 'hash' };

/** Version of the tables below, kept per component because `host.db` has several owners. */
const SCHEMA_VERSION = 3;

/** The owner of a key `Microi:{tenant}:…` in lower case, as core/cache-key.ts has it. */
const ownerOf = (key: string) => `lower(substr(${key}, 8, instr(substr(${key}, 8), ':') - 1))`;

// Text compares byte by byte. A counter is a string that holds a number, as on a Redis server.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS cache_schema (Version INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS cache (
    CacheKey TEXT PRIMARY KEY,
    Value TEXT,
    ExpiresAt INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS cache_by_expiry ON cache (ExpiresAt) WHERE ExpiresAt IS NOT NULL;
  CREATE TABLE IF NOT EXISTS cache_field (
    CacheKey TEXT NOT NULL REFERENCES cache (CacheKey) ON DELETE CASCADE,
    Field TEXT NOT NULL,
    Value TEXT NOT NULL,
    PRIMARY KEY (CacheKey, Field)
  ) WITHOUT ROWID;
`;

/** Bytes that a row counts; a field repeats the name of its key, as its row does. */
const keyWeight = (row: string) => `(octet_length(${row}.CacheKey) + coalesce(octet_length(${row}.Value), 0))`;
const fieldWeight = (row: string) =>
  `(octet_length(${row}.CacheKey) + octet_length(${row}.Field) + octet_length(${row}.Value))`;

const addWeight = (weight: string, row: 'old' | 'new') =>
  `UPDATE cache_owner SET Bytes = Bytes + ${weight} WHERE Owner = ${ownerOf(`${row}.CacheKey`)};`;

/** Keys and bytes of each owner, kept in the transaction of each write: whatever writes the tables, they are right. */
const COUNTS = `
  CREATE TABLE IF NOT EXISTS cache_owner (
    Owner TEXT PRIMARY KEY,
    Keys INTEGER NOT NULL,
    Bytes INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TRIGGER IF NOT EXISTS cache_key_added AFTER INSERT ON cache BEGIN
    INSERT INTO cache_owner (Owner, Keys, Bytes) VALUES (${ownerOf('new.CacheKey')}, 1, ${keyWeight('new')})
      ON CONFLICT (Owner) DO UPDATE SET Keys = Keys + 1, Bytes = Bytes + excluded.Bytes;
  END;
  CREATE TRIGGER IF NOT EXISTS cache_key_changed AFTER UPDATE OF Value ON cache BEGIN
    ${addWeight(`${keyWeight('new')} - ${keyWeight('old')}`, 'new')}
  END;
  CREATE TRIGGER IF NOT EXISTS cache_key_removed AFTER DELETE ON cache BEGIN
    UPDATE cache_owner SET Keys = Keys - 1, Bytes = Bytes - ${keyWeight('old')}
      WHERE Owner = ${ownerOf('old.CacheKey')};
  END;
  CREATE TRIGGER IF NOT EXISTS cache_field_added AFTER INSERT ON cache_field BEGIN
    ${addWeight(fieldWeight('new'), 'new')}
  END;
  CREATE TRIGGER IF NOT EXISTS cache_field_changed AFTER UPDATE OF Value ON cache_field BEGIN
    ${addWeight(`${fieldWeight('new')} - ${fieldWeight('old')}`, 'new')}
  END;
  CREATE TRIGGER IF NOT EXISTS cache_field_removed AFTER DELETE ON cache_field BEGIN
    ${addWeight(`-${fieldWeight('old')}`, 'old')}
  END;
`;

/** Version 2 counted keys, version 3 bytes as well: the counts of an older file are made anew. */
const DROP_OLDER_COUNTS = `
  DROP TRIGGER IF EXISTS cache_key_added;
  DROP TRIGGER IF EXISTS cache_key_removed;
  DROP TABLE IF EXISTS cache_owner;
`;
const COUNT_OLDER_KEYS = `
  INSERT INTO cache_owner (Owner, Keys, Bytes)
    SELECT Owner, sum(Keys), sum(Bytes) FROM (
      SELECT ${ownerOf('CacheKey')} AS Owner, 1 AS Keys, ${keyWeight('cache')} AS Bytes FROM cache
      UNION ALL SELECT ${ownerOf('CacheKey')}, 0, ${fieldWeight('cache_field')} FROM cache_field
    ) GROUP BY Owner;
`;

const STATEMENTS = {
  find: 'SELECT Value FROM cache WHERE CacheKey = ? AND (ExpiresAt IS NULL OR ExpiresAt > ?)',
  has: 'SELECT 1 FROM cache WHERE CacheKey = ?',
  countKeys: 'SELECT Keys FROM cache_owner WHERE Owner = ?',
  drop: 'DELETE FROM cache WHERE CacheKey = ?',
  put: 'INSERT INTO cache (CacheKey, Value, ExpiresAt) VALUES (?, ?, ?)',
  setValue: 'UPDATE cache SET Value = ? WHERE CacheKey = ?',
  setExpiry: 'UPDATE cache SET ExpiresAt = ? WHERE CacheKey = ?',
  dropPrefix: `DELETE FROM cache WHERE CacheKey >= ?1 AND substr(CacheKey, 1, length(?1)) = ?1
    AND (ExpiresAt IS NULL OR ExpiresAt > ?2)`,
  weigh: 'SELECT Bytes FROM cache_owner WHERE Owner = ?',
  dropExpiredOf: `DELETE FROM cache WHERE CacheKey IN
    (SELECT CacheKey FROM cache WHERE ExpiresAt <= ? AND ${ownerOf('CacheKey')} = ? ORDER BY ExpiresAt LIMIT ?)`,
  dropExpired: `DELETE FROM cache WHERE CacheKey IN
    (SELECT CacheKey FROM cache WHERE ExpiresAt <= ? ORDER BY ExpiresAt LIMIT ?)`,
  findField: 'SELECT Value FROM cache_field WHERE CacheKey = ? AND Field = ?',
  fields: 'SELECT Field, Value FROM cache_field WHERE CacheKey = ?',
  weighFields: `SELECT coalesce(sum(octet_length(Field) + octet_length(Value)), 0) AS Total
    FROM cache_field WHERE CacheKey = ?`,
  countFields: 'SELECT count(*) AS Total FROM cache_field WHERE CacheKey = ?',
  putField: `INSERT INTO cache_field (CacheKey, Field, Value) VALUES (?, ?, ?)
    ON CONFLICT (CacheKey, Field) DO UPDATE SET Value = excluded.Value`,
  dropField: 'DELETE FROM cache_field WHERE CacheKey = ? AND Field = ?',
} as const;

/**
 * Rows of the embedded cache in `host.db`. Every method is one short synchronous step, so it never waits for the
 * queue's connections to the same file; a foreign lock fails at once instead of stopping the event loop. What is
 * written survives a killed process and may be undone by a power cut: it is a cache.
 */
export class CacheStore {
  readonly #db: DatabaseSync;
  readonly #statements: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

  /** Opens or makes the file. @throws the driver's error, or AppError SCHEMA_NEWER. */
  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 0 });
    try {
      this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
      this.transact(() => prepareSchema(this.#db));
      this.#statements = prepareAll(this.#db);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** Runs reads and writes as one transaction. */
  transact<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk may have ended the transaction already; a second ROLLBACK would hide the reason.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** What the key holds, unless it expired. @param now milliseconds UTC. */
  find(key: string, now: number): CacheEntry | undefined {
    const row = this.#statements.find.get(key, now);
    if (row === undefined) return undefined;
    return row.Value === null ? { kind: 'hash' } : { kind: 'string', text: String(row.Value) };
  }

  /** True when the key has a row, expired or not. */
  has(key: string): boolean {
    return this.#statements.has.get(key) !== undefined;
  }

  /** Keys of a tenant, expired ones that are still there included. @param owner lower case. */
  countKeys(owner: string): number {
    return Number(this.#statements.countKeys.get(owner)?.Keys ?? 0);
  }

  /** Bytes of a tenant's names and values, expired ones that are still there included. @param owner lower case. */
  weigh(owner: string): number {
    return Number(this.#statements.weigh.get(owner)?.Bytes ?? 0);
  }

  /** Replaces whatever is there. @param text null for an empty hash. @param expiresAt null for never. */
  replace(key: string, text: string | null, expiresAt: number | null): void {
    this.#statements.drop.run(key);
    this.#statements.put.run(key, text, expiresAt);
  }

  setValue(key: string, text: string): void {
    this.#statements.setValue.run(text, key);
  }

  setExpiry(key: string, expiresAt: number): void {
    this.#statements.setExpiry.run(expiresAt, key);
  }

  drop(key: string): void {
    this.#statements.drop.run(key);
  }

  /** @returns removed keys that had not expired. */
  dropPrefix(prefix: string, now: number): number {
    return Number(this.#statements.dropPrefix.run(prefix, now).changes);
  }

  /** Removes up to `limit` expired keys. @returns removed keys. */
  dropExpired(now: number, limit: number): number {
    return Number(this.#statements.dropExpired.run(now, limit).changes);
  }

  /** The same for one tenant. @param owner lower case. */
  dropExpiredOf(owner: string, now: number, limit: number): number {
    return Number(this.#statements.dropExpiredOf.run(now, owner, limit).changes);
  }

  findField(key: string, field: string): string | undefined {
    const row = this.#statements.findField.get(key, field);
    return row && String(row.Value);
  }

  fields(key: string): readonly (readonly [string, string])[] {
    return this.#statements.fields.all(key).map((row) => [String(row.Field), String(row.Value)]);
  }

  /** Bytes of names and values, without reading the values. */
  weighFields(key: string): number {
    return Number(this.#statements.weighFields.get(key)?.Total);
  }

  countFields(key: string): number {
    return Number(this.#statements.countFields.get(key)?.Total);
  }

  putField(key: string, field: string, value: string): void {
    this.#statements.putField.run(key, field, value);
  }

  /** @returns whether it was there. */
  dropField(key: string, field: string): boolean {
    return Number(this.#statements.dropField.run(key, field).changes) > 0;
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}

function prepareSchema(db: DatabaseSync): void {
  db.exec(SCHEMA);
  const found = db.prepare('SELECT max(Version) AS Version FROM cache_schema').get()?.Version;
  if (typeof found === 'number' && found > SCHEMA_VERSION) {
    throw new AppError('SCHEMA_NEWER', { found, known: SCHEMA_VERSION });
  }
  if (found !== null && found !== SCHEMA_VERSION) db.exec(DROP_OLDER_COUNTS);
  db.exec(COUNTS);
  if (found === SCHEMA_VERSION) return;
  if (found !== null) db.exec(COUNT_OLDER_KEYS);
  db.prepare('INSERT INTO cache_schema (Version) VALUES (?)').run(SCHEMA_VERSION);
}

function prepareAll(db: DatabaseSync): Record<keyof typeof STATEMENTS, StatementSync> {
  const entries = Object.entries(STATEMENTS).map(([name, text]) => [name, db.prepare(text)]);
  return Object.fromEntries(entries) as Record<keyof typeof STATEMENTS, StatementSync>;
}
