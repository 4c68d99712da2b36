/** Who a waiting item belongs to. */
export interface QueuePlace {
  readonly tenant: string;
  readonly engine: string;
}

/**
 * A queue that is fair between tenants, and inside a tenant between engines: round robin over both, first come, first
 * served inside an engine. Whoever is taken goes to the end of the round, and so does a tenant or an engine that comes
 * new. So between two of a tenant's own turns every other tenant has at most one, however long its backlog is.
 *
 * An item that may not be taken now is passed over and keeps its place: its tenant is first again as soon as it may.
 */
export class FairQueue<T extends QueuePlace> {
  /** Tenants in the order of their turns; in each its engines likewise. A Map keeps the order of insertion. */
  readonly #round = new Map<string, Map<string, Set<T>>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds an item behind the others of its engine. An item that is in the queue already stays where it is. */
  push(item: T): void {
    const engines = entryOf(this.#round, item.tenant, () => new Map<string, Set<T>>());
    const items = entryOf(engines, item.engine, () => new Set<T>());
    if (items.has(item)) return;
    items.add(item);
    this.#length += 1;
  }

  /** Takes an item out of its turn. @returns false when it is not in the queue. */
  remove(item: T): boolean {
    const engines = this.#round.get(item.tenant);
    const items = engines?.get(item.engine);
    if (engines === undefined || items === undefined || !items.delete(item)) return false;
    this.#length -= 1;
    if (items.size === 0) engines.delete(item.engine);
    if (engines.size === 0) this.#round.delete(item.tenant);
    return true;
  }

  /**
   * Offers the heads of the line in the order of their turns; the first that is accepted leaves the queue and ends the
   * turn of its tenant and engine. Only the first of each engine is offered.
   * @returns the accepted item, or undefined when none was.
   */
  take(accepts: (item: T) => boolean): T | undefined {
    for (const [tenant, engines] of this.#round) {
      for (const [engine, items] of engines) {
        const [head] = items;
        if (head === undefined || !accepts(head)) continue;
        this.remove(head);
        moveToEnd(engines, engine);
        moveToEnd(this.#round, tenant);
        return head;
      }
    }
    return undefined;
  }

  waitingOf(tenant: string): number {
    let waiting = 0;
    for (const items of this.#round.get(tenant)?.values() ?? []) waiting += items.size;
    return waiting;
  }

  tenants(): string[] {
    return [...this.#round.keys()];
  }

  /** Every item, tenant by tenant. */
  items(): T[] {
    return [...this.#round.values()].flatMap((engines) => [...engines.values()].flatMap((items) => [...items]));
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
