import { AppError } from '../core/errors.ts';
import type { DocumentStore } from '../ports/documents.ts';
import type { SqlSession } from '../ports/sql-session.ts';
import type { TableStore } from '../ports/table-store.ts';
import type { Doom, InboxClaim, OutboxMessage, TenantStore, TenantTx } from '../ports/tenant-store.ts';
import type { BuiltMessage } from './message-build.ts';
import { type OnceBegin, OnceFrames } from './once-frames.ts';
import type { OutboxLimit } from './outbox-limit.ts';
import type { RunTransaction } from './transaction-scope.ts';

/** What a part does its work with. */
export interface BatchPlace {
  readonly store: TenantStore;
  readonly runId: string;
  readonly limit: OutboxLimit;
}

/** One message's part of a transaction that several share. It collects what is sent; the batch commits. */
export class BatchPart implements RunTransaction {
  readonly #tx: TenantTx;
  readonly #store: TenantStore;
  readonly #runId: string;
  readonly #limit: OutboxLimit;
  readonly outbox: OutboxMessage[] = [];
  readonly once: OnceFrames;
  #ended = false;

  /** @param before the message's before it, if there is one. */
  constructor(tx: TenantTx, parts: BatchPlace, before?: BatchPart) {
    const { store, runId, limit } = parts;
    this.once = new OnceFrames(this.outbox, before?.once);
    this.#limit = limit;
    this.#tx = tx;
    this.#store = store;
    this.#runId = runId;
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  get doom(): Doom | undefined {
    return this.#tx.doom;
  }

  async tables(): Promise<TableStore> {
    this.#assertRunning();
    return this.#tx.tables;
  }

  async sql(): Promise<SqlSession> {
    this.#assertRunning();
    return this.#tx.sql;
  }

  async documents(): Promise<DocumentStore> {
    this.#assertRunning();
    return this.#tx.documents;
  }

  async addMessage(message: BuiltMessage): Promise<void> {
    this.#assertRunning();
    if (this.outbox.length === 0) await this.#limit.assertRoom(this.#store);
    this.outbox.push({ runId: this.#runId, ordinal: this.outbox.length, ...message });
  }

  async beginOnce(claim: InboxClaim): Promise<OnceBegin> {
    this.#assertRunning();
    return this.once.begin(this.#tx, claim);
  }

  async abort(): Promise<void> {
    this.#ended = true;
    await this.#tx.abort();
  }

  /** The run is over: a late call of it must not reach the next message's part. */
  end(): void {
    this.#ended = true;
  }

  #assertRunning(): void {
    if (this.#ended) throw new AppError('DB_TX_LOST');
  }
}
