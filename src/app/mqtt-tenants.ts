import { coerceError } from '../core/errors.ts';
import {
  findMqttTenant,
  type MainMqtt,
  type MqttRegistry,
  type MqttTenant,
  mqttRegistry,
} from '../core/mqtt-settings.ts';
import type { TopicScope } from '../core/mqtt-topic.ts';
import { sameTenant, tenantKey } from '../core/tenant.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { TenantDirectory } from '../ports/tenant-store.ts';

/** A changed setting is seen after this at the latest. Milliseconds. */
const REFRESH_MS = 5_000;

export interface MqttTenantsOptions {
  readonly directory: Pick<TenantDirectory, 'settings'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly main: MainMqtt;
}

/** The broker's view of all tenants, read again every few seconds; a failed read keeps what was last known. */
export class MqttTenants {
  readonly #options: MqttTenantsOptions;
  readonly #scopes = new Map<string, TopicScope>();
  #registry: MqttRegistry;
  #names: ReadonlySet<string> = new Set();

  constructor(options: MqttTenantsOptions) {
    this.#options = options;
    this.#registry = mqttRegistry([], options.main);
  }

  get registry(): MqttRegistry {
    return this.#registry;
  }

  find(tenant: string): MqttTenant | undefined {
    return findMqttTenant(this.#registry, tenant);
  }

  /** Whose topics a tenant's are. */
  scope(tenant: string): TopicScope {
    const key = tenantKey(tenant);
    let scope = this.#scopes.get(key);
    if (scope === undefined) {
      scope = { tenant, isOtherTenant: (name) => tenantKey(name) !== key && this.#names.has(tenantKey(name)) };
      this.#scopes.set(key, scope);
    }
    return scope;
  }

  /** Reads the settings. @returns tenants whose devices may no longer be connected as they are. */
  async refresh(): Promise<readonly string[]> {
    try {
      const before = this.#registry;
      this.#registry = mqttRegistry(await this.#options.directory.settings(), this.#options.main);
      this.#names = new Set(this.#registry.tenants.map(({ tenant }) => tenantKey(tenant)));
      return before.tenants.filter((tenant) => !isStillWelcome(tenant, this.#registry)).map(({ tenant }) => tenant);
    } catch (e) {
      this.#options.log.warn('mqtt.settings_failed', { err: coerceError(e) });
      return [];
    }
  }

  /** Reads again and again until the signal aborts. */
  async run(onChanged: (tenant: string) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#options.clock.sleep(REFRESH_MS, signal);
      if (signal.aborted) return;
      for (const tenant of await this.refresh()) onChanged(tenant);
    }
  }
}

function isStillWelcome(before: MqttTenant, registry: MqttRegistry): boolean {
  if (!before.enabled) return true;
  const now = registry.tenants.find(({ tenant }) => sameTenant(tenant, before.tenant));
  return now?.enabled === true && now.account === before.account && now.password === before.password;
}
