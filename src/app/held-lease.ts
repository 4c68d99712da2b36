import { type AppError, coerceError } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { LockName, Locks } from '../ports/locks.ts';
import type { Log } from '../ports/log.ts';

/** A lease is extended after this part of it, and asked again this often when that fails. */
const RENEWALS = 3;
const RETRIES = 15;

/** A lock that is held until released, unless it gets lost. */
export interface HeldLock {
  /** False from the moment the lease may have run out: to be asked before something is made final. */
  isHeld(): boolean;
  /** Aborted when the lock is lost: the lease ran out while the locks were away, or somebody took it. */
  readonly lost: AbortSignal;
  /** Ends this entry; the last one frees the lock. Never rejects. */
  release(): Promise<void>;
}

export interface HeldLeaseServices {
  readonly locks: Locks;
  readonly clock: Clock;
  readonly log: Log;
}

/** A lease of this host, renewed until its last entry is released or it is lost. */
export class HeldLease {
  readonly owner: string;
  /** Called once, when the last entry was released. */
  onEnd: () => void = () => {};
  readonly #services: HeldLeaseServices;
  readonly #lock: LockName;
  readonly #token: string;
  readonly #leaseMs: number;
  /** Counted from before the lease was asked for, so never later than its real end. Milliseconds UTC. */
  #validUntil: number;
  #entries = 0;
  readonly #lost = new AbortController();
  readonly #released = new AbortController();

  constructor(
    services: HeldLeaseServices,
    lease: {
      readonly lock: LockName;
      /** Who may enter again. */
      readonly owner: string;
      /** What the lease was taken with. */
      readonly token: string;
      readonly leaseMs: number;
      readonly validUntil: number;
    },
  ) {
    this.#services = services;
    this.owner = lease.owner;
    this.#lock = lease.lock;
    this.#token = lease.token;
    this.#leaseMs = lease.leaseMs;
    this.#validUntil = lease.validUntil;
    void this.#renew();
  }

  /** True from the release of the last entry on. */
  get hasEnded(): boolean {
    return this.#released.signal.aborted;
  }

  isHeld(): boolean {
    return !this.hasEnded && !this.#lost.signal.aborted && this.#leftMs() > 0;
  }

  enter(): HeldLock {
    this.#entries++;
    let isOpen = true;
    return {
      isHeld: () => isOpen && this.isHeld(),
      lost: this.#lost.signal,
      release: async () => {
        if (!isOpen) return;
        isOpen = false;
        this.#entries--;
        if (this.#entries === 0) await this.#end();
      },
    };
  }

  /** The place in line is kept until the lease is given back, so that the next in line need not ask twice. */
  async #end(): Promise<void> {
    this.#released.abort();
    const problem = this.#lost.signal.aborted ? undefined : await this.#drop();
    if (problem !== undefined) {
      this.#services.log.warn('lock.release_failed', { tenantId: this.#lock.tenant, owner: this.owner, err: problem });
      void this.#dropLater();
    }
    this.onEnd();
  }

  /** @returns why it failed. */
  async #drop(): Promise<AppError | undefined> {
    try {
      await this.#services.locks.drop(this.#lock, this.#token);
      return undefined;
    } catch (e) {
      return coerceError(e);
    }
  }

  /** Nobody need wait for the end of a lease that is over, once the locks are back. */
  async #dropLater(): Promise<void> {
    do await this.#services.clock.sleep(this.#leaseMs / RETRIES);
    while (this.#leftMs() > 0 && (await this.#drop()) !== undefined);
  }

  async #renew(): Promise<void> {
    const { clock } = this.#services;
    let pause = this.#leaseMs / RENEWALS;
    for (;;) {
      await clock.sleep(Math.min(pause, Math.max(0, this.#leftMs())), this.#released.signal);
      if (this.#released.signal.aborted) return;
      if (this.#leftMs() <= 0) return this.#lose();
      const askedAt = clock.now();
      const answer = await this.#extendInTime();
      if (this.#released.signal.aborted) return;
      if (answer === false) return this.#lose();
      if (answer === true) this.#validUntil = askedAt + this.#leaseMs;
      pause = this.#leaseMs / (answer === true ? RENEWALS : RETRIES);
    }
  }

  /** False when the lease is gone, also when no answer came while it lasted. */
  async #extendInTime(): Promise<boolean | AppError> {
    const answered = new AbortController();
    const extended = this.#services.locks.extend(this.#lock, this.#token, this.#leaseMs).catch(coerceError);
    const ranOut = this.#services.clock.sleep(this.#leftMs(), answered.signal).then(() => false);
    const answer = await Promise.race([extended, ranOut]);
    answered.abort();
    return answer;
  }

  #leftMs(): number {
    return this.#validUntil - this.#services.clock.now();
  }

  #lose(): void {
    // The name may hold a value of the script's: the log gets the owner.
    this.#services.log.warn('lock.lost', { tenantId: this.#lock.tenant, owner: this.owner });
    this.#lost.abort();
  }
}
