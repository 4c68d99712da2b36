import type { EngineSource } from '../core/engine.ts';
import { lockScopeOf } from '../core/engine-lock.ts';
import { AppError } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import type { Ids } from '../ports/ids.ts';
import type { HeldLock } from './held-lease.ts';
import type { LockKeeper, LockOptions } from './lock-keeper.ts';

/** The engines' locks as one run tree sees them. */
export interface EngineLocks {
  /**
   * Waits for the lock of an engine, when its row asks for one that this tree does not hold yet.
   * @param param what the engine is called with: it may name the scope.
   * @throws AppError ENGINE_LOCK_TIMEOUT, ENGINE_LOCK_LOST (this tree had it), DRAINING when the signal aborted,
   * CACHE_UNAVAILABLE when the locks were away until the end of the wait.
   */
  enter(
    engine: Pick<EngineSource, 'key' | 'lock'>,
    param: JsonValue,
    wait: Pick<LockOptions, 'waitMs' | 'signal'>,
  ): Promise<void>;
  /** Nothing may be made final, and nothing begun, without the locks. @throws AppError ENGINE_LOCK_LOST. */
  assertHeld(): void;
}

/** Of a run that changes nothing, so that nobody need wait for it. */
export const NO_LOCKS: EngineLocks = Object.freeze({
  enter: async () => {},
  assertHeld: () => {},
});

export interface RunLockServices {
  readonly engineLocks: LockKeeper;
  readonly ids: Pick<Ids, 'ulid' | 'sha256Hex'>;
}

/**
 * The locks of one run tree, or of the trees of one batch. A nested engine's lock is held until the transaction of the
 * whole tree has ended: whoever gets it next must see what was done under it. So an engine enters again without waiting.
 */
export class RunLocks implements EngineLocks {
  readonly #services: RunLockServices;
  readonly #tenant: string;
  readonly #held = new Map<string, { readonly engine: string; readonly lock: HeldLock }>();
  #owner: string | undefined;

  constructor(services: RunLockServices, tenant: string) {
    this.#services = services;
    this.#tenant = tenant;
  }

  async enter(
    { key, lock }: Pick<EngineSource, 'key' | 'lock'>,
    param: JsonValue,
    wait: Pick<LockOptions, 'waitMs' | 'signal'>,
  ): Promise<void> {
    if (lock === undefined) return;
    const { engineLocks, ids } = this.#services;
    const scope = lockScopeOf(lock, param);
    // A value may be long or secret: the store of the locks gets its hash.
    const name = `engine:${key.toLowerCase()}${scope === undefined ? '' : `:${ids.sha256Hex(scope)}`}`;
    if (this.#held.has(name)) return this.assertHeld();
    this.#owner ??= ids.ulid();
    const held = await engineLocks.acquire({ tenant: this.#tenant, name }, { owner: this.#owner, ...wait });
    if (held !== undefined) this.#held.set(name, { engine: key, lock: held });
    else if (wait.signal?.aborted === true) throw new AppError('DRAINING');
    else throw new AppError('ENGINE_LOCK_TIMEOUT', { engine: key, limit: wait.waitMs });
  }

  /** True when nobody can be waiting for this run. */
  get none(): boolean {
    return this.#held.size === 0;
  }

  assertHeld(): void {
    for (const { engine, lock } of this.#held.values()) {
      if (!lock.isHeld()) throw new AppError('ENGINE_LOCK_LOST', { engine });
    }
  }

  /** After the end of the transaction. Never rejects; does nothing the second time. */
  async releaseAll(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(held.map(({ lock }) => lock.release()));
  }
}
