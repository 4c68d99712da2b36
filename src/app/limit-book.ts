import type { EngineSource } from '../core/engine.ts';
import { describeError, type Lang } from '../core/errors.ts';
import { type LimitPolicy, type ResolvedLimits, resolveRunLimits, runCapsOf } from '../core/limit-policy.ts';
import type { RunLimits } from '../core/run-limits.ts';
import { tenantKey } from '../core/tenant.ts';
import type { LaneRequest } from '../ports/engine-runner.ts';
import type { Log } from '../ports/log.ts';
import type { TenantStore } from '../ports/tenant-store.ts';

/** Engines whose warnings and wall time are remembered; a forgotten one is told again. */
const MAX_ENGINES = 10_000;

type LimitedEngine = Pick<EngineSource, 'key' | 'limits' | 'tenantLimits'>;
type LimitedStore = Pick<TenantStore, 'tenant' | 'journal'>;

interface Known {
  /** The warnings as they were told last. */
  readonly told: string;
  readonly wallMs: number;
}

/**
 * The limits of each engine's runs. What a row asks for and does not get is told its author once, in the tenant's
 * system log and the host's, and again when it changes.
 */
export class LimitBook {
  readonly policy: LimitPolicy;
  readonly #log: Log;
  readonly #lang: Lang;
  readonly #resolved = new WeakMap<LimitedEngine, Map<number | undefined, RunLimits>>();
  readonly #known = new Map<string, Known>();

  constructor(policy: LimitPolicy, log: Log, lang: Lang) {
    this.policy = policy;
    this.#log = log;
    this.#lang = lang;
  }

  /** @param bindingSeconds `TimeoutSeconds` of the binding whose message is run. */
  of(store: LimitedStore, engine: LimitedEngine, bindingSeconds?: number): RunLimits {
    const byBinding = this.#resolved.get(engine) ?? new Map<number | undefined, RunLimits>();
    const known = byBinding.get(bindingSeconds);
    if (known !== undefined) return known;
    const resolved = this.resolve(store.tenant, engine, bindingSeconds);
    this.#tell(store, engine, resolved);
    this.#resolved.set(engine, byBinding.set(bindingSeconds, resolved.limits));
    return resolved.limits;
  }

  /** The same without telling anybody. */
  resolve(tenant: string, engine: LimitedEngine, bindingSeconds?: number): ResolvedLimits {
    return resolveRunLimits(this.policy, {
      tenant,
      engineKey: engine.key,
      engine: engine.limits,
      ...(engine.tenantLimits === undefined ? {} : { tenantLimits: engine.tenantLimits }),
      ...(bindingSeconds === undefined ? {} : { bindingWallMs: bindingSeconds * 1000 }),
    });
  }

  /** Caps on runs at once of a tenant, as a lane is asked for them; empty where the host's own hold. */
  runsOf(tenant: string): Pick<LaneRequest, 'maxRuns'> {
    const maxRuns = runCapsOf(this.policy, tenant);
    return maxRuns === undefined ? {} : { maxRuns };
  }

  /** Longest run of an engine as far as it is known here, else the host's default. Milliseconds. */
  knownWallMs(tenant: string, engineKey: string): number {
    return this.#known.get(nameOf(tenant, engineKey))?.wallMs ?? this.policy.defaults.wallMs;
  }

  #tell(store: LimitedStore, engine: LimitedEngine, { limits, warnings }: ResolvedLimits): void {
    const name = nameOf(store.tenant, engine.key);
    const told = warnings.map((warning) => describeError(warning, this.#lang)).join('\n');
    const before = this.#known.get(name)?.told ?? '';
    if (this.#known.size >= MAX_ENGINES) this.#known.clear();
    this.#known.set(name, { told, wallMs: limits.wallMs });
    if (told === '' || told === before) return;
    this.#log.warn('engine.limits_adjusted', { tenantId: store.tenant, engineKey: engine.key, message: told });
    store.journal.sysLog({
      type: 'Limit',
      title: engine.key,
      content: told,
      level: 2,
      eventId: '',
      runId: '',
    });
  }
}

function nameOf(tenant: string, engineKey: string): string {
  return `${tenantKey(tenant)} ${tenantKey(engineKey)}`;
}
