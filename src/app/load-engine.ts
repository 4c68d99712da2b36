import type { EngineSource } from '../core/engine.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { RunServices } from './run-tree.ts';

/**
 * An engine with the tenant's global code, ready to run. Undefined when there is no such engine; a disabled one comes
 * without the code. @throws what the store throws.
 */
export async function loadEngine(
  { engines, settings }: Pick<RunServices, 'engines' | 'settings'>,
  store: TenantStore,
  engineKey: string,
): Promise<EngineSource | undefined> {
  const engine = await engines.find(store, engineKey);
  if (engine?.enabled !== true) return engine;
  const globalCode = await settings.globalCode(store);
  return globalCode === undefined ? engine : { ...engine, globalCode };
}
