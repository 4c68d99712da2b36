/** What a setting of a tenant holds. */
export type SettingKind = 'text' | 'switch' | 'port' | 'engine';

/** A column of `sys_osclients` that is read and changed through the API. */
export interface SettingField {
  readonly name: string;
  readonly kind: SettingKind;
  /** Room of the column, in characters; of texts. */
  readonly length: number;
  /** Never shown: only whether there is one. */
  readonly isSecret: boolean;
  /** Where the host connects to, and as whom: for callers of the whole host. */
  readonly isHostsOwn: boolean;
}

/** A value as people give and read it; null: nothing is set. */
export type SettingValue = string | number | boolean | null;

/**
 * The settings (mq-mqtt.md 1.3). A tenant's own people change what concerns its devices; where the host connects to and
 * as whom is the operator's, or a tenant could make the host reach into a network that scripts are kept out of.
 */
export const SETTING_FIELDS: readonly SettingField[] = Object.freeze([
  own('ClientName', 'text', 100),
  hosts('MQHost', 'text', 200),
  hosts('MQPort', 'port'),
  hosts('MQUserName', 'text', 50),
  { ...hosts('MQPassword', 'text', 50), isSecret: true },
  hosts('MQVitrualHost', 'text', 50),
  hosts('MQUseTls', 'switch'),
  hosts('MQTlsServerName', 'text', 200),
  { ...hosts('DbMongoConnection', 'text', 500), isSecret: true },
  own('MqttEnable', 'switch'),
  own('MqttAccount', 'text', 50),
  { ...own('MqttPwd', 'text', 50), isSecret: true },
  own('MqttApiEngine', 'engine', 100),
  own('MqttAllowAnonymous', 'switch'),
  own('MqttShortTopics', 'switch'),
  own('MqttVeto', 'switch'),
]);

/** Columns that the platform's table keeps as text, whatever they mean. */
const TEXT_COLUMNS: ReadonlySet<string> = new Set(['MQPort', 'MQUseTls']);

/** A value as its column keeps it; blank is the platform's word for nothing. */
export function storedSetting({ name, kind }: SettingField, value: SettingValue): string | number {
  if (value === null) return kind === 'switch' && !TEXT_COLUMNS.has(name) ? 0 : '';
  const written = typeof value === 'boolean' ? Number(value) : value;
  return TEXT_COLUMNS.has(name) ? String(written) : written;
}

/** What a cell means; a cell that cannot be read as its kind is shown as the text that it is. */
export function readSetting({ kind }: SettingField, cell: unknown): SettingValue {
  const text = cell === null || cell === undefined ? '' : String(cell).trim();
  if (kind === 'switch') return /^(1|true|yes)$/i.test(text);
  if (text === '') return null;
  return kind === 'port' && /^\d{1,5}$/.test(text) ? Number(text) : text;
}

function own(name: string, kind: SettingKind, length = 0): SettingField {
  return { name, kind, length, isSecret: false, isHostsOwn: false };
}

function hosts(name: string, kind: SettingKind, length = 0): SettingField {
  return { ...own(name, kind, length), isHostsOwn: true };
}
