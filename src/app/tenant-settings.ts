import { type Caller, isAllowed } from '../core/access.ts';
import { auditEntry } from '../core/audit-entry.ts';
import { bilingual, ruleOf } from '../core/bilingual.ts';
import type { ChangeOrigin } from '../core/change-origin.ts';
import { AppError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { mongoUrlOf } from '../core/mongo-settings.ts';
import { type MqRegistry, mqSettingsOf } from '../core/mq-settings.ts';
import { findMqttTenant, type MainMqtt, mqttRegistry } from '../core/mqtt-settings.ts';
import { sameTenant } from '../core/tenant.ts';
import {
  readSetting,
  SETTING_FIELDS,
  type SettingField,
  type SettingValue,
  storedSetting,
} from '../core/tenant-setting-fields.ts';
import type { Queue } from '../ports/queue.ts';
import type { TenantDirectory, TenantSettings, TenantStore } from '../ports/tenant-store.ts';
import type { TenantSettingsCache } from './tenant-settings-cache.ts';

export interface TenantSettingsServices {
  readonly directory: Pick<TenantDirectory, 'settings' | 'saveSettings' | 'changeSettingsAlone'>;
  readonly queue: Pick<Queue, 'refreshTenant'>;
  /** Main tenant and its URL; the rows are read anew. */
  readonly mq: Omit<MqRegistry, 'rows'>;
  readonly mainMqtt: MainMqtt;
  /** Forgets what scripts were told of the tenant. */
  readonly settings: Pick<TenantSettingsCache, 'forget'>;
  /** Lets the broker read the tenants again. */
  readonly refreshMqtt: () => Promise<void>;
  /** Attaches consumers with the settings as they are now. */
  readonly reconcile: () => Promise<void>;
}

/** Whose settings, and who changes them. */
export interface SettingsPlace {
  readonly store: TenantStore;
  readonly origin: ChangeOrigin;
  readonly caller: Caller;
}

/** A setting as the API shows it: of a secret only whether there is one. */
export interface SettingView {
  readonly name: string;
  readonly value: SettingValue;
  readonly isSet: boolean;
  readonly isSecret: boolean;
  readonly isHostsOwn: boolean;
}

/** Only what is given changes; null takes a setting away. */
export type SettingsChange = Readonly<Record<string, SettingValue>>;

/** The tenant's settings, without those whose column the table of the platform lacks. */
export async function readTenantSettings(
  { directory }: Pick<TenantSettingsServices, 'directory'>,
  tenant: string,
): Promise<readonly SettingView[]> {
  const own = ownRow(await directory.settings(), tenant);
  const fields = own === undefined ? SETTING_FIELDS : SETTING_FIELDS.filter(({ name }) => Object.hasOwn(own.row, name));
  return fields.map((field) => viewOf(field, shownRow(own)[field.name]));
}

/**
 * Changes settings; what is wrong by itself or beside those of other tenants is refused and nothing is stored. They hold
 * at once on this host, within seconds on others.
 * @throws AppError ROLE_DENIED (a field of the operator's), REQUEST_INVALID naming the field, COLUMN_MISSING,
 * TENANT_UNKNOWN, DB_BUSY.
 */
export async function changeTenantSettings(
  services: TenantSettingsServices,
  place: SettingsPlace,
  change: SettingsChange,
): Promise<readonly SettingView[]> {
  const { store, origin, caller } = place;
  const fields = SETTING_FIELDS.filter(({ name }) => change[name] !== undefined);
  refuseForeign(caller, fields);
  // Two at once would each compare with what the other one has not stored yet, and share an account.
  const saved = await services.directory.changeSettingsAlone(() => saveChange(services, store, fields, change));
  const entry = { before: auditOf(fields, shownRow(saved.before)), after: auditOf(fields, shownRow(saved.after)) };
  try {
    await store.identity.audit.write(auditEntry(origin, 'tenant.settings-changed', store.tenant, entry));
  } finally {
    // They are stored in the main tenant's database, also when the tenant's own is away: else nobody would follow them.
    await apply(services, store.tenant, fields);
  }
  return readTenantSettings(services, store.tenant);
}

/** @returns the tenant's row before, where it had one, and after. @throws as `changeTenantSettings`. */
async function saveChange(
  services: TenantSettingsServices,
  store: TenantStore,
  fields: readonly SettingField[],
  change: SettingsChange,
): Promise<{ readonly before: TenantSettings | undefined; readonly after: TenantSettings }> {
  const rows = await services.directory.settings();
  const own = ownRow(rows, store.tenant);
  for (const { name } of fields) {
    if (own !== undefined && !Object.hasOwn(own.row, name)) {
      throw new AppError('COLUMN_MISSING', { table: 'sys_osclients', column: name });
    }
  }
  await refuseUnknownEngine(store, change.MqttApiEngine);
  const values = Object.fromEntries(
    fields.map((field) => [field.name, storedSetting(field, change[field.name] ?? null)]),
  );
  const { row = {}, unreadable = {} } = own ?? {};
  const stillUnread = Object.entries(unreadable).filter(([name]) => values[name] === undefined);
  const after = { tenant: store.tenant, row: { ...row, ...values }, unreadable: Object.fromEntries(stillUnread) };
  refuseUnfit(services, [after, ...rows.filter((row) => row !== own)], { tenant: store.tenant, fields });
  await services.directory.saveSettings(store.tenant, values);
  return { before: own, after };
}

function ownRow(rows: readonly TenantSettings[], tenant: string): TenantSettings | undefined {
  return rows.find((row) => sameTenant(row.tenant, tenant));
}

/** A secret that cannot be read is set all the same. */
function shownRow(own: TenantSettings | undefined): TenantSettings['row'] {
  return { ...own?.row, ...own?.unreadable };
}

function viewOf(field: SettingField, cell: unknown): SettingView {
  const value = readSetting(field, cell);
  const { name, isSecret, isHostsOwn } = field;
  const isSet = value !== null && value !== false;
  return { name, value: isSecret ? null : value, isSet, isSecret, isHostsOwn };
}

/** Secrets are only said to be there, or not. */
function auditOf(fields: readonly SettingField[], row: TenantSettings['row']): JsonObject {
  return Object.fromEntries(
    fields.map((field) => {
      const { name, value, isSet, isSecret } = viewOf(field, row[field.name]);
      return [name, isSecret ? { isSet } : value];
    }),
  );
}

/** @throws AppError ROLE_DENIED. */
function refuseForeign(caller: Caller, fields: readonly SettingField[]): void {
  if (caller.kind === 'host' || !fields.some(({ isHostsOwn }) => isHostsOwn)) return;
  if (isAllowed(caller, 'tenant.manage')) return;
  throw new AppError('ROLE_DENIED', { role: caller.role, permission: 'tenant.manage' });
}

async function refuseUnknownEngine(store: TenantStore, key: SettingValue | undefined): Promise<void> {
  if (typeof key !== 'string' || key === '' || (await store.engines.find(key)) !== undefined) return;
  const rule = bilingual(`没有接口引擎 ${key}`, `there is no engine ${key}`);
  throw new AppError('REQUEST_INVALID', { field: 'body.MqttApiEngine', rule });
}

/** What the connections would refuse later is refused before it is stored; what is not filled in yet is not. */
function refuseUnfit(
  { mq, mainMqtt }: TenantSettingsServices,
  rows: readonly TenantSettings[],
  { tenant, fields }: { readonly tenant: string; readonly fields: readonly SettingField[] },
): void {
  const names = new Set(fields.map(({ name }) => name));
  if (fields.some(({ name }) => name.startsWith('MQ'))) {
    const parsed = mqSettingsOf(tenant, { ...mq, rows });
    const isUnfit = !parsed.ok && ['QUEUE_IDENTITY_INVALID', 'QUEUE_IDENTITY_SHARED'].includes(parsed.error.code);
    if (!parsed.ok && isUnfit) {
      throw new AppError('REQUEST_INVALID', { field: `body.${parsed.error.params.field}`, rule: ruleOf(parsed.error) });
    }
  }
  if (names.has('DbMongoConnection')) {
    const url = mongoUrlOf(tenant, { mainTenant: mq.mainTenant, rows });
    if (!url.ok) throw new AppError('REQUEST_INVALID', { field: 'body.DbMongoConnection', rule: ruleOf(url.error) });
  }
  const known = findMqttTenant(mqttRegistry(rows, mainMqtt), tenant);
  const row = rows[0]?.row ?? {};
  for (const [name, inForce] of [
    ['MqttAccount', known?.account],
    ['MqttPwd', known?.password],
  ] as const) {
    if (!names.has(name) || String(row[name] ?? '') === '' || inForce !== '') continue;
    const rule = bilingual('不能与主租户的相同', "must not be the main tenant's");
    throw new AppError('REQUEST_INVALID', { field: `body.${name}`, rule });
  }
}

async function apply(services: TenantSettingsServices, tenant: string, fields: readonly SettingField[]): Promise<void> {
  services.settings.forget(tenant);
  if (fields.some(({ name }) => name.startsWith('Mqtt'))) await services.refreshMqtt();
  if (!fields.some(({ name }) => name.startsWith('MQ'))) return;
  // What is not filled in yet keeps the tenant's queues away, not the change: binding-states tell of it.
  await services.queue.refreshTenant(tenant, true).catch(() => undefined);
  await services.reconcile();
}
