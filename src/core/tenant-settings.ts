import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { parseJson } from './json-text.ts';

/** Settings of the host's own connections; a script has no use for them (mq-mqtt.md 1.3, v8-surface.md 5.2). */
const INFRASTRUCTURE = /^(mq|mqtt|db|redis|mongo|elastic|es_|hdfs|minio|oss|cos|smtp|email)/i;

/** Names that say what they hold. */
const SECRET_NAME =
  /pwd|pass(wd)?$|password|secret|token|api_?key|access_?key|private_?key|credential|auth|salt|cert|licen[cs]e|conn(ection)?(string|str)?$/i;

/** `Key` as a word of its own at the end: `SmsKey`, `sms_key`, not `Monkey`. */
const KEY_NAME = /^[Kk][Ee][Yy]$|_[Kk][Ee][Yy]$|[a-z0-9]K(?:ey|EY)$/;

/** Values that are secrets whatever their column is called: credentials in an address, a connection string, a key. */
const SECRET_VALUE = /:\/\/[^/\s:@]*:[^/\s@]+@|(password|pwd)\s*=|-----BEGIN [A-Z ]*PRIVATE KEY/i;

/** Harmless although their names begin like infrastructure. Scripts branch on them. */
const HARMLESS: ReadonlySet<string> = new Set(['dbtype', 'dbreadtype']);

/** The column of sys_config whose purpose is to give secrets to server scripts. */
const PRIVATE_SETTINGS = 'ServerPrivateSettings';

/** Source that runs before scripts; no setting. */
const GLOBAL_CODE = 'GlobalServerV8Code';

/** What a script may see of the tenant's row of `sys_osclients`: `V8.OsClientModel`. */
export function redactTenantModel(row: Readonly<Record<string, unknown>>): JsonObject {
  return visibleColumns(row);
}

/**
 * What a script may see of `sys_config`: `V8.SysConfig`. Secrets are left out, except in `ServerPrivateSettings`: a
 * tenant writes there what its server scripts shall have (JSON text of an object is given as that object).
 */
export function redactSysConfig(row: Readonly<Record<string, unknown>>): JsonObject {
  const { [PRIVATE_SETTINGS]: settings, [GLOBAL_CODE]: _, ...rest } = row;
  return { ...visibleColumns(rest), [PRIVATE_SETTINGS]: readPrivateSettings(settings) };
}

function visibleColumns(row: Readonly<Record<string, unknown>>): JsonObject {
  const visible = Object.entries(row).filter(([name, value]) => isVisible(name, value));
  return Object.fromEntries(visible) as JsonObject;
}

function isVisible(name: string, value: unknown): value is JsonValue {
  if (INFRASTRUCTURE.test(name) && !HARMLESS.has(name.toLowerCase())) return false;
  if (SECRET_NAME.test(name) || KEY_NAME.test(name)) return false;
  if (typeof value === 'string') return !SECRET_VALUE.test(value);
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

function readPrivateSettings(value: unknown): JsonObject {
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  return parsed?.ok && isJsonObject(parsed.value) ? parsed.value : {};
}
