import { ScriptIsolate } from './script-isolate.ts';

/**
 * Isolates kept by a lane. 200 tenants in turn once left some 200 isolates and 600 MB in every lane, home lane or
 * not, so the cap is needed.
 */
const MAX_ISOLATES = 32;

/**
 * Isolates by tenant and nesting depth, least recently used first out. Tenants never share one; engines of different
 * depth neither, because microtasks drain only when an isolate is entered from outside.
 */
export class TenantIsolates {
  readonly #preludeSource: string;
  readonly #idle = new Map<string, ScriptIsolate>();

  constructor(preludeSource: string) {
    this.#preludeSource = preludeSource;
  }

  /** Takes an isolate out of the cache, so that nothing can evict it while it runs. */
  take(tenant: string, depth: number, heapMb: number): ScriptIsolate {
    const key = keyOf(tenant, depth, heapMb);
    const kept = this.#idle.get(key);
    this.#idle.delete(key);
    return kept ?? this.createUnshared(heapMb);
  }

  /** Makes the next context of a tenant's idle isolate ahead of its next run. */
  makeSpare(tenant: string, depth: number, heapMb: number): void {
    this.#idle.get(keyOf(tenant, depth, heapMb))?.makeSpare();
  }

  /** Makes an isolate that no tenant has used or will use. */
  createUnshared(heapMb: number): ScriptIsolate {
    return new ScriptIsolate(heapMb, this.#preludeSource);
  }

  /** Gives an isolate back, unless it was ended or has grown too heavy to keep. */
  giveBack(tenant: string, depth: number, heapMb: number, isolate: ScriptIsolate): void {
    if (isolate.disposed) return;
    if (isolate.heavy) isolate.dispose();
    else this.#idle.set(keyOf(tenant, depth, heapMb), isolate);
    if (this.#idle.size <= MAX_ISOLATES) return;
    const [oldest] = this.#idle;
    if (oldest === undefined) return;
    this.#idle.delete(oldest[0]);
    oldest[1].dispose();
  }
}

/** A tenant's name holds no spaces (core/tenant.ts). */
function keyOf(tenant: string, depth: number, heapMb: number): string {
  return `${tenant} ${depth} ${heapMb}`;
}
