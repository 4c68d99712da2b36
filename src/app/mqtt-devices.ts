import { AppError, coerceError } from '../core/errors.ts';
import { tenantKey } from '../core/tenant.ts';
import type { ClientInfo } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import { KeyedLock } from './keyed-lock.ts';
import { firstRows, MQTT_TABLES, newRow, rowsWith } from './mqtt-rows.ts';

/** A changed `ApiEngineId` is seen after this at the latest, without a reconnect. Milliseconds. */
const ENGINE_TTL_MS = 5_000;
const REMEMBERED = 20_000;

/** Ids of rows: a GUID in its usual forms, or a ULID (mq-mqtt.md 6.9). */
const ROW_ID = /^(\{?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}\}?|[0-9a-hjkmnp-tv-z]{26})$/i;

export interface DeviceServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

interface Known {
  readonly askedAt: number;
  readonly engineKey: Promise<string>;
}

/** `mci_mqtt_client`: which devices there are, which are online, and which have an engine of their own. */
export class MqttDevices {
  readonly #services: DeviceServices;
  readonly #engines = new Map<string, Known>();
  /** The newest connection of each client of this host. */
  readonly #epochs = new Map<string, number>();
  readonly #locks = new KeyedLock();

  constructor(services: DeviceServices) {
    this.#services = services;
  }

  /** A device is there: makes or updates its row. Failures are logged and keep nobody out. */
  async connected(store: TenantStore, client: ClientInfo): Promise<void> {
    const key = keyOf(client);
    this.#epochs.set(key, client.epoch);
    this.#engines.delete(key);
    await this.#exclusively(store, client, () => this.#write(store, client.clientId, 1));
  }

  /** @returns true for the newest connection of its client; a replaced one changes nothing. */
  isNewest(client: ClientInfo): boolean {
    return this.#epochs.get(keyOf(client)) === client.epoch;
  }

  /** A device has gone. A connection that was replaced leaves the newer one online. */
  async disconnected(store: TenantStore, client: ClientInfo): Promise<void> {
    await this.#exclusively(store, client, async () => {
      if (!this.isNewest(client)) return;
      this.#epochs.delete(keyOf(client));
      await this.#write(store, client.clientId, 0);
    });
  }

  /** Nobody is online when the broker starts, whatever a host that died left behind. */
  async sweep(store: TenantStore): Promise<void> {
    try {
      if ((await store.tables.describe(MQTT_TABLES.client)) === undefined) return;
      await store.relaxedTables.update(rowsWith(MQTT_TABLES.client, 'IsOnline', 1), { IsOnline: 0 });
    } catch (e) {
      this.#failed(store, '', e);
    }
  }

  /** The key of the engine that gets a device's events: its own, else the tenant's. Empty for none. */
  async engineKey(store: TenantStore, clientId: string, tenantEngine: string): Promise<string> {
    const key = `${tenantKey(store.tenant)}\u001f${clientId}`;
    const own = await this.#remembered(key, () => this.#ownEngine(store, clientId));
    return own === '' ? this.tenantEngineKey(store, tenantEngine) : own;
  }

  /** The key that a tenant's setting means. */
  tenantEngineKey(store: TenantStore, reference: string): Promise<string> {
    if (!ROW_ID.test(reference)) return Promise.resolve(reference);
    return this.#remembered(`${tenantKey(store.tenant)}\u001f\u001f${reference}`, () => resolveKey(store, reference));
  }

  async #ownEngine(store: TenantStore, clientId: string): Promise<string> {
    const filter = rowsWith(MQTT_TABLES.client, 'ClientId', clientId);
    const [row] = await store.tables.select(firstRows(filter, ['ApiEngineId'], 1));
    const reference = String(row?.ApiEngineId ?? '').trim();
    return ROW_ID.test(reference) ? resolveKey(store, reference) : reference;
  }

  /** @throws what the store throws: which script decides must not be guessed. */
  async #remembered(key: string, ask: () => Promise<string>): Promise<string> {
    const now = this.#services.clock.now();
    const known = this.#engines.get(key);
    if (known !== undefined && now >= known.askedAt && now - known.askedAt < ENGINE_TTL_MS) return known.engineKey;
    const entry = { askedAt: now, engineKey: ask() };
    this.#engines.delete(key);
    this.#engines.set(key, entry);
    for (const oldest of this.#engines.keys()) {
      if (this.#engines.size <= REMEMBERED) break;
      this.#engines.delete(oldest);
    }
    try {
      return await entry.engineKey;
    } catch (e) {
      if (this.#engines.get(key) === entry) this.#engines.delete(key);
      throw e;
    }
  }

  /** One write at a time for each device, so that the last word is the newest. */
  async #exclusively(store: TenantStore, client: ClientInfo, work: () => Promise<void>): Promise<void> {
    const release = await this.#locks.acquire(keyOf(client), () => new Promise(() => {}));
    try {
      await work();
    } catch (e) {
      this.#failed(store, client.clientId, e);
    } finally {
      release?.();
    }
  }

  /** Relaxed: a thousand devices that come back at once must not wait for a thousand writes to the disk. */
  async #write(store: TenantStore, clientId: string, isOnline: 0 | 1): Promise<void> {
    const { clock } = this.#services;
    const now = clock.localText(clock.now());
    const filter = rowsWith(MQTT_TABLES.client, 'ClientId', clientId);
    // Also on a disconnect, as the platform does.
    const values = { IsOnline: isOnline, LastConnectTime: now, UpdateTime: now };
    if ((await store.relaxedTables.update(filter, values)) > 0) return;
    try {
      await store.relaxedTables.insert(MQTT_TABLES.client, {
        ...newRow(this.#services),
        ...values,
        ClientId: clientId,
      });
    } catch (e) {
      // Somebody made the row in between: its unique key keeps it the only one.
      if (!(e instanceof AppError) || e.code !== 'ROW_NOT_UNIQUE') throw e;
      await store.relaxedTables.update(filter, values);
    }
  }

  #failed(store: TenantStore, clientId: string, e: unknown): void {
    this.#services.log.warn('mqtt.device_write_failed', { tenantId: store.tenant, clientId, err: coerceError(e) });
  }
}

function keyOf({ tenant, clientId }: Pick<ClientInfo, 'tenant' | 'clientId'>): string {
  return `${tenantKey(tenant)}\u001f${clientId}`;
}

/** The key of the engine with that Id; the reference itself where there is none. */
async function resolveKey(store: TenantStore, reference: string): Promise<string> {
  const filter = rowsWith('sys_apiengine', 'Id', reference);
  const [row] = await store.tables.select(firstRows(filter, ['ApiEngineKey'], 1));
  const key = String(row?.ApiEngineKey ?? '').trim();
  return key === '' ? reference : key;
}
