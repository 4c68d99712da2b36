import { AppError } from '../core/errors.ts';
import type { SqlSession } from '../ports/sql-session.ts';
import type { TableStore } from '../ports/table-store.ts';
import type { Doom, OutboxMessage, TenantStore, TenantTx } from '../ports/tenant-store.ts';
import type { BuiltMessage } from './message-build.ts';
import type { OutboxLimit } from './outbox-limit.ts';
import type { RunTransaction } from './transaction-scope.ts';

/** One message's part of a transaction that several share. It collects what is sent; the batch commits. */
export class BatchPart implements RunTransaction {
  readonly #tx: TenantTx;
  readonly #store: TenantStore;
  readonly #runId: string;
  readonly #limit: OutboxLimit;
  readonly outbox: OutboxMessage[] = [];
  #ended = false;

  constructor(tx: TenantTx, store: TenantStore, runId: string, limit: OutboxLimit) {
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

  async addMessage(message: BuiltMessage): Promise<void> {
    this.#assertRunning();
    if (this.outbox.length === 0) await this.#limit.assertRoom(this.#store);
    this.outbox.push({ runId: this.#runId, ordinal: this.outbox.length, ...message });
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
