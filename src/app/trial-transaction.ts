import { AppError } from '../core/errors.ts';
import type { DocumentStore } from '../ports/documents.ts';
import type { SqlSession } from '../ports/sql-session.ts';
import type { TableStore } from '../ports/table-store.ts';
import type { Doom, InboxClaim, TenantStore, TenantTx } from '../ports/tenant-store.ts';
import type { BuiltMessage } from './message-build.ts';
import { type OnceBegin, OnceFrames } from './once-frames.ts';
import { RowWatch, type TableDiff } from './row-watch.ts';
import type { RunTransaction } from './transaction-scope.ts';

/** A trial must not hold up the runs that count: it gives way soon (delivery.md F12). */
const TRIAL_WAIT_MS = 1_000;

/** The transaction of a trial: it takes no inbox row, keeps what would be sent, and only ever rolls back. */
export class TrialTransaction implements RunTransaction {
  readonly messages: BuiltMessage[] = [];
  readonly once = new OnceFrames(this.messages);
  readonly #tx: TenantTx;
  readonly #watch: RowWatch;
  #ended = false;

  private constructor(tx: TenantTx) {
    this.#tx = tx;
    this.#watch = new RowWatch(tx);
  }

  /** @throws AppError DB_BUSY when somebody else holds the database, DB_UNAVAILABLE. */
  static async open(store: TenantStore): Promise<TrialTransaction> {
    return new TrialTransaction(await store.begin(TRIAL_WAIT_MS));
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  get doom(): Doom | undefined {
    return this.#tx.doom;
  }

  async tables(): Promise<TableStore> {
    this.#assertRunning();
    return this.#watch.tables;
  }

  async sql(): Promise<SqlSession> {
    this.#assertRunning();
    return this.#watch.sql;
  }

  async documents(): Promise<DocumentStore> {
    this.#assertRunning();
    return this.#tx.documents;
  }

  async addMessage(message: BuiltMessage): Promise<void> {
    this.#assertRunning();
    this.messages.push(message);
  }

  /** Only what is committed counts as done: a trial leaves no row that another run would wait for. */
  async beginOnce(claim: InboxClaim): Promise<OnceBegin> {
    this.#assertRunning();
    return this.once.begin({ tables: this.#watch.tables, claim: async () => 'claimed' }, claim);
  }

  /** What the script changed, read before the rollback; undefined when the transaction is lost already. */
  async diff(): Promise<readonly TableDiff[] | undefined> {
    if (this.#ended || this.doom !== undefined) return undefined;
    return this.#watch.diff();
  }

  async rollback(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#tx.rollback();
  }

  async abort(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#tx.abort();
  }

  #assertRunning(): void {
    if (this.#ended) throw new AppError('DB_TX_LOST');
  }
}
