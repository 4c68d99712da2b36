import { AppError, coerceError } from '../core/errors.ts';
import type { SqlSession } from '../ports/sql-session.ts';
import type { TableStore } from '../ports/table-store.ts';
import type {
  CommitPacket,
  Doom,
  InboxClaim,
  OutboxMessage,
  OutboxRow,
  TenantStore,
  TenantTx,
} from '../ports/tenant-store.ts';
import type { BuiltMessage } from './message-build.ts';
import type { OutboxLimit } from './outbox-limit.ts';

/**
 * Longest wait for the writer of a tenant's database. Above the usual length of a neighbour's run, below the default
 * deadline of a run.
 */
export const WRITER_WAIT_MS = 10_000;

/** The transaction as the host calls of a run use it. */
export interface RunTransaction {
  readonly isOpen: boolean;
  /** Why nothing of this run can commit any more. */
  readonly doom: Doom | undefined;
  /**
   * Where a host call reads and writes. Without `joins` a call commits by itself, unless the transaction is open and
   * the database has one writer: waiting for it would lock the run against itself.
   */
  tables(joins: boolean, alwaysJoin: boolean): Promise<TableStore>;
  /** The same for a script's own SQL. */
  sql(joins: boolean, alwaysJoin: boolean): Promise<SqlSession>;
  /** Adds a message to the commit packet. @throws OUTBOX_FULL. */
  addMessage(message: BuiltMessage): Promise<void>;
  /** The run was killed: rolls back at once, also under a statement that does not answer. Never throws. */
  abort(): Promise<void>;
}

/**
 * The platform transaction of one call tree. It opens at the first use, at once in an inbox run, and is ended exactly
 * once. Messages sent while it is open wait here for the commit packet.
 */
export class TransactionScope implements RunTransaction {
  readonly #store: TenantStore;
  readonly #runId: string;
  readonly #limit: OutboxLimit;
  #tx: TenantTx | undefined;
  #opening: Promise<TenantTx> | undefined;
  #ended = false;
  #openFailure: AppError | undefined;
  readonly #outbox: OutboxMessage[] = [];

  constructor(store: TenantStore, runId: string, limit: OutboxLimit) {
    this.#store = store;
    this.#limit = limit;
    this.#runId = runId;
  }

  get isOpen(): boolean {
    return this.#tx !== undefined && !this.#ended;
  }

  get doom(): Doom | undefined {
    return this.#tx?.doom;
  }

  /** Why the transaction could not be opened when the script asked for it, and not since. */
  get openFailure(): AppError | undefined {
    return this.#tx === undefined ? this.#openFailure : undefined;
  }

  /** Opens the transaction and claims the inbox row. After a `duplicate` the caller rolls back. */
  async claim(claim: InboxClaim): Promise<'claimed' | 'duplicate'> {
    return (await this.#open()).claim(claim);
  }

  async tables(joins: boolean, alwaysJoin: boolean): Promise<TableStore> {
    return (await this.#place(joins || alwaysJoin)).tables;
  }

  async sql(joins: boolean, alwaysJoin: boolean): Promise<SqlSession> {
    return (await this.#place(joins || alwaysJoin)).sql;
  }

  async addMessage(message: BuiltMessage): Promise<void> {
    this.#assertRunning();
    if (this.#outbox.length === 0) await this.#limit.assertRoom(this.#store);
    this.#outbox.push({ runId: this.#runId, ordinal: this.#outbox.length, ...message });
  }

  /** Commits when a transaction is open. @returns the stored outbox rows. */
  async commit(packet: Omit<CommitPacket, 'outbox'>): Promise<readonly OutboxRow[]> {
    // Messages of a run whose calls all join make the transaction that they need.
    if (this.#outbox.length > 0) await this.#open();
    this.#ended = true;
    if (this.#tx === undefined) return [];
    return this.#tx.commit({ ...packet, outbox: this.#outbox });
  }

  /** Undoes everything; harmless when nothing is open or it is over. */
  async rollback(): Promise<void> {
    const wasOver = this.#ended;
    this.#ended = true;
    // A begin still under way when the run ended must not leave a transaction behind.
    const tx = this.#tx ?? (await this.#opening?.catch(() => undefined));
    if (!wasOver && tx !== undefined) await tx.rollback();
  }

  async abort(): Promise<void> {
    const wasOver = this.#ended;
    this.#ended = true;
    const tx = this.#tx ?? (await this.#opening?.catch(() => undefined));
    if (!wasOver) await tx?.abort();
  }

  async #place(joins: boolean): Promise<Pick<TenantTx, 'tables' | 'sql'>> {
    this.#assertRunning();
    return joins || (this.isOpen && this.#store.singleWriter) ? this.#open() : this.#store;
  }

  async #open(): Promise<TenantTx> {
    if (this.#tx !== undefined) return this.#tx;
    this.#opening ??= this.#store.begin(WRITER_WAIT_MS);
    try {
      const tx = await this.#opening;
      if (!this.#ended) this.#tx = tx;
      this.#assertRunning();
      return tx;
    } catch (e) {
      this.#opening = undefined;
      if (!this.#ended) this.#openFailure = coerceError(e);
      throw e;
    }
  }

  /** A late call of a finished run must not reach a connection that serves somebody else (delivery.md 4). */
  #assertRunning(): void {
    if (this.#ended) throw new AppError('DB_TX_LOST');
  }
}
