import { AppError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { TenantStore } from '../ports/tenant-store.ts';

/** Rows a tenant's outbox may hold; beyond it `SendMsg` says Code 0 (delivery.md 3.3.4). */
const MAX_OUTBOX_ROWS = 10_000;

/** How long a count is believed: the limit protects memory and disk, it need not be exact. Milliseconds. */
const COUNT_FOR_MS = 1_000;

/** Keeps a tenant from filling its outbox while the queue is away, without counting for every message. */
export class OutboxLimit {
  readonly #clock: Clock;
  readonly #counts = new WeakMap<TenantStore, { rows: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws OUTBOX_FULL. */
  async assertRoom(store: TenantStore): Promise<void> {
    const now = this.#clock.now();
    const known = this.#counts.get(store);
    const { rows } = known !== undefined && now - known.at < COUNT_FOR_MS ? known : await this.#count(store, now);
    if (rows >= MAX_OUTBOX_ROWS) throw new AppError('OUTBOX_FULL', { limit: MAX_OUTBOX_ROWS });
  }

  async #count(store: TenantStore, now: number): Promise<{ rows: number; at: number }> {
    const { rows } = await store.outbox.pending();
    const count = { rows, at: now };
    this.#counts.set(store, count);
    return count;
  }
}
