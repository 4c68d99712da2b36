/**
 * The sources that a tenant's engines have had: rows that are written once, in the transaction of the save, and never
 * changed. Implementations: adapters/sql.
 */

/**
 * How a version came about: by a push of a project, by a save of one engine, by going back to an older version, or
 * `found`: the engine's row had been changed by hand before the save that then noticed it.
 */
export type VersionOrigin = 'push' | 'save' | 'rollback' | 'found';

/** A version without its source. */
export interface EngineVersionView {
  /** Counts up from 1 for each engine. */
  readonly no: number;
  readonly key: string;
  readonly name: string;
  /** First 12 hex digits of SHA-256 of the source. */
  readonly version: string;
  readonly origin: VersionOrigin;
  /** The version that a rollback went back to. */
  readonly restoredFrom: number | undefined;
  /** Account or key that saved it; empty when nobody knows. */
  readonly author: string;
  /** Milliseconds UTC. */
  readonly savedAt: number;
}

export interface EngineVersion extends EngineVersionView {
  readonly source: string;
}

export interface EngineVersionStore {
  /** Of one engine, any case, newest first. @param before only versions with a lower number. */
  list(engineKey: string, filter: { before?: number; limit: number }): Promise<readonly EngineVersionView[]>;
  find(engineKey: string, no: number): Promise<EngineVersion | undefined>;
}
