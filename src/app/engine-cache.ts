import type { EngineSource } from '../core/engine.ts';
import { parseEngineKey } from '../core/engine.ts';
import { coerceError } from '../core/errors.ts';
import { tenantKey } from '../core/tenant.ts';
import type { Clock } from '../ports/clock.ts';
import type { Invalidation } from '../ports/invalidation.ts';
import type { Log } from '../ports/log.ts';
import type { EngineStore } from '../ports/tenant-store.ts';

/** An engine edited by hand in SQL is seen after this at the latest. Milliseconds. */
const TTL_MS = 5_000;

/** A missing or disabled engine sends messages to the dead letters, so that is hardly believed twice. Milliseconds. */
const MISS_TTL_MS = 250;

/** Engines remembered at once, over all tenants. */
const MAX_ENTRIES = 5_000;

/** Name of the event of a changed engine; the rest is its key in lower case. */
export const ENGINE_EVENT = 'engine:';

export interface EngineCacheOptions {
  readonly clock: Clock;
  readonly invalidation: Invalidation;
  readonly log: Log;
  /** Milliseconds. */
  readonly ttlMs?: number;
}

/** Where the engines of a tenant are. */
export interface EngineTable {
  readonly tenant: string;
  readonly engines: Pick<EngineStore, 'find'>;
}

interface Entry {
  /** When the row was asked for: what came back is at least as new. Milliseconds. */
  readonly askedAt: number;
  readonly engine: Promise<EngineSource | undefined>;
  ttlMs: number;
}

/**
 * Engines by key, remembered by this host so that a run need not ask the database for its source. It never answers
 * with a version older than its time to live. A push forgets the engine here at once and, by event, on the other
 * hosts; while such events may be missed, nothing is remembered and the store is asked.
 */
export class EngineCache {
  readonly #options: EngineCacheOptions;
  readonly #ttlMs: number;
  readonly #missTtlMs: number;
  /** In the order they were asked for. */
  readonly #entries = new Map<string, Entry>();
  /** By the place of an engine's key: where else it was remembered, because it was asked for by its Id. */
  readonly #aliases = new Map<string, Set<string>>();
  readonly #stopListening: () => void;

  constructor(options: EngineCacheOptions) {
    this.#options = options;
    this.#ttlMs = options.ttlMs ?? TTL_MS;
    this.#missTtlMs = Math.min(this.#ttlMs, MISS_TTL_MS);
    this.#stopListening = options.invalidation.listen({
      changed: (tenant, name) => this.#forgetNamed(tenant, name),
      missed: () => this.#clear(),
    });
  }

  /** The engine by its key, any case, as `EngineStore.find`. @throws what the store throws. */
  async find(store: EngineTable, engineKey: string): Promise<EngineSource | undefined> {
    const place = placeOf(store.tenant, engineKey);
    if (place === undefined || !this.#options.invalidation.isLive()) return store.engines.find(engineKey);
    const known = this.#entries.get(place);
    if (known !== undefined && this.#isFresh(known)) {
      const engine = await known.engine;
      // The answer of another one's question may have been long in coming, or overtaken by a push.
      if (this.#entries.get(place) === known && this.#isFresh(known)) return engine;
    }
    return this.#load(place, store, engineKey);
  }

  /** Engines were written: forgets them here at once, then tells the other hosts. Never rejects. */
  async changed(tenant: string, engineKeys: readonly string[]): Promise<void> {
    const names = engineKeys.map((key) => ENGINE_EVENT + tenantKey(key));
    for (const name of names) this.#forgetNamed(tenant, name);
    try {
      await this.#options.invalidation.announce(tenant, names);
    } catch (e) {
      // The others see the new version when their copy has lived its time.
      this.#options.log.warn('invalidation.announce_failed', { tenantId: tenant, err: coerceError(e) });
    }
  }

  close(): void {
    this.#stopListening();
    this.#clear();
  }

  #clear(): void {
    this.#entries.clear();
    this.#aliases.clear();
  }

  async #load(place: string, store: EngineTable, engineKey: string): Promise<EngineSource | undefined> {
    const entry: Entry = {
      askedAt: this.#options.clock.now(),
      engine: store.engines.find(engineKey),
      ttlMs: this.#ttlMs,
    };
    this.#remember(place, entry);
    try {
      const engine = await entry.engine;
      if (engine?.enabled !== true) entry.ttlMs = this.#missTtlMs;
      if (engine !== undefined) this.#noteAlias(place, placeOf(store.tenant, engine.key));
      return engine;
    } catch (e) {
      if (this.#entries.get(place) === entry) this.#entries.delete(place);
      throw e;
    }
  }

  #remember(place: string, entry: Entry): void {
    this.#entries.delete(place);
    this.#entries.set(place, entry);
    for (const [oldest, { askedAt }] of this.#entries) {
      const outlived = entry.askedAt - askedAt >= this.#ttlMs;
      if (!outlived && this.#entries.size <= MAX_ENTRIES) break;
      this.#entries.delete(oldest);
    }
  }

  /** A change of an engine is told by its key. */
  #noteAlias(place: string, own: string | undefined): void {
    if (own === undefined || own === place) return;
    const aliases = this.#aliases.get(own) ?? new Set();
    this.#aliases.set(own, aliases.add(place));
    // Entries outlive their aliases by their own time to live at most.
    if (this.#aliases.size > MAX_ENTRIES) this.#aliases.clear();
  }

  /** Not so when the clock was set back: how old the entry is, is unknown then. */
  #isFresh(entry: Entry): boolean {
    const age = this.#options.clock.now() - entry.askedAt;
    return age >= 0 && age < entry.ttlMs;
  }

  #forgetNamed(tenant: string, name: string): void {
    if (!name.startsWith(ENGINE_EVENT)) return;
    const place = placeOf(tenant, name.slice(ENGINE_EVENT.length));
    if (place === undefined) return;
    this.#entries.delete(place);
    for (const alias of this.#aliases.get(place) ?? []) this.#entries.delete(alias);
    this.#aliases.delete(place);
  }
}

/**
 * Undefined for a key that is not written as keys are: the databases differ in what they take for the same text
 * outside ASCII, so the store alone knows which row it means.
 */
function placeOf(tenant: string, engineKey: string): string | undefined {
  const parsed = parseEngineKey(engineKey);
  if (!parsed.ok || parsed.value !== engineKey) return undefined;
  return `${tenantKey(tenant)}:${tenantKey(engineKey)}`;
}
