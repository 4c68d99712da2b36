import { coerceError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Queue } from '../ports/queue.ts';
import type { LeasedParkedRow, TenantDirectory, TenantStore } from '../ports/tenant-store.ts';
import { ATTEMPT_HEADER, CYCLE_HEADER, PARKED_HEADER } from './received-message.ts';

/** Longest pause between two looks at a tenant whose next due time is known. Milliseconds. */
const TICK_MS = 500;

/** How often a tenant is asked although nothing is known to be due: other nodes park, too. */
const ASK_AGAIN_MS = 5_000;

const LEASE_ROWS = 50;
const LEASE_MS = 20_000;

/** Rows of one order key that follow a decided message together. */
const FOLLOWERS = 200;

export interface MoverServices {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Brings parked messages back to their queues when they are due (delivery.md 3.2). A crash between publish and the
 * end of the row publishes the same attempt again, which meets its own copy in the inbox or in the parked row.
 */
export class ParkedMover {
  readonly #services: MoverServices;
  readonly #dueAt = new Map<TenantStore, number>();

  constructor(services: MoverServices) {
    this.#services = services;
  }

  /** A message of this tenant is due after `delayMs`. */
  expect(store: TenantStore, delayMs: number): void {
    const due = this.#services.clock.now() + delayMs;
    const known = this.#dueAt.get(store);
    if (known === undefined || due < known) this.#dueAt.set(store, due);
  }

  /** Moves what is due, every half second, until the signal aborts. */
  async run(directory: TenantDirectory, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const store of directory.open()) {
        if ((this.#dueAt.get(store) ?? 0) <= this.#services.clock.now()) await this.moveDue(store);
      }
      await this.#services.clock.sleep(TICK_MS, signal);
    }
  }

  /** Publishes every due message of one tenant. Never rejects. @returns messages published. */
  async moveDue(store: TenantStore): Promise<number> {
    let moved = 0;
    try {
      await store.parked.releaseBehind(FOLLOWERS);
      for (;;) {
        const rows = await store.parked.leaseDue(LEASE_ROWS, LEASE_MS);
        for (const row of rows) moved += (await this.#move(store, row)) ? 1 : 0;
        if (rows.length < LEASE_ROWS) break;
      }
      await this.#planNext(store);
    } catch (e) {
      this.#dueAt.set(store, this.#services.clock.now() + ASK_AGAIN_MS);
      this.#services.log.warn('parked.publish_failed', { tenantId: store.tenant, err: coerceError(e) });
    }
    return moved;
  }

  async #planNext(store: TenantStore): Promise<void> {
    const inMs = await store.parked.nextDueInMs();
    this.#dueAt.set(store, this.#services.clock.now() + Math.min(inMs ?? ASK_AGAIN_MS, ASK_AGAIN_MS));
  }

  async #move(store: TenantStore, row: LeasedParkedRow): Promise<boolean> {
    const headers = {
      ...row.props.headers,
      [ATTEMPT_HEADER]: `${row.attempt}`,
      [CYCLE_HEADER]: `${row.cycle}`,
      ...(row.orderKey === undefined ? {} : { [PARKED_HEADER]: '1' }),
    };
    const fields = { tenantId: store.tenant, queue: row.queue, eventId: row.eventId, attempt: row.attempt };
    try {
      await this.#services.queue.publish(store.tenant, [
        { queue: row.queue, body: row.body, props: { ...row.props, headers } },
      ]);
      await store.parked.published(row);
      this.#services.log.debug('parked.published', fields);
      return true;
    } catch (e) {
      // The lease runs out and the row is due again.
      this.#services.log.warn('parked.publish_failed', { ...fields, err: coerceError(e) });
      return false;
    }
  }
}
