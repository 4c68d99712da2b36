import { auditEntry } from '../core/audit-entry.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import type { EngineSource } from '../core/engine.ts';
import { AppError } from '../core/errors.ts';
import { changedLines, type DiffLine } from '../core/line-diff.ts';
import type { EngineVersion, EngineVersionView } from '../ports/engine-versions.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { type PushOptions, type PushResult, type PushServices, pushScripts } from './push-scripts.ts';

/** Whose engine is changed, and by whom. */
export interface EnginePlace {
  readonly store: TenantStore;
  readonly origin: ChangeOrigin;
}

export interface EngineDraft {
  readonly source: string;
  /** The version that was opened; null: there must be no such engine yet; undefined: replaces whatever is there. */
  readonly base?: string | null | undefined;
}

/** What a save did: the push's own report, and the newest version. */
export type EngineSaved =
  | (Extract<PushResult, { ok: true }> & { readonly engine: EngineSource; readonly no: number | undefined })
  | Extract<PushResult, { ok: false }>;

/** An engine's versions, newest first, and which of them it is now. */
export interface EngineHistory {
  readonly versions: readonly EngineVersionView[];
  /** Undefined: there is no such engine any more. */
  readonly current: Pick<EngineSource, 'version' | 'name' | 'enabled'> | undefined;
}

/** Two sources of an engine. `to` is undefined for the source of now. */
export interface EngineDiff {
  readonly from: number;
  readonly to: number | undefined;
  /** The changed ones and some around them, as `changedLines` has them. */
  readonly lines: readonly (DiffLine | undefined)[];
}

/**
 * Stores one engine as a push of one file would: its header is read, its source compiled, its queues bound.
 * A header that names another engine is refused. @throws AppError ENGINE_CHANGED, COLUMN_MISSING.
 */
export function saveEngine(
  services: PushServices,
  place: EnginePlace,
  engineKey: string,
  { source, base }: EngineDraft,
): Promise<EngineSaved> {
  return storeSource(services, place, engineKey, { source, options: { base, versionOrigin: 'save' } });
}

/**
 * Saves the source of an older version again, as a new version. @throws AppError NOT_FOUND, and as `saveEngine`.
 */
export async function rollBackEngine(
  services: PushServices,
  place: EnginePlace,
  engineKey: string,
  { no, base }: { readonly no: number; readonly base?: string | undefined },
): Promise<EngineSaved> {
  const { source } = await findVersion(place.store, engineKey, no);
  const options = { base, versionOrigin: 'rollback', restoredFrom: no } as const;
  return storeSource(services, place, engineKey, { source, options });
}

/** Lets an engine run or refuses its runs from now on, on every host. @throws AppError ENGINE_MISSING, COLUMN_MISSING. */
export async function switchEngine(
  { engines }: Pick<PushServices, 'engines'>,
  { store, origin }: EnginePlace,
  engineKey: string,
  isEnabled: boolean,
): Promise<EngineSource> {
  const engine = await findEngine(store, engineKey);
  const action = isEnabled ? 'engine.enabled' : 'engine.disabled';
  const change = { before: { enabled: engine.enabled }, after: { enabled: isEnabled } };
  await store.engines.setEnabled(engine.key, isEnabled, auditEntry(origin, action, engine.key, change));
  await engines.changed(store.tenant, [engine.key]);
  return { ...engine, enabled: isEnabled };
}

/** Versions of an engine. @throws AppError ENGINE_MISSING when there was never such an engine. */
export async function engineHistory(
  store: TenantStore,
  engineKey: string,
  filter: { readonly before?: number; readonly limit: number },
): Promise<EngineHistory> {
  const [versions, current] = await Promise.all([
    store.versions.list(engineKey, filter),
    store.engines.find(engineKey),
  ]);
  if (versions.length === 0 && current === undefined) throw new AppError('ENGINE_MISSING', { engine: engineKey });
  return { versions, current };
}

/** @throws AppError NOT_FOUND. */
export async function findVersion(store: TenantStore, engineKey: string, no: number): Promise<EngineVersion> {
  const version = await store.versions.find(engineKey, no);
  if (version === undefined) throw new AppError('NOT_FOUND', { what: `${engineKey} ${no}` });
  return version;
}

/** What changed from one version to another, or to the source of now. @throws AppError NOT_FOUND, ENGINE_MISSING. */
export async function diffVersions(
  store: TenantStore,
  engineKey: string,
  { from, to, around }: { readonly from: number; readonly to: number | undefined; readonly around: number },
): Promise<EngineDiff> {
  const before = await findVersion(store, engineKey, from);
  const after = to === undefined ? await findEngine(store, engineKey) : await findVersion(store, engineKey, to);
  return { from, to, lines: changedLines(before.source, after.source, around) };
}

async function storeSource(
  services: PushServices,
  { store, origin }: EnginePlace,
  engineKey: string,
  { source, options }: { readonly source: string; readonly options: Partial<PushOptions> },
): Promise<EngineSaved> {
  const known = await store.engines.find(engineKey);
  const file = { path: `${known?.key ?? engineKey}.js`, text: source };
  const result = await pushScripts(services, store, [file], {
    prune: false,
    dryRun: false,
    origin,
    only: engineKey,
    ...(known === undefined ? {} : { name: known.name }),
    ...options,
  });
  if (!result.ok) return result;
  const [latest] = await store.versions.list(engineKey, { limit: 1 });
  const engine = await findEngine(store, engineKey);
  return { ...result, engine, no: latest?.version === engine.version ? latest.no : undefined };
}

/** @throws AppError ENGINE_MISSING. */
async function findEngine(store: TenantStore, engineKey: string): Promise<EngineSource> {
  const engine = await store.engines.find(engineKey);
  if (engine === undefined) throw new AppError('ENGINE_MISSING', { engine: engineKey });
  return engine;
}
