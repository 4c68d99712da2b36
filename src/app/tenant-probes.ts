import { AppError, coerceError } from '../core/errors.ts';
import { isLeftProbe, probeEnd, probeTenants } from '../core/probe-tenant.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { TenantDirectory } from '../ports/tenant-store.ts';
import type { MqttService } from './mqtt-service.ts';

/** How often a host looks for pairs that nobody came back for. Milliseconds. */
const SWEEP_MS = 60_000;

export interface ProbeServices {
  readonly directory: TenantDirectory;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly mqtt: Pick<MqttService, 'broker' | 'check' | 'publish' | 'refreshTenants'>;
}

/** Two tenants with a device account each, for a check that must touch no real one. */
export interface ProbePair {
  /** A ULID. */
  readonly id: string;
  /** The host removes them then at the latest. Milliseconds UTC. */
  readonly until: number;
  readonly accounts: readonly ProbeAccount[];
}

export interface ProbeAccount {
  readonly tenant: string;
  /** As a device writes it: `TENANT:ACCOUNT`. */
  readonly user: string;
  readonly password: string;
}

/**
 * Pairs of tenants that live as long as one check of the isolation. A check that is killed leaves its pair behind: every
 * host of the registry removes such pairs when their time is over, also those of a host that died.
 */
export class TenantProbes {
  readonly #services: ProbeServices;

  constructor(services: ProbeServices) {
    this.#services = services;
  }

  /** Makes a pair, or nothing. @throws AppError as adding a tenant does. */
  async open(): Promise<ProbePair> {
    const { ids, mqtt } = this.#services;
    const id = ids.ulid().toLowerCase();
    const names = probeTenants(id);
    try {
      const accounts: ProbeAccount[] = [];
      for (const tenant of names) accounts.push(await this.#make(tenant));
      await mqtt.refreshTenants();
      return { id, until: probeEnd(id) ?? 0, accounts };
    } catch (error: unknown) {
      await this.#removeAll(names);
      throw error;
    }
  }

  /** Removes a pair with everything that it has. @throws AppError NOT_FOUND, or why one of them stays. */
  async close(id: string): Promise<void> {
    const names = probeTenants(id);
    const known = new Set((await this.#services.directory.list()).map(({ tenant }) => tenant));
    const found = names.filter((name) => known.has(name));
    if (found.length === 0) throw new AppError('NOT_FOUND', { what: id.slice(0, 100) });
    for (const name of found) await this.#remove(name);
    await this.#services.mqtt.refreshTenants();
  }

  /** Looks for pairs that were left, now and every minute until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.sweep();
      await this.#services.clock.sleep(SWEEP_MS, signal);
    }
  }

  /** Removes what checks left that are gone. Never rejects. */
  async sweep(): Promise<void> {
    const { directory, clock, log } = this.#services;
    try {
      const tenants = (await directory.list()).map(({ tenant }) => tenant);
      await this.#removeAll(tenants.filter((tenant) => isLeftProbe(tenant, clock.now())));
    } catch (e) {
      log.warn('tenant.probe_left', { err: coerceError(e) });
    }
  }

  async #make(tenant: string): Promise<ProbeAccount> {
    const { directory, ids } = this.#services;
    await directory.add(tenant, undefined);
    // No two tenants have the same account or password.
    const account = `device-${tenant.slice(-1)}`;
    const password = ids.secret();
    const values = { MqttEnable: 1, MqttAccount: account, MqttPwd: password };
    await directory.changeSettingsAlone(() => directory.saveSettings(tenant, values));
    return { tenant, user: `${tenant}:${account}`, password };
  }

  /** What stays is tried again by a later sweep. */
  async #removeAll(names: readonly string[]): Promise<void> {
    const { log, mqtt } = this.#services;
    for (const name of names) {
      await this.#remove(name).catch((e: unknown) =>
        log.warn('tenant.probe_left', { tenantId: name, err: coerceError(e) }),
      );
    }
    if (names.length > 0) await mqtt.refreshTenants();
  }

  async #remove(tenant: string): Promise<void> {
    const { directory, log, mqtt } = this.#services;
    await this.#forgetRetained(tenant);
    // Devices go before the database that they are noted in.
    await directory.saveSettings(tenant, { MqttEnable: 0 }).catch(() => undefined);
    await mqtt.refreshTenants();
    await directory.removeProbe(tenant);
    log.info('tenant.probe_removed', { tenantId: tenant });
  }

  /** An empty message takes a retained one out of the store; where no broker runs there is none to ask. */
  async #forgetRetained(tenant: string): Promise<void> {
    const { mqtt } = this.#services;
    try {
      for (const { topic } of await mqtt.broker.retained(tenant)) {
        const draft = { topic, payload: new Uint8Array(), qos: 0, retain: true, userProperties: [] };
        await mqtt.publish(tenant, mqtt.check(tenant, { ...draft, responseTopic: undefined, contentType: undefined }));
      }
    } catch {
      // A broker that is away keeps what it has under a tenant that never comes again.
    }
  }
}
