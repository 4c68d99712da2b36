import { coerceError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Queue } from '../ports/queue.ts';
import type { OutboxRow, TenantDirectory, TenantStore } from '../ports/tenant-store.ts';
import type { Tracer } from '../ports/tracer.ts';
import { isDownlink } from './downlink-message.ts';
import { traceRelay } from './message-spans.ts';
import { relayedLogRecord } from './send-log.ts';

/** Sent rows are removed in batches: after this time, or at this many. */
const DELETE_AFTER_MS = 50;
const DELETE_AT_ROWS = 100;

/** Rows a sweep leases at once, and for how long. A lease, not a lock: nothing is open while a confirm is awaited. */
const SWEEP_ROWS = 100;
const LEASE_MS = 30_000;

export interface RelayServices {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly tracer: Tracer;
}

/**
 * Sends committed outbox rows (delivery.md 3.3): fresh ones from memory right after their commit, and what a crash or
 * a queue outage left by a sweep. A row is removed only after its message is stored, so a crash between the two sends
 * the same EventId again, which the receiving inbox answers.
 */
export class OutboxRelay {
  readonly #services: RelayServices;
  readonly #sent = new Map<TenantStore, number[]>();
  #timer: Promise<void> | undefined;

  constructor(services: RelayServices) {
    this.#services = services;
  }

  /** Sends rows leased to this host, in their order. Never rejects: what fails stays for the sweep. */
  async dispatch(store: TenantStore, rows: readonly OutboxRow[]): Promise<void> {
    const forQueues = rows.filter((row) => !isDownlink(row));
    if (forQueues.length > 0) await this.#dispatchToQueues(store, forQueues);
    await this.#dispatchToDevices(
      store,
      rows.filter((row) => isDownlink(row)),
    );
  }

  async #dispatchToQueues(store: TenantStore, rows: readonly OutboxRow[]): Promise<void> {
    try {
      await this.#toQueue(store, rows);
    } catch (e) {
      const error = coerceError(e);
      this.#services.log.warn('outbox.dispatch_failed', { tenantId: store.tenant, rows: rows.length, err: error });
      if (error.code !== 'QUEUE_UNAVAILABLE') await this.#dispatchSingly(store, rows);
    }
  }

  /** The send row is written here, when the message is stored (mq-mqtt.md 3.7). @throws what the queue throws. */
  async #toQueue(store: TenantStore, rows: readonly OutboxRow[]): Promise<void> {
    await this.#publish(store, rows);
    for (const row of rows) store.journal.receiveLog(relayedLogRecord(this.#services.clock, row));
    await this.#forget(
      store,
      rows.map((row) => row.seq),
    );
  }

  /**
   * Devices have no inbox: what one of them has is not sent again because a later one failed. The rest stays, in order,
   * for the sweep, since a broker that does not run and a rate that is used up are a matter of time.
   */
  async #dispatchToDevices(store: TenantStore, rows: readonly OutboxRow[]): Promise<void> {
    try {
      for (const row of rows) {
        await this.#publish(store, [row]);
        await this.#forget(store, [row.seq]);
      }
    } catch (e) {
      const err = coerceError(e);
      this.#services.log.warn('outbox.dispatch_failed', { tenantId: store.tenant, rows: rows.length, err });
    }
  }

  #publish(store: TenantStore, rows: readonly OutboxRow[]): Promise<void> {
    const { queue, tracer } = this.#services;
    return traceRelay(tracer, store.tenant, rows, () => queue.publish(store.tenant, rows));
  }

  /** One bad row must not block the others; it is counted and ends `failed`, visible. */
  async #dispatchSingly(store: TenantStore, rows: readonly OutboxRow[]): Promise<void> {
    for (const row of rows) {
      try {
        await this.#toQueue(store, [row]);
      } catch (e) {
        await store.outbox.failed(row.seq, coerceError(e).message).catch((failure: unknown) => {
          this.#services.log.warn('outbox.dispatch_failed', { tenantId: store.tenant, err: coerceError(failure) });
        });
      }
    }
  }

  /** Sends everything whose lease ran out. @param orphans also what the process that died here had leased. */
  async sweep(store: TenantStore, orphans: boolean): Promise<number> {
    let swept = 0;
    for (;;) {
      const rows = await store.outbox.lease(SWEEP_ROWS, LEASE_MS, { orphans: orphans && swept === 0 });
      if (rows.length === 0) return swept;
      await this.dispatch(store, rows);
      swept += rows.length;
      if (rows.length < SWEEP_ROWS) return swept;
    }
  }

  /**
   * Sends, at start, what the process before this one committed and did not send. Where several hosts share a
   * database, rows that are still leased may be another's fresh ones and are left to their lease.
   */
  recover(directory: TenantDirectory): Promise<void> {
    return this.#sweepAll(directory, true);
  }

  /** Sweeps every tenant each 15 to 30 s until the signal aborts. */
  async run(directory: TenantDirectory, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#services.clock.sleep(15_000 + 15_000 * this.#services.ids.random(), signal);
      if (!signal.aborted) await this.#sweepAll(directory, false);
    }
  }

  async #sweepAll(directory: TenantDirectory, orphans: boolean): Promise<void> {
    for (const store of directory.open()) {
      try {
        const rows = await this.sweep(store, orphans && store.singleWriter);
        if (rows > 0) this.#services.log.info('outbox.swept', { tenantId: store.tenant, rows });
      } catch (e) {
        this.#services.log.warn('outbox.dispatch_failed', { tenantId: store.tenant, err: coerceError(e) });
      }
    }
  }

  async #forget(store: TenantStore, seqs: readonly number[]): Promise<void> {
    const batch = this.#sent.get(store) ?? [];
    batch.push(...seqs);
    this.#sent.set(store, batch);
    if (batch.length >= DELETE_AT_ROWS) return this.flush();
    this.#timer ??= this.#services.clock.sleep(DELETE_AFTER_MS).then(() => this.flush());
  }

  /** Removes the rows that were sent. A row that stays is sent again by a sweep, with the same EventId. */
  async flush(): Promise<void> {
    this.#timer = undefined;
    const batches = [...this.#sent];
    this.#sent.clear();
    for (const [store, seqs] of batches) {
      await store.outbox.sent(seqs).catch((e: unknown) => {
        this.#services.log.warn('outbox.dispatch_failed', {
          tenantId: store.tenant,
          rows: seqs.length,
          err: coerceError(e),
        });
      });
    }
  }
}
