import type { Clock } from '../ports/clock.ts';
import type { SigningKey, SigningKeyStore } from '../ports/identity.ts';
import type { Ids } from '../ports/ids.ts';

export interface KeyRingOptions {
  readonly store: SigningKeyStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** A key signs for so long, then another one does. Milliseconds. */
  readonly rotationMs: number;
  /** Longest life of a token: an old key is kept until the last one that it signed has expired. Milliseconds. */
  readonly tokenMs: number;
}

/** Other hosts make keys, too: what is remembered is read again after so long. */
const REREAD_MS = 60_000;
/** A token with an unknown key asks the database at most so often, or anybody could make it busy. */
const UNKNOWN_REREAD_MS = 1_000;

/** The keys that sign tokens: the newest signs, the others still prove what they signed. */
export class KeyRing {
  readonly #options: KeyRingOptions;
  #keys: readonly SigningKey[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: KeyRingOptions) {
    this.#options = options;
  }

  /** The key to sign with. The first call of a new database makes one; so does one that finds it too old. */
  async current(): Promise<SigningKey> {
    await this.#reread(REREAD_MS);
    const [newest] = this.#keys;
    const isFresh = newest !== undefined && this.#now() - newest.createdAt < this.#options.rotationMs;
    return isFresh ? newest : this.#make();
  }

  /** The key that a token names. Undefined when it is gone, and with it every token that it signed. */
  async find(kid: string): Promise<SigningKey | undefined> {
    await this.#reread(REREAD_MS);
    const known = this.#keys.find((key) => key.kid === kid);
    if (known !== undefined) return known;
    await this.#reread(UNKNOWN_REREAD_MS);
    return this.#keys.find((key) => key.kid === kid);
  }

  /**
   * Makes a new key that signs from now on. @param dropOld also ends every token signed so far, on other hosts within
   * a minute.
   */
  async rotate(dropOld: boolean): Promise<SigningKey> {
    const old = (await this.#options.store.list()).map(({ kid }) => kid);
    const key = await this.#make();
    if (dropOld) await this.#options.store.remove(old);
    await this.#reread(0);
    return key;
  }

  async #make(): Promise<SigningKey> {
    const { store, ids } = this.#options;
    const key = { kid: ids.ulid(), secret: ids.secret(), createdAt: this.#now() };
    await store.add(key);
    await store.remove(this.#expired());
    await this.#reread(0);
    return key;
  }

  /** Keys whose successor has been signing for longer than a token lives. */
  #expired(): readonly string[] {
    const limit = this.#now() - this.#options.tokenMs;
    const successorOf = (index: number) => this.#keys[index - 1];
    return this.#keys
      .filter((_, index) => (successorOf(index)?.createdAt ?? Number.POSITIVE_INFINITY) < limit)
      .map(({ kid }) => kid);
  }

  async #reread(olderThanMs: number): Promise<void> {
    if (this.#now() - this.#readAt < olderThanMs) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #read(): Promise<void> {
    this.#keys = await this.#options.store.list();
    this.#readAt = this.#now();
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
