import { type EngineVersion, PROBATION_RUNS } from './probation.ts';

/** A run of a quick engine takes less, host calls included (sandbox.md 2). Milliseconds. */
export const QUICK_RUN_MS = 2;

/** Part of the average that a new measurement makes. */
const WEIGHT = 1 / 8;

/** Engines that are remembered; the one that began longest ago is forgotten first and begins anew. */
const REMEMBERED_ENGINES = 10_000;

/** How long the runs of each engine take: behind a quick one another run may wait in its lane. */
export class EngineTempo {
  readonly #engines = new Map<string, { version: string; runs: number; averageMs: number }>();

  /** A run took so long. Another version than the last one begins anew. */
  note({ tenant, engine, version }: EngineVersion, tookMs: number): void {
    const key = `${tenant}\n${engine}`;
    const known = this.#engines.get(key);
    if (known?.version === version) {
      known.runs += 1;
      known.averageMs += (tookMs - known.averageMs) * WEIGHT;
      return;
    }
    this.#engines.set(key, { version, runs: 1, averageMs: tookMs });
    const [oldest] = this.#engines.keys();
    if (this.#engines.size > REMEMBERED_ENGINES && oldest !== undefined) this.#engines.delete(oldest);
  }

  /** True when the version is known well enough, and its last runs took less than QUICK_RUN_MS on average. */
  isQuick({ tenant, engine, version }: EngineVersion): boolean {
    const known = this.#engines.get(`${tenant}\n${engine}`);
    return known?.version === version && known.runs >= PROBATION_RUNS && known.averageMs < QUICK_RUN_MS;
  }
}
