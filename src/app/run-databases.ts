import { AppError } from '../core/errors.ts';
import type { ExtraDatabase, ExtraDatabases, ExtraTransaction, HeldDatabase } from '../ports/extra-databases.ts';
import type { SqlSession } from '../ports/sql-session.ts';
import type { TenantStore } from '../ports/tenant-store.ts';

/** Databases one run opens by itself; each has connections of its own. */
const MAX_TEMPORARY = 4;

interface OpenTransaction {
  /** Of the database, in lower case. */
  readonly key: string;
  readonly transaction: ExtraTransaction;
}

/** What a run has open beside the tenant's own database. All of it ends with the run. */
export class RunDatabases {
  readonly #databases: ExtraDatabases;
  readonly #store: TenantStore;
  readonly #transactions = new Map<string, OpenTransaction>();
  readonly #temporary = new Map<string, HeldDatabase>();
  /** Of rows, by key in lower case: a row that changes or goes takes no database from under a run. */
  readonly #held = new Map<string, Promise<HeldDatabase>>();
  #numbers = 0;
  #ended = false;

  constructor(databases: ExtraDatabases, store: TenantStore) {
    this.#databases = databases;
    this.#store = store;
  }

  keys(): Promise<readonly string[]> {
    return this.#databases.keys(this.#store);
  }

  /** @param transaction of `begin`. @throws AppError DBS_TX_ENDED, and as ExtraDatabases. */
  async sql(key: string, transaction: string | undefined): Promise<SqlSession> {
    if (transaction === undefined) return (await this.#find(key)).sql;
    const open = this.#transactions.get(transaction);
    if (open === undefined) throw new AppError('DBS_TX_ENDED');
    return open.transaction.sql;
  }

  /** One transaction of a database at a time: a second one would wait for the first. @throws AppError DBS_TX_OPEN. */
  async begin(key: string): Promise<string> {
    const lower = key.toLowerCase();
    if ([...this.#transactions.values()].some((open) => open.key === lower)) throw new AppError('DBS_TX_OPEN', { key });
    const transaction = await (await this.#find(key)).begin();
    if (this.#ended) {
      await transaction.abort();
      throw new AppError('DB_TX_LOST');
    }
    const id = this.#nextId();
    this.#transactions.set(id, { key: lower, transaction });
    return id;
  }

  /** Ends a transaction. Rolling back one that is over does nothing. @throws AppError DBS_TX_ENDED, DB_*. */
  async end(id: string, commit: boolean): Promise<void> {
    const open = this.#transactions.get(id);
    this.#transactions.delete(id);
    if (!commit) return open?.transaction.abort();
    if (open === undefined) throw new AppError('DBS_TX_ENDED');
    await open.transaction.commit();
  }

  /** @returns the key by which this run finds the database. */
  async open(type: string, connection: string): Promise<string> {
    if (this.#temporary.size >= MAX_TEMPORARY) throw new AppError('DBS_TOO_MANY', { limit: MAX_TEMPORARY });
    const database = await this.#databases.open(this.#store, type, connection);
    if (this.#ended) {
      await database.close();
      throw new AppError('DB_TX_LOST');
    }
    // No key of a row has this letter.
    const key = `~${this.#nextId()}`;
    this.#temporary.set(key, database);
    return key;
  }

  /** Rolls back and closes what is left. @returns how many transactions nobody had ended. */
  async close(): Promise<number> {
    this.#ended = true;
    const left = [...this.#transactions.values()];
    this.#transactions.clear();
    await Promise.all(left.map(({ transaction }) => transaction.abort()));
    const temporary = [...this.#temporary.values()];
    this.#temporary.clear();
    // One that is still being opened is not waited for.
    for (const database of this.#held.values()) void database.then((held) => held.close()).catch(() => undefined);
    this.#held.clear();
    await Promise.allSettled(temporary.map((database) => database.close()));
    return left.length;
  }

  async #find(key: string): Promise<ExtraDatabase> {
    const found = this.#temporary.get(key) ?? (await this.#hold(key));
    // Opening one takes a while, in which the run may have ended.
    if (this.#ended) throw new AppError('DB_TX_LOST');
    return found;
  }

  #hold(key: string): Promise<HeldDatabase> {
    const lower = key.toLowerCase();
    const known = this.#held.get(lower);
    if (known !== undefined) return known;
    // The end of the run gave everything back already.
    if (this.#ended) throw new AppError('DB_TX_LOST');
    const held = this.#databases.get(this.#store, key);
    this.#held.set(lower, held);
    held.catch(() => this.#held.delete(lower));
    return held;
  }

  #nextId(): string {
    this.#numbers += 1;
    return String(this.#numbers);
  }
}
