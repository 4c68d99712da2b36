import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, coerceError, describeError, orThrow } from '../../core/errors.ts';
import { isProbeTenant } from '../../core/probe-tenant.ts';
import type { NoteProgress } from '../../core/progress.ts';
import { parseTenantId, sameTenant, tenantKey } from '../../core/tenant.ts';
import type { Log } from '../../ports/log.ts';
import type { SecretUpkeep } from '../../ports/secret-box.ts';
import type { TenantDirectory, TenantSettings, TenantStatus, TenantStore } from '../../ports/tenant-store.ts';
import { MysqlAddress } from './address-mysql.ts';
import { divideConnections } from './database-mysql.ts';
import { SchemaCache } from './schema-cache.ts';
import { SqlSecretUpkeep } from './secret-upkeep.ts';
import { asNeighbour, assertApart, type Neighbour, visibleNeighbours } from './tenant-isolation.ts';
import {
  DATABASE_TYPES,
  filePlace,
  isSamePlace,
  type OpenerOptions,
  type OpenTenant,
  openTenant,
  placeOf,
  type TenantPlace,
} from './tenant-opener.ts';
import { dropPlace, newPlace } from './tenant-place.ts';
import { type RegisteredTenant, TenantRegistry } from './tenant-registry.ts';

/** The main tenant's database: a file below `dataDir`, or a schema on a server. */
export type MainDatabase =
  | { readonly kind: 'sqlite' }
  /** `mysql://user:password@host:port/schema`, wrapped so that it cannot be printed by mistake. */
  | { readonly kind: 'mysql'; readonly url: { reveal(): string } };

export interface TenantDirectoryOptions extends Pick<OpenerOptions, 'dataDir' | 'log' | 'clock' | 'ids' | 'box'> {
  readonly mainTenant: string;
  /** Default: a file. */
  readonly main?: MainDatabase;
  /** Connections per tenant on a server; default those of `divideConnections(10)`. */
  readonly pools?: OpenerOptions['pools'];
  /** Default: the platform's. */
  readonly timeZone?: string;
  readonly extend?: boolean;
  /** Told how far the first opening of all tenants is. */
  readonly note?: NoteProgress;
}

/** The directory, and who is on a server: for those who open further databases. */
export interface SqlDirectory extends TenantDirectory {
  neighbours(): Promise<readonly Neighbour[]>;
}

const PLATFORM_ZONE = 'Asia/Shanghai';
const CONNECTIONS_PER_TENANT = 10;

/**
 * Opens the main tenant's database and that of every enabled tenant registered in it. A child whose database cannot be
 * opened is unavailable, alone. @throws AppError when the main tenant's cannot be opened (see `openTenant`).
 */
export async function createTenantDirectory(options: TenantDirectoryOptions): Promise<SqlDirectory> {
  const { main = { kind: 'sqlite' }, extend = false, timeZone = PLATFORM_ZONE } = options;
  const pools = options.pools ?? divideConnections(CONNECTIONS_PER_TENANT);
  const opener: OpenerOptions = { ...options, pools, timeZone, extend };
  const tenant = orThrow(parseTenantId(options.mainTenant));
  mkdirSync(join(options.dataDir, 'tenants'), { recursive: true, mode: 0o700 });
  const place = mainPlace(main, options.dataDir, tenant);
  const opened = await openTenant(opener, tenant, place);
  const registry = new TenantRegistry(opened.store.secrets, new SchemaCache(opened.database), options);
  const directory = new SqlTenantDirectory(opener, opened, registry);
  try {
    await directory.refresh();
    return directory;
  } catch (error: unknown) {
    await directory.close();
    throw error;
  }
}

/** A directory whose main tenant has a file. */
export function createSqliteDirectory(options: Omit<TenantDirectoryOptions, 'main'>): Promise<SqlDirectory> {
  return createTenantDirectory({ ...options, main: { kind: 'sqlite' } });
}

function mainPlace(main: MainDatabase, dataDir: string, tenant: string): TenantPlace {
  if (main.kind === 'sqlite') return filePlace(dataDir, tenant);
  return { kind: 'mysql', address: MysqlAddress.parse(main.url.reveal()) };
}

class SqlTenantDirectory implements SqlDirectory {
  readonly secrets: SecretUpkeep;
  readonly #options: OpenerOptions;
  readonly #log: Log;
  readonly #main: OpenTenant;
  readonly #registry: TenantRegistry;
  /** By lower-case name, the main tenant first. */
  readonly #tenants = new Map<string, OpenTenant>();
  /** Why a tenant cannot be opened, by lower-case name. */
  readonly #reasons = new Map<string, string>();
  /** Passes and additions take turns: two of them could open one database twice. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Changes of settings and rotations of keys take turns before they take the lock of the registry, which holds a connection. */
  #settingsTurn: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** What the log was last told about the main tenant. */
  #warning = '';

  constructor(options: OpenerOptions, main: OpenTenant, registry: TenantRegistry) {
    this.#options = options;
    this.#log = options.log.child('sql.tenant-directory');
    this.#main = main;
    this.secrets = new SqlSecretUpkeep(main.store.secrets, main.store.tenant, (work) => this.changeSettingsAlone(work));
    this.#registry = registry;
    this.#tenants.set(tenantKey(main.store.tenant), main);
  }

  open(): readonly TenantStore[] {
    return [...this.#tenants.values()].map(({ store }) => store);
  }

  get(tenant: string): TenantStore | undefined {
    const key = tenantKey(tenant);
    const opened = this.#tenants.get(key);
    const reason = this.#reasons.get(key);
    if (opened === undefined && reason !== undefined) throw new AppError('TENANT_UNAVAILABLE', { tenant, reason });
    return opened?.store;
  }

  async list(): Promise<readonly TenantStatus[]> {
    const children = (await this.#children()).map((row) => this.#statusOf(row));
    return [{ tenant: this.#main.store.tenant, main: true, state: 'open' }, ...children];
  }

  async neighbours(): Promise<readonly Neighbour[]> {
    return this.#neighbours(await this.#children());
  }

  settings(): Promise<readonly TenantSettings[]> {
    return this.#registry.readSettings();
  }

  saveSettings(tenant: string, values: Readonly<Record<string, string | number>>): Promise<void> {
    return this.#inTurn(async () => {
      const main = this.#main.store.tenant;
      const rows = sameTenant(tenant, main) ? await this.#registry.readSettings() : undefined;
      if (rows?.some((row) => sameTenant(row.tenant, main)) === false) {
        await this.#registry.insert({ tenant: main, databaseType: '', connection: '' });
      }
      await this.#registry.saveSettings(tenant, values);
    });
  }

  changeSettingsAlone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#settingsTurn.then(() => this.#registry.alone(work));
    this.#settingsTurn = turn.catch(() => undefined);
    return turn;
  }

  add(name: string, databaseUrl: string | undefined): Promise<TenantStore> {
    return this.#inTurn(async () => {
      const tenant = orThrow(parseTenantId(name));
      if (await this.#isKnown(tenant)) throw new AppError('TENANT_EXISTS', { tenant });
      const { place, undo } = await newPlace(this.#main.database, this.#options, tenant, databaseUrl);
      try {
        return await this.#openAndRegister(tenant, place);
      } catch (error: unknown) {
        // A row that may be there must lead somewhere.
        if (coerceError(error).code !== 'DB_COMMIT_UNKNOWN') await undo();
        throw error;
      }
    });
  }

  removeProbe(tenant: string): Promise<void> {
    return this.#inTurn(async () => {
      if (!isProbeTenant(tenant)) throw new AppError('TENANT_INVALID');
      const key = tenantKey(tenant);
      const opened = this.#tenants.get(key);
      if (opened !== undefined) await this.#closeTenant(key, opened);
      // The row goes last: while it is there a removal that was cut short is found and done again.
      await dropPlace(this.#main.database, this.#options, tenant);
      await this.#registry.remove(tenant);
      this.#reasons.delete(key);
    });
  }

  refresh(): Promise<void> {
    return this.#inTurn(() => this.#refreshAll());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    const tenants = [...this.#tenants.values()].reverse();
    this.#tenants.clear();
    for (const { store } of tenants) await store.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => {
      if (this.#closed) throw new AppError('DB_UNAVAILABLE', { reason: 'the tenant directory was closed' });
      return work();
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #refreshAll(): Promise<void> {
    const children = await this.#children();
    const enabled = children.filter((child) => child.enabled);
    const wanted = new Set(enabled.map(({ tenant }) => tenantKey(tenant)));
    for (const key of this.#reasons.keys()) if (!wanted.has(key)) this.#reasons.delete(key);
    for (const [key, opened] of this.#tenants) {
      if (opened !== this.#main && !wanted.has(key)) await this.#closeTenant(key, opened);
    }
    // One server that does not answer must not keep the others waiting.
    const total = enabled.length + 1;
    let done = 0;
    const opened = (subject: string): void => this.#options.note?.({ step: 'open', done: ++done, total, subject });
    opened(this.#main.store.tenant);
    await Promise.all(enabled.map((child) => this.#openChild(child, enabled).then(() => opened(child.tenant))));
    await this.#warnOfMain(enabled);
  }

  /** Opens a child, or opens it again when its row leads somewhere else; the old one serves until the new one does. */
  async #openChild(child: RegisteredTenant, children: readonly RegisteredTenant[]): Promise<void> {
    const key = tenantKey(child.tenant);
    const before = this.#tenants.get(key);
    try {
      const tenant = orThrow(parseTenantId(child.tenant));
      const place = placeOf(child, this.#options.dataDir, this.#main.place.kind);
      if (before === undefined || !isSamePlace(before.place, place)) {
        this.#keep(tenant, await this.#openApart(tenant, place, children));
        await before?.store.close();
      }
      this.#reasons.delete(key);
    } catch (error: unknown) {
      this.#markUnavailable(key, coerceError(error));
    }
  }

  async #openAndRegister(tenant: string, place: TenantPlace): Promise<TenantStore> {
    const opened = await this.#openApart(tenant, place, await this.#children());
    try {
      await this.#insert(tenant, place);
    } catch (error: unknown) {
      await opened.store.close();
      throw error;
    }
    this.#keep(tenant, opened);
    return opened.store;
  }

  async #openApart(tenant: string, place: TenantPlace, children: readonly RegisteredTenant[]): Promise<OpenTenant> {
    const opened = await openTenant(this.#options, tenant, place);
    try {
      await assertApart(tenant, opened, this.#neighbours(children));
      return opened;
    } catch (error: unknown) {
      await opened.store.close();
      throw error;
    }
  }

  #keep(tenant: string, opened: OpenTenant): void {
    this.#tenants.set(tenantKey(tenant), opened);
    this.#log.info('tenant.opened', { tenant });
  }

  /** Everybody on a server, open or not. */
  #neighbours(children: readonly RegisteredTenant[]): readonly Neighbour[] {
    const open = [...this.#tenants.values()].map((opened) => asNeighbour(opened.store.tenant, opened));
    const registered = children.map((child) => this.#registeredNeighbour(child));
    return [...open, ...registered].filter((neighbour) => neighbour !== undefined);
  }

  #registeredNeighbour(child: RegisteredTenant): Neighbour | undefined {
    try {
      const place = placeOf(child, this.#options.dataDir, this.#main.place.kind);
      return place.kind === 'mysql' ? { tenant: child.tenant, address: place.address, identity: undefined } : undefined;
    } catch {
      // Its own opening says what is wrong with the row.
      return undefined;
    }
  }

  /** The main tenant's user makes schemas for others and so sees them; it is the host's own, but scripts run under it, too. */
  async #warnOfMain(children: readonly RegisteredTenant[]): Promise<void> {
    const tenant = this.#main.store.tenant;
    const schemas = await visibleNeighbours(tenant, this.#main, this.#neighbours(children)).catch(() => []);
    const message = `the user of the main tenant sees schemas of other tenants: ${[...new Set(schemas)].join(', ')}`;
    if (schemas.length === 0 || this.#warning === message) return;
    this.#warning = message;
    this.#log.warn('database.misconfigured', { tenant, message });
  }

  /** Logged once per reason: every reconcile pass tries again. */
  #markUnavailable(key: string, error: AppError): void {
    const reason = describeError(error.toRecord(), 'en');
    if (this.#reasons.get(key) !== reason) this.#log.error('tenant.open_failed', { tenant: key, err: error });
    this.#reasons.set(key, reason);
  }

  async #closeTenant(key: string, { store }: OpenTenant): Promise<void> {
    this.#tenants.delete(key);
    await store.close();
  }

  async #children(): Promise<readonly RegisteredTenant[]> {
    const mainKey = tenantKey(this.#main.store.tenant);
    return (await this.#registry.readAll()).filter(({ tenant }) => tenantKey(tenant) !== mainKey);
  }

  async #isKnown(tenant: string): Promise<boolean> {
    const key = tenantKey(tenant);
    if (key === tenantKey(this.#main.store.tenant)) return true;
    return (await this.#children()).some((child) => tenantKey(child.tenant) === key);
  }

  async #insert(tenant: string, place: TenantPlace): Promise<void> {
    const connection = place.kind === 'mysql' ? place.address.toConnectionString() : '';
    try {
      await this.#registry.insert({ tenant, databaseType: DATABASE_TYPES[place.kind], connection });
    } catch (error: unknown) {
      const failure = coerceError(error);
      throw failure.code === 'ROW_NOT_UNIQUE' ? new AppError('TENANT_EXISTS', { tenant }) : failure;
    }
  }

  #statusOf({ tenant, enabled }: RegisteredTenant): TenantStatus {
    if (!enabled) return { tenant, main: false, state: 'disabled' };
    const key = tenantKey(tenant);
    if (this.#tenants.has(key)) return { tenant, main: false, state: 'open' };
    return { tenant, main: false, state: 'unavailable', reason: this.#reasons.get(key) ?? 'not opened yet' };
  }
}
