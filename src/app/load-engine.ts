import type { EngineSource } from '../core/engine.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { RunServices } from './run-tree.ts';

/**
 * An engine with the tenant's global code and limits, ready to run. Undefined when there is no such engine; a disabled one comes
 * without the code. @throws what the store throws.
 */
export async function loadEngine(
  services: Pick<RunServices, 'engines' | 'settings'>,
  store: TenantStore,
  engineKey: string,
): Promise<EngineSource | undefined> {
  const engine = await services.engines.find(store, engineKey);
  if (engine?.enabled !== true) return engine;
  return withTenantSettings(services, store, engine);
}

/** Source with what the tenant's settings add to every script of it. @throws what the store throws. */
export async function withTenantSettings(
  { settings }: Pick<RunServices, 'settings'>,
  store: TenantStore,
  engine: EngineSource,
): Promise<EngineSource> {
  const { globalCode, limits } = await settings.engineSettings(store);
  if (globalCode === undefined && limits === undefined) return engine;
  return {
    ...engine,
    ...(globalCode === undefined ? {} : { globalCode }),
    ...(limits === undefined ? {} : { tenantLimits: limits }),
  };
}
