/** Secrets that the host stores for others: which they are, and how a cell says that its value is kept sealed. */
import type { ErrorRecord } from './errors.ts';

/**
 * Columns of `sys_osclients` that hold secrets. A plain value, as the original platform writes it, is read as it is and
 * stays until somebody changes it or asks for it to be sealed.
 */
export const SECRET_COLUMNS = Object.freeze([
  'DbConn',
  'DbMongoConnection',
  'MQPassword',
  'MqttPwd',
  'MqttCertPassword',
] as const);

/** Stands in the column of a sealed secret. The columns of the platform are too short for what is sealed. */
export const SEALED_MARK = 'v8host:sealed';

/** Where a secret belongs. What was sealed for one place cannot be opened for another. */
export interface SecretPlace {
  /** In any case. */
  readonly tenant: string;
  /** A column of `sys_osclients`, or `signing-key` and its id. */
  readonly name: string;
}

/** Name of the place of a key that signs tokens. */
export function signingKeyName(kid: string): string {
  return `signing-key ${kid}`;
}

/** Why secrets of a row cannot be read, by column: SECRET_KEY_MISSING, SECRET_DAMAGED. */
export type UnreadableSecrets = Readonly<Record<string, ErrorRecord>>;

/** A tenant's row as the settings of connections are worked out from it. */
export interface SettingsRow {
  readonly tenant: string;
  /** A secret that cannot be read is blank here. */
  readonly row: Readonly<Record<string, unknown>>;
  readonly unreadable?: UnreadableSecrets | undefined;
}

/** Text of a key, one to a line or between commas: 32 bytes as Base64 or as 64 hexadecimal digits. */
export function splitKeys(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '');
}

/** True for the text of a key. */
export function isSecretKey(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text) || /^[A-Za-z0-9+/_-]{43}=?$/.test(text);
}
