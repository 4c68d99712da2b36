/**
 * Leases between hosts. A lease is a promise of time, not a fence: a holder that was frozen past its end may go on
 * believing in it, and a Redis that lost its memory gives the same lock away again. So a lock orders work and spares
 * it; what must not happen twice is guarded by the inbox or by a condition in the database.
 *
 * All promises settle within about 2 s: locks that are away reject with CACHE_UNAVAILABLE, after which it is unknown
 * whether the lease was taken, extended or dropped. app/lock-keeper.ts waits, renews and counts on top of them.
 */

/** A lock: its name inside a tenant, at most 512 characters. */
export interface LockName {
  readonly tenant: string;
  readonly name: string;
}

export interface Locks {
  /**
   * Takes the lease when it is free, ran out, or is already this owner's (then it is extended), in one step.
   * @param owner unique for ever. @param leaseMs whole milliseconds. @returns true when it is ours.
   */
  take(lock: LockName, owner: string, leaseMs: number): Promise<boolean>;
  /** Lets a lease that is still this owner's end `leaseMs` from now. @returns false when it is lost. */
  extend(lock: LockName, owner: string, leaseMs: number): Promise<boolean>;
  /** Gives the lease back; another owner's is left alone. */
  drop(lock: LockName, owner: string): Promise<void>;
}
