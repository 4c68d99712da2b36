/** Small events that make the hosts forget what they remember of a tenant's rows, such as `engine:{key}`. */

export interface InvalidationListener {
  /** The named thing changed on some host, maybe this one. Must not throw. */
  changed(tenant: string, name: string): void;
  /** Events may have been missed: everything remembered so far is stale. Must not throw. */
  missed(): void;
}

export interface Invalidation {
  /** False while events may be missed: who remembers asks the source instead. `missed` precedes the next true. */
  isLive(): boolean;
  /**
   * Tells every listener of every host, this one included, each at most once and in no promised order.
   * @throws AppError CACHE_UNAVAILABLE within about 2 s when it is unknown whether the others were told; they are told
   * when the connection is back, unless this host ends before.
   */
  announce(tenant: string, names: readonly string[]): Promise<void>;
  /** @returns the end of listening. */
  listen(listener: InvalidationListener): () => void;
}
