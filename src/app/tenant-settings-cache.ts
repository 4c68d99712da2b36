import type { GlobalCode } from '../core/engine.ts';
import { decodeEngineSource } from '../core/engine-source.ts';
import type { JsonObject } from '../core/json.ts';
import { sameTenant, tenantKey } from '../core/tenant.ts';
import { readTenantLimits, type TenantLimits } from '../core/tenant-limits.ts';
import { redactSysConfig, redactTenantModel } from '../core/tenant-settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Row, TableStore } from '../ports/table-store.ts';
import type { TenantDirectory, TenantStore } from '../ports/tenant-store.ts';

/** A setting changed by hand is seen after this at the latest, as an engine is. Milliseconds. */
const TTL_MS = 5_000;

const VERSION_LENGTH = 12;

export interface TenantSettingsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly directory: Pick<TenantDirectory, 'settings'>;
}

/** The tenant's `sys_config` as runs need it. */
interface TenantConfig {
  readonly visible: JsonObject;
  readonly globalCode: GlobalCode | undefined;
  readonly limits: TenantLimits | undefined;
}

interface Entry<T> {
  readonly askedAt: number;
  readonly value: Promise<T>;
}

/** Settings of tenants for their scripts, remembered for a few seconds; one question at a time for each. */
export class TenantSettingsCache {
  readonly #options: TenantSettingsOptions;
  readonly #configs = new Map<string, Entry<TenantConfig>>();
  readonly #models = new Map<string, Entry<JsonObject>>();

  constructor(options: TenantSettingsOptions) {
    this.#options = options;
  }

  /** `V8.SysConfig`. @throws what the store throws. */
  async sysConfig(store: Pick<TenantStore, 'tenant' | 'tables'>): Promise<JsonObject> {
    return (await this.#config(store)).visible;
  }

  /**
   * The code that runs before each script of the tenant, and the limits of its engines; undefined where nothing is set.
   * @throws as the store.
   */
  async engineSettings(
    store: Pick<TenantStore, 'tenant' | 'tables'>,
  ): Promise<Pick<TenantConfig, 'globalCode' | 'limits'>> {
    return this.#config(store);
  }

  /** `V8.OsClientModel`. @throws what the main tenant's store throws. */
  tenantModel(tenant: string): Promise<JsonObject> {
    return this.#remembered(this.#models, tenant, async () => {
      const rows = await this.#options.directory.settings();
      const row = rows.find((settings) => sameTenant(settings.tenant, tenant))?.row ?? {};
      // The main tenant may have no row: it is the configuration's.
      return { OsClient: tenant, ...redactTenantModel(row) };
    });
  }

  /** The tenant's row was changed here: scripts are told anew. */
  forget(tenant: string): void {
    this.#models.delete(tenantKey(tenant));
    this.#configs.delete(tenantKey(tenant));
  }

  #config(store: Pick<TenantStore, 'tenant' | 'tables'>): Promise<TenantConfig> {
    return this.#remembered(this.#configs, store.tenant, async () => {
      const row = await readConfigRow(store.tables);
      return {
        visible: redactSysConfig(row),
        globalCode: this.#toGlobalCode(row.GlobalServerV8Code),
        limits: readTenantLimits(row),
      };
    });
  }

  #toGlobalCode(value: unknown): GlobalCode | undefined {
    const source = typeof value === 'string' ? decodeEngineSource(value) : '';
    if (source.trim() === '') return undefined;
    return { source, version: this.#options.ids.sha256Hex(source).slice(0, VERSION_LENGTH) };
  }

  async #remembered<T>(entries: Map<string, Entry<T>>, tenant: string, ask: () => Promise<T>): Promise<T> {
    const key = tenantKey(tenant);
    const known = entries.get(key);
    const age = known === undefined ? TTL_MS : this.#options.clock.now() - known.askedAt;
    if (known !== undefined && age >= 0 && age < TTL_MS) return known.value;
    const entry = { askedAt: this.#options.clock.now(), value: ask() };
    entries.set(key, entry);
    try {
      return await entry.value;
    } catch (e) {
      if (entries.get(key) === entry) entries.delete(key);
      throw e;
    }
  }
}

/** A tenant has one row. A database without the table has no settings. */
async function readConfigRow(tables: TableStore): Promise<Row> {
  if ((await tables.describe('sys_config')) === undefined) return {};
  const all = { table: 'sys_config', columns: [], where: [], includeDeleted: false, sort: [], limit: 1, offset: 0 };
  return (await tables.select(all))[0] ?? {};
}
