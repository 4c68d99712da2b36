import { type AppError, coerceError } from '../core/errors.ts';
import { tenantKey } from '../core/tenant.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { LockName, Locks } from '../ports/locks.ts';
import type { Log } from '../ports/log.ts';
import { HeldLease, type HeldLock } from './held-lease.ts';
import { KeyedLock } from './keyed-lock.ts';

/** A dead host's lock is free after this. Milliseconds. */
const LEASE_MS = 15_000;

/** Pauses between two questions for a lock that another host holds, growing. Milliseconds. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;

export interface LockKeeperServices {
  readonly locks: Locks;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'random' | 'ulid'>;
  readonly log: Log;
}

export interface LockOptions {
  /** Who holds it: one call tree. The same owner enters again without waiting. Never used for another tree. */
  readonly owner: string;
  /** Longest wait. Milliseconds; 0 asks once. */
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** Milliseconds; renewed while the lock is held. */
  readonly leaseMs?: number;
}

/**
 * Locks between hosts on top of leases (ports/locks.ts, which says what they do not promise). Inside this host waiters
 * stand in line, first come first served, and only the first asks the other hosts' store; between hosts there is no
 * order. A lock whose lease could not be renewed in time is lost, never assumed to be held.
 */
export class LockKeeper {
  readonly #services: LockKeeperServices;
  readonly #line = new KeyedLock();
  readonly #held = new Map<string, HeldLease>();

  constructor(services: LockKeeperServices) {
    this.#services = services;
  }

  /**
   * Waits for the lock.
   * @returns undefined when it was not free in time, the signal aborted, or this very owner has lost it.
   * @throws AppError CACHE_UNAVAILABLE when the locks were away until the end of the wait.
   */
  async acquire(lock: LockName, options: LockOptions): Promise<HeldLock | undefined> {
    const place = `${tenantKey(lock.tenant)}:${lock.name}`;
    const held = this.#held.get(place);
    if (held?.owner === options.owner && !held.hasEnded) return held.isHeld() ? held.enter() : undefined;
    const deadline = this.#services.clock.now() + options.waitMs;
    const leave = await this.#line.acquire(place, (over) => this.#sleepUntil(deadline, over, options.signal));
    if (leave === undefined) return undefined;
    try {
      const lease = await this.#takeUntil(deadline, lock, options);
      if (lease === undefined) {
        leave();
        return undefined;
      }
      this.#held.set(place, lease);
      lease.onEnd = () => {
        this.#held.delete(place);
        leave();
      };
      return lease.enter();
    } catch (e) {
      leave();
      throw e;
    }
  }

  async #takeUntil(deadline: number, lock: LockName, options: LockOptions): Promise<HeldLease | undefined> {
    const { locks, clock, ids } = this.#services;
    const { owner, signal, leaseMs = LEASE_MS } = options;
    // Of this lease alone: an earlier one of the same owner may still be on its way out.
    const token = `${owner}:${ids.ulid()}`;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const validUntil = clock.now() + leaseMs;
      const answer = await this.#take(lock, token, leaseMs);
      // A lease that is over when it is granted is asked for again.
      if (answer === true && clock.now() < validUntil) {
        return new HeldLease(this.#services, { lock, owner, token, leaseMs, validUntil });
      }
      const wait = pause * (0.5 + ids.random() / 2);
      if (signal?.aborted !== true && clock.now() + wait < deadline) {
        await clock.sleep(wait, signal);
        continue;
      }
      // It may have been taken all the same; if this fails too, it runs out.
      if (answer !== false) await locks.drop(lock, token).catch(() => {});
      if (typeof answer === 'boolean') return undefined;
      throw answer;
    }
  }

  async #take(lock: LockName, token: string, leaseMs: number): Promise<boolean | AppError> {
    try {
      return await this.#services.locks.take(lock, token, leaseMs);
    } catch (e) {
      return coerceError(e);
    }
  }

  async #sleepUntil(deadline: number, over: AbortSignal, signal: AbortSignal | undefined): Promise<void> {
    const left = Math.max(0, deadline - this.#services.clock.now());
    await this.#services.clock.sleep(left, signal === undefined ? over : AbortSignal.any([over, signal]));
  }
}
