import { coerceError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { BoundConsumer } from './bound-consumer.ts';

export interface HoldServices {
  readonly clock: Clock;
  readonly log: Log;
  /** Runs the step after the reconciler's own, so that a consumer is never attached and cancelled at once. */
  readonly serially: (step: () => Promise<void>) => Promise<void>;
  /** Attaches a consumer that may run again, if it is still wanted. */
  readonly attach: (consumer: BoundConsumer) => Promise<void>;
}

/**
 * Consumers whose binding or engine is paused by a circuit: cancelled, what has not begun given back uncounted, and
 * attached again for a probe when the pause is over.
 */
export class HeldConsumers {
  readonly #services: HoldServices;
  readonly #held = new Set<BoundConsumer>();
  readonly #stop = new AbortController();

  constructor(services: HoldServices) {
    this.#services = services;
  }

  isHeld(consumer: BoundConsumer): boolean {
    return this.#held.has(consumer);
  }

  /** A circuit that concerns the consumer changed. */
  follow(consumer: BoundConsumer): void {
    if (this.isHeld(consumer)) return;
    if (consumer.pausedUntil === undefined) void this.#services.serially(() => consumer.adjust());
    else void this.#hold(consumer);
  }

  /** Ends the waiting of all. */
  stop(): void {
    this.#stop.abort();
  }

  async #hold(consumer: BoundConsumer): Promise<void> {
    const { clock, log, serially, attach } = this.#services;
    const fields = { tenantId: consumer.store.tenant, queue: consumer.binding.physicalQueue };
    this.#held.add(consumer);
    consumer.hold();
    log.warn('consumer.paused', fields);
    await serially(() =>
      consumer.cancel().catch((e: unknown) => log.warn('reconcile.failed', { ...fields, err: coerceError(e) })),
    );
    for (let until = consumer.pausedUntil; until !== undefined; until = consumer.pausedUntil) {
      await clock.sleep(Math.max(1, until - clock.now()), this.#stop.signal);
      if (this.#stop.signal.aborted) return;
    }
    this.#held.delete(consumer);
    consumer.goOn();
    await serially(() => attach(consumer));
    log.info('consumer.resumed', fields);
  }
}
