import { accept, type Lang, type Parsed, refuse } from './errors.ts';
import { tableAccess } from './protected-tables.ts';

/** What a column that a script makes can hold: the physical types of v8-surface.md 2.5, and datetime. */
export type DesignType =
  | { readonly kind: 'text'; readonly length: number }
  | { readonly kind: 'longText' | 'int' | 'bigint' | 'datetime' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number };

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,29}$/;
const MAX_TEXT = 16_000;
const MAX_PRECISION = 65;

/** Prefixes of the platform's own tables; `diy_` is also that of tenants' tables. */
const PLATFORM_TABLES = /^(sys|mq|mci|wf|v8host|sqlite|information_schema)_|^diy_(table|field|queue_\w+)$|^dbstat$/i;

/** Columns every table has, and keys of parameters that a column of the name could never be written by. */
const TAKEN_FIELDS = 'id createtime updatetime userid username isdeleted osclient formenginekey tableid tablename ids';

/** Words that MySQL or SQLite reserves: as names they work in FormEngine and fail in every statement without quotes. */
const RESERVED = `
  add all alter analyze and as asc before between both by call cascade case change check collate column condition
  constraint continue convert create cross cursor database databases default delete desc describe distinct div drop each
  else elseif escape exists exit explain false fetch for force foreign from fulltext function generated get grant group
  having if ignore in index infile inner inout insert interval into is iterate join key keys kill leading leave left like
  limit linear lines load lock loop match mod natural not null of on optimize option or order out outer over partition
  precision primary procedure purge range rank read recursive references regexp release rename repeat replace require
  return revoke right rlike row rows schema select separator set show signal sql starting system table terminated then to
  trailing transaction trigger true undo union unique unlock unsigned update usage use using values varying when where
  while window with write xor
`;

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
const TAKEN = words(TAKEN_FIELDS);
const RESERVED_WORDS = words(RESERVED);

const RULES = {
  tableName: {
    zh: '以字母开头，只含字母、数字、_，最多 60 个字符。',
    en: 'letters, digits and _, a letter first, at most 60 characters.',
  },
  fieldName: {
    zh: '以字母开头，只含字母、数字、_，最多 30 个字符。',
    en: 'letters, digits and _, a letter first, at most 30 characters.',
  },
  platformTable: { zh: '这个名称属于平台的表。', en: 'the name is one of the platform’s tables.' },
  takenField: {
    zh: '这是每个表都有的列，或 FormEngine 参数的名称。',
    en: 'every table has this column, or a parameter of FormEngine has the name.',
  },
  reservedWord: {
    zh: '这是 SQL 的保留字：换一个名称。',
    en: 'it is a reserved word of SQL: choose another name.',
  },
  type: {
    zh: '须为 varchar(N)、mediumtext、longtext、int、bigint、decimal(P,S) 或 datetime。',
    en: 'it is varchar(N), mediumtext, longtext, int, bigint, decimal(P,S) or datetime.',
  },
} as const;

function refused<T>(field: string, rule: keyof typeof RULES, lang: Lang): Parsed<T> {
  return refuse('PARAM_INVALID', { field, rule: RULES[rule][lang] });
}

/** The name of a table that a script makes. Refusal: PARAM_INVALID. */
export function parseTableName(raw: string, lang: Lang): Parsed<string> {
  const name = raw.trim();
  if (!TABLE_NAME.test(name)) return refused('TableName', 'tableName', lang);
  if (tableAccess(name) !== 'write' || PLATFORM_TABLES.test(name)) return refused('TableName', 'platformTable', lang);
  return RESERVED_WORDS.has(name.toLowerCase()) ? refused('TableName', 'reservedWord', lang) : accept(name);
}

/** The name of a column that a script makes. Refusal: PARAM_INVALID. */
export function parseFieldName(raw: string, lang: Lang): Parsed<string> {
  const name = raw.trim();
  if (!FIELD_NAME.test(name)) return refused('Name', 'fieldName', lang);
  const lower = name.toLowerCase();
  if (TAKEN.has(lower)) return refused('Name', 'takenField', lang);
  return RESERVED_WORDS.has(lower) ? refused('Name', 'reservedWord', lang) : accept(name);
}

/** The type of a column as the designer declares it. Refusal: PARAM_INVALID. */
export function parseDesignType(raw: string, lang: Lang): Parsed<DesignType> {
  const type = readType(raw.trim().toLowerCase());
  return type === undefined ? refused('Type', 'type', lang) : accept(type);
}

function readType(plain: string): DesignType | undefined {
  if (plain === 'int' || plain === 'bigint' || plain === 'datetime') return { kind: plain };
  if (plain === 'mediumtext' || plain === 'longtext' || plain === 'text') return { kind: 'longText' };
  const length = Number(/^varchar\((\d{1,5})\)$/.exec(plain)?.[1] ?? 0);
  if (length >= 1 && length <= MAX_TEXT) return { kind: 'text', length };
  const [, precision, scale] = /^decimal\((\d{1,2}),\s*(\d{1,2})\)$/.exec(plain) ?? [];
  const decimal = { kind: 'decimal', precision: Number(precision), scale: Number(scale) } as const;
  const fits = decimal.precision >= 1 && decimal.precision <= MAX_PRECISION && decimal.scale <= decimal.precision;
  return fits ? decimal : undefined;
}

/** True when every value of the first type also fits the second: no change of a column may lose what is stored. */
export function isWider(from: DesignType, to: DesignType): boolean {
  if (from.kind === 'text') return to.kind === 'longText' || (to.kind === 'text' && to.length >= from.length);
  if (from.kind === 'int') return to.kind === 'int' || to.kind === 'bigint';
  if (from.kind !== 'decimal') return from.kind === to.kind;
  if (to.kind !== 'decimal') return false;
  return to.scale >= from.scale && to.precision - to.scale >= from.precision - from.scale;
}
