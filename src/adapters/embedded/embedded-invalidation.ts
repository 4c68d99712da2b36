import { tenantKey } from '../../core/tenant.ts';
import type { Invalidation, InvalidationListener } from '../../ports/invalidation.ts';

/** Events inside the one host there is: none is ever missed. */
export class EmbeddedInvalidation implements Invalidation {
  readonly #listeners = new Set<InvalidationListener>();

  isLive(): boolean {
    return true;
  }

  async announce(tenant: string, names: readonly string[]): Promise<void> {
    for (const name of names) for (const listener of this.#listeners) listener.changed(tenantKey(tenant), name);
  }

  listen(listener: InvalidationListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
