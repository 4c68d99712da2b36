import type { SettingsRow } from './sealed-secret.ts';
import { sameTenant } from './tenant.ts';

/** What the broker knows of one tenant. Account and password go into no log, error or answer. */
export interface MqttTenant {
  /** In its own case. */
  readonly tenant: string;
  readonly isMain: boolean;
  readonly enabled: boolean;
  /** Empty where none is set. */
  readonly account: string;
  readonly password: string;
  readonly allowAnonymous: boolean;
  /** Key or Id of the engine that gets the tenant's events; empty for none. */
  readonly engine: string;
  /** Devices see topics without `tenant/{own}/`. */
  readonly shortTopics: boolean;
  /** Results of `Connected` and `Subscribing` may refuse. */
  readonly veto: boolean;
}

/** Every loaded tenant, the main one among them. */
export interface MqttRegistry {
  readonly tenants: readonly MqttTenant[];
}

/** What the configuration says of the main tenant; it fills blank columns and is never stored. */
export interface MainMqtt {
  readonly tenant: string;
  /** Goes before `MqttEnable` of the row, so that one host of several can have no broker; undefined lets the row say. */
  readonly enabled: boolean | undefined;
  readonly account: string;
  readonly password: string;
  readonly engine: string;
}

/** Rows of `sys_osclients`, perhaps without some of the columns. */
export type MqttRow = SettingsRow;

/**
 * The broker's view of all tenants (mq-mqtt.md 1.3). A child's account or password that equals the main tenant's was
 * copied, not given: it counts as missing. The main tenant may have no row.
 */
export function mqttRegistry(rows: readonly MqttRow[], main: MainMqtt): MqttRegistry {
  const mainRow = rows.find(({ tenant }) => sameTenant(tenant, main.tenant)) ?? { tenant: main.tenant, row: {} };
  const first = mainTenant(mainRow, main);
  const children = rows.filter(({ tenant }, index) => {
    const isFirst = rows.findIndex((other) => sameTenant(other.tenant, tenant)) === index;
    return isFirst && !sameTenant(tenant, main.tenant);
  });
  return { tenants: [first, ...children.map((child) => childTenant(child, first))] };
}

/** The tenant of that name, in any case of ASCII letters. */
export function findMqttTenant(registry: MqttRegistry, name: string): MqttTenant | undefined {
  return registry.tenants.find(({ tenant }) => sameTenant(tenant, name));
}

function mainTenant(entry: MqttRow, main: MainMqtt): MqttTenant {
  const own = readRow({ ...entry, tenant: main.tenant });
  return {
    ...own,
    isMain: true,
    enabled: main.enabled ?? own.enabled,
    account: own.account === '' ? main.account : own.account,
    password: own.password === '' && !isUnreadable(entry) ? main.password : own.password,
    engine: own.engine === '' ? main.engine : own.engine,
  };
}

function childTenant(entry: MqttRow, main: MqttTenant): MqttTenant {
  const own = readRow(entry);
  return {
    ...own,
    account: own.account === main.account ? '' : own.account,
    password: own.password === main.password ? '' : own.password,
  };
}

function readRow(entry: MqttRow): MqttTenant {
  const { tenant, row } = entry;
  return {
    tenant,
    isMain: false,
    enabled: isOn(row.MqttEnable),
    account: textOf(row.MqttAccount).trim(),
    password: textOf(row.MqttPwd),
    // A password that cannot be read is not no password: nobody gets in without it.
    allowAnonymous: isOn(row.MqttAllowAnonymous) && !isUnreadable(entry),
    engine: textOf(row.MqttApiEngine).trim(),
    shortTopics: isOn(row.MqttShortTopics),
    veto: isOn(row.MqttVeto),
  };
}

function isUnreadable({ unreadable }: MqttRow): boolean {
  return unreadable?.MqttPwd !== undefined;
}

function isOn(value: unknown): boolean {
  return value === true || /^(1|true|yes)$/i.test(textOf(value).trim());
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}
