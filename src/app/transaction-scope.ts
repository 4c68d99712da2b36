import { AppError, coerceError } from '../core/errors.ts';
import type { DocumentStore } from '../ports/documents.ts';
import type { SingleStatements } from '../ports/single-statements.ts';
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
import { type OnceBegin, OnceFrames } from './once-frames.ts';
import type { OutboxLimit } from './outbox-limit.ts';
import type { RunLocks } from './run-locks.ts';

/**
 * Longest wait for the writer of a tenant's database. Above the usual length of a neighbour's run, below the default
 * deadline of a run.
 */
export const WRITER_WAIT_MS = 10_000;

/** Of several runs that wait for one key, a rollback of its holder lets one go on and ends the others' (delivery.md 2). */
const CLAIM_TRIES = 4;

/** The transaction as the host calls of a run use it. */
export interface RunTransaction {
  readonly isOpen: boolean;
  /** Why nothing of this run can commit any more. */
  readonly doom: Doom | undefined;
  /**
   * Where a host call reads and writes. Without `joins` a call commits by itself, unless the transaction is open and
   * the database has one writer: waiting for it would lock the run against itself.
   * @param over aborted when the engine that calls ends; statements that commit by themselves end with it.
   */
  tables(joins: boolean, alwaysJoin: boolean, over: () => AbortSignal): Promise<TableStore>;
  /** The same for a script's own SQL. */
  sql(joins: boolean, alwaysJoin: boolean, over: () => AbortSignal): Promise<SqlSession>;
  /**
   * Where documents of a tenant without a MongoDB are: in the transaction whenever it is open, because nobody can ask
   * for it in the call.
   */
  documents(alwaysJoin: boolean): Promise<DocumentStore>;
  /** Adds a message to the commit packet. @throws OUTBOX_FULL. */
  addMessage(message: BuiltMessage): Promise<void>;
  /** What `V8.Inbox.Once` has claimed here. While one is under way every call joins. */
  readonly once: OnceFrames;
  /** Opens the transaction and claims a key of `V8.Inbox.Once` in it; `once.end` ends what follows. @throws DB_*. */
  beginOnce(claim: InboxClaim): Promise<OnceBegin>;
  /** The run was killed: rolls back at once, also under a statement that does not answer. Never throws. */
  abort(): Promise<void>;
}

/**
 * The platform transaction of one call tree. It opens at the first use, at once in an inbox run, and is ended exactly
 * once. Messages sent while it is open wait here for the commit packet. The locks of the run's engines end with it.
 */
export class TransactionScope implements RunTransaction {
  readonly #store: TenantStore;
  readonly #runId: string;
  readonly #limit: OutboxLimit;
  readonly #locks: RunLocks;
  #tx: TenantTx | undefined;
  #opening: Promise<TenantTx> | undefined;
  #ended = false;
  #openFailure: AppError | undefined;
  readonly #outbox: OutboxMessage[] = [];
  readonly once = new OnceFrames(this.#outbox);

  constructor(store: TenantStore, runId: string, limit: OutboxLimit, locks: RunLocks) {
    this.#store = store;
    this.#limit = limit;
    this.#locks = locks;
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

  async tables(joins: boolean, alwaysJoin: boolean, over: () => AbortSignal): Promise<TableStore> {
    return (await this.#place(joins || alwaysJoin, over)).tables;
  }

  async sql(joins: boolean, alwaysJoin: boolean, over: () => AbortSignal): Promise<SqlSession> {
    return (await this.#place(joins || alwaysJoin, over)).sql;
  }

  async documents(alwaysJoin: boolean): Promise<DocumentStore> {
    return (await this.#place(this.isOpen || alwaysJoin)).documents;
  }

  async addMessage(message: BuiltMessage): Promise<void> {
    this.#assertRunning();
    if (this.#outbox.length === 0) await this.#limit.assertRoom(this.#store);
    this.#outbox.push({ runId: this.#runId, ordinal: this.#outbox.length, ...message });
  }

  /** A claim that a deadlock ended is made again when nothing was done in its transaction before (3.1 step 4). */
  async beginOnce(claim: InboxClaim): Promise<OnceBegin> {
    const isFirst = this.#opening === undefined;
    for (let tries = 1; ; tries += 1) {
      const tx = await this.#open();
      try {
        return await this.once.begin(tx, claim);
      } catch (e) {
        if (!isFirst || coerceError(e).code !== 'DB_TX_LOST' || tries >= CLAIM_TRIES) throw e;
        await this.#forgo(tx);
      }
    }
  }

  /**
   * Commits when a transaction is open. @returns the stored outbox rows.
   * @throws AppError ENGINE_LOCK_LOST, rolled back; DB_*.
   */
  async commit(packet: Omit<CommitPacket, 'outbox'>): Promise<readonly OutboxRow[]> {
    try {
      // Messages of a run whose calls all join make the transaction that they need.
      if (this.#outbox.length > 0) await this.#open();
      if (this.#tx !== undefined) this.#locks.assertHeld();
      await this.once.unwind(0);
      this.#ended = true;
      if (this.#tx === undefined) return [];
      return await this.#tx.commit({ claims: [...packet.claims, ...this.once.claims], outbox: this.#outbox });
    } finally {
      // Of the failures above, for a commit that was tried has ended the transaction.
      await this.rollback();
    }
  }

  /** Undoes everything; harmless when nothing is open or it is over. */
  async rollback(): Promise<void> {
    const wasOver = this.#ended;
    this.#ended = true;
    // A begin still under way when the run ended must not leave a transaction behind.
    const tx = this.#tx ?? (await this.#opening?.catch(() => undefined));
    try {
      if (!wasOver && tx !== undefined) await tx.rollback();
    } finally {
      await this.#locks.releaseAll();
    }
  }

  async abort(): Promise<void> {
    const wasOver = this.#ended;
    this.#ended = true;
    const tx = this.#tx ?? (await this.#opening?.catch(() => undefined));
    if (!wasOver) await tx?.abort();
  }

  /** Ends a transaction in which nothing happened yet; the next one takes its place. */
  async #forgo(tx: TenantTx): Promise<void> {
    this.#tx = undefined;
    this.#opening = undefined;
    await tx.rollback();
    this.#assertRunning();
  }

  async #place(joins: boolean, over?: () => AbortSignal): Promise<SingleStatements> {
    this.#assertRunning();
    const mustJoin = joins || this.once.depth > 0;
    if (mustJoin || (this.isOpen && this.#store.singleWriter)) return this.#open();
    return over === undefined ? this.#store : this.#store.during(over);
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
