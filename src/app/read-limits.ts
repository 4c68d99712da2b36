import type { EngineSource } from '../core/engine.ts';
import { describeError, type Lang } from '../core/errors.ts';
import { hostCallRateOf } from '../core/limit-policy.ts';
import type { RunLimits } from '../core/run-limits.ts';
import { sameTenant } from '../core/tenant.ts';
import type { EngineRunner, TenantLoad } from '../ports/engine-runner.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { BindingBreakers } from './binding-breakers.ts';
import type { CircuitView } from './circuit-book.ts';
import type { EnginePauses } from './engine-pauses.ts';
import type { LimitBook } from './limit-book.ts';
import type { TenantSettingsCache } from './tenant-settings-cache.ts';

/** The limits of one engine's runs, when no binding asks for others. */
export interface EngineLimitsView extends Pick<EngineSource, 'key' | 'name' | 'version' | 'enabled'> {
  readonly limits: RunLimits;
  /** What its row asks for and does not get. */
  readonly warnings: readonly string[];
}

/** What limits a tenant at this moment, as this host sees it. */
export interface TenantLimits {
  readonly engines: readonly EngineLimitsView[];
  readonly hostCallsPerSecond: number;
  /** Its part of the sandbox; undefined at rest. */
  readonly load: TenantLoad | undefined;
  /** Bindings with runs lately, and those that are paused. */
  readonly breakers: readonly CircuitView[];
  /** Engines with runs lately, and those that are paused. */
  readonly pauses: readonly CircuitView[];
}

export interface LimitSources {
  readonly limits: LimitBook;
  readonly runner: EngineRunner;
  readonly breakers: BindingBreakers;
  readonly pauses: EnginePauses;
  readonly settings: TenantSettingsCache;
}

/** Reads it. @throws what the store throws. */
export async function readLimits(sources: LimitSources, store: TenantStore, lang: Lang): Promise<TenantLimits> {
  const { limits, runner, breakers, pauses } = sources;
  const { limits: tenantLimits } = await sources.settings.engineSettings(store);
  const engines = (await store.engines.list()).map((engine) => {
    const { key, name, version, enabled } = engine;
    const resolved = limits.resolve(store.tenant, tenantLimits === undefined ? engine : { ...engine, tenantLimits });
    const warnings = resolved.warnings.map((warning) => describeError(warning, lang));
    return { key, name, version, enabled, limits: resolved.limits, warnings };
  });
  return {
    engines,
    hostCallsPerSecond: hostCallRateOf(limits.policy, store.tenant),
    load: runner.load().find(({ tenant }) => sameTenant(tenant, store.tenant)),
    breakers: breakers.book.list(store.tenant),
    pauses: pauses.book.list(store.tenant),
  };
}
