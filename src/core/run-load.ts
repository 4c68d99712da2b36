import type { QueuePlace } from './fair-queue.ts';

/** How many runs may be under way at once (defaults.md 6). */
export interface RunCaps {
  readonly host: number;
  readonly tenant: number;
  readonly engine: number;
}

export const DEFAULT_RUN_CAPS: RunCaps = Object.freeze({ host: 128, tenant: 32, engine: 16 });

/** A tenant counts as a neighbour for this long after it last asked for a run. Milliseconds. */
export const NEIGHBOUR_MS = 10_000;

/** The runs under way by tenant and engine, and which tenants were here lately. Times come from the caller. */
export class RunLoad {
  readonly #byTenant = new Map<string, number>();
  readonly #byEngine = new Map<string, number>();
  /** When each tenant last asked; the one that has not for longest is first. */
  readonly #seen = new Map<string, number>();
  #running = 0;

  get running(): number {
    return this.#running;
  }

  runningOf(tenant: string): number {
    return this.#byTenant.get(tenant) ?? 0;
  }

  tenants(): string[] {
    return [...this.#byTenant.keys()];
  }

  begin(place: QueuePlace): void {
    this.#running += 1;
    add(this.#byTenant, place.tenant, 1);
    add(this.#byEngine, engineOf(place), 1);
  }

  end(place: QueuePlace): void {
    this.#running -= 1;
    add(this.#byTenant, place.tenant, -1);
    add(this.#byEngine, engineOf(place), -1);
  }

  /** True when one more run keeps to the caps. A cap below 1 counts as 1: a run must be possible. */
  admits(place: QueuePlace, caps: RunCaps): boolean {
    return (
      this.#running < Math.max(1, caps.host) &&
      this.runningOf(place.tenant) < Math.max(1, caps.tenant) &&
      (this.#byEngine.get(engineOf(place)) ?? 0) < Math.max(1, caps.engine)
    );
  }

  /** Notes that a tenant asks for a run, or still waits for one. */
  see(tenant: string, nowMs: number): void {
    this.#seen.delete(tenant);
    this.#seen.set(tenant, nowMs);
  }

  /** True when another tenant has a run under way, or asked for one within NEIGHBOUR_MS. */
  hasNeighbours(tenant: string, nowMs: number): boolean {
    for (const [seen, at] of this.#seen) {
      if (nowMs - at < NEIGHBOUR_MS) break;
      this.#seen.delete(seen);
    }
    const others = (map: ReadonlyMap<string, unknown>): boolean => map.size > (map.has(tenant) ? 1 : 0);
    return others(this.#seen) || others(this.#byTenant);
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** A tenant id holds no line feed. */
function engineOf({ tenant, engine }: QueuePlace): string {
  return `${tenant}\n${engine}`;
}
