/** Runs of a new version before it is trusted with a lane that others are warm in (sandbox.md 6). */
export const PROBATION_RUNS = 20;

/** How long a tenant runs apart after one of its runs cost a lane. Milliseconds. */
export const QUARANTINE_MS = 60_000;

/** Engines whose version is remembered; the one that began longest ago is forgotten first and begins anew. */
const REMEMBERED_ENGINES = 10_000;

/** One version of an engine. */
export interface EngineVersion {
  readonly tenant: string;
  readonly engine: string;
  readonly version: string;
}

/** Which versions have yet to show that they behave, and which tenants have shown that they do not. */
export class Probation {
  readonly #versions = new Map<string, { version: string; runs: number }>();
  readonly #quarantinedUntil = new Map<string, number>();

  /** True during the first PROBATION_RUNS runs of a version in this host. */
  isNew(engine: EngineVersion): boolean {
    const known = this.#versions.get(keyOf(engine));
    return known === undefined || known.version !== engine.version || known.runs < PROBATION_RUNS;
  }

  /** Counts a run. Another version than the last one begins anew, also one that ran before. */
  count(engine: EngineVersion): void {
    const key = keyOf(engine);
    const known = this.#versions.get(key);
    if (known?.version === engine.version) {
      known.runs += 1;
      return;
    }
    this.#versions.set(key, { version: engine.version, runs: 1 });
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > REMEMBERED_ENGINES && oldest !== undefined) this.#versions.delete(oldest);
  }

  /** Notes that a run of the tenant cost its lane. */
  blame(tenant: string, nowMs: number): void {
    this.#quarantinedUntil.set(tenant, nowMs + QUARANTINE_MS);
  }

  isQuarantined(tenant: string, nowMs: number): boolean {
    const until = this.#quarantinedUntil.get(tenant);
    if (until === undefined) return false;
    if (nowMs < until) return true;
    this.#quarantinedUntil.delete(tenant);
    return false;
  }

  quarantined(nowMs: number): string[] {
    return [...this.#quarantinedUntil.keys()].filter((tenant) => this.isQuarantined(tenant, nowMs));
  }
}

function keyOf({ tenant, engine }: EngineVersion): string {
  return `${tenant}\n${engine}`;
}
