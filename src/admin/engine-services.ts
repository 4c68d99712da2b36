import {
  diffVersions,
  engineHistory,
  findVersion,
  rollBackEngine,
  saveEngine,
  switchEngine,
} from '../app/manage-engines.ts';
import { pushScripts } from '../app/push-scripts.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import { NOT_WATCHED, type NoteProgress } from '../core/progress.ts';
import type { HostServicesParts } from './host-services.ts';
import type { AdminServices, PushFiles, PushOutcome } from './services.ts';
import { storeOf } from './tenant-store-of.ts';

type EngineMethods = Pick<
  AdminServices,
  'push' | 'saveEngine' | 'rollBackEngine' | 'switchEngine' | 'engineVersions' | 'engineVersion' | 'engineDiff'
>;

/** What is done to the engines of a tenant, and their history. */
export function engineServices(parts: HostServicesParts): EngineMethods {
  const { directory, pushes } = parts;
  const placeOf = (tenant: string, origin: ChangeOrigin) => ({ store: storeOf(directory, tenant), origin });
  return {
    push: (tenant, request, origin, note) => push(parts, tenant, request, origin, note),
    saveEngine: async (tenant, origin, key, draft) => saveEngine(pushes, placeOf(tenant, origin), key, draft),
    rollBackEngine: async (tenant, origin, key, choice) => rollBackEngine(pushes, placeOf(tenant, origin), key, choice),
    switchEngine: async (tenant, origin, key, isEnabled) =>
      switchEngine(pushes, placeOf(tenant, origin), key, isEnabled),
    engineVersions: async (tenant, key, filter) => engineHistory(storeOf(directory, tenant), key, filter),
    engineVersion: async (tenant, key, no) => findVersion(storeOf(directory, tenant), key, no),
    engineDiff: async (tenant, key, choice) => diffVersions(storeOf(directory, tenant), key, choice),
  };
}

async function push(
  parts: HostServicesParts,
  tenant: string,
  { files, prune, dryRun }: PushFiles,
  origin: ChangeOrigin | undefined,
  note: NoteProgress = NOT_WATCHED,
): Promise<PushOutcome> {
  const store = storeOf(parts.directory, tenant);
  const options = { prune, dryRun, note, ...(origin === undefined ? {} : { origin }) };
  const result = await pushScripts(parts.pushes, store, files, options);
  if (!result.ok) return { ok: false, refusals: result.problems };
  const { added, changed, pruned } = result.report;
  if (!dryRun) {
    const counts = { added: added.length, changed: changed.length, pruned: pruned.length };
    parts.log.info('engines.pushed', { tenantId: tenant, ...counts });
  }
  return result;
}
