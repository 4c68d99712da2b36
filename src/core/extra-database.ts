import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';

/** A row of `microi_database`. Its connection holds a password: it goes into no log, error or answer. */
export interface ExtraDatabaseRow {
  readonly key: string;
  readonly type: string;
  readonly connection: string;
}

export type ExtraDatabaseKind = 'mysql' | 'sqlite';

/** Members of the platform's collection, which no database can be called (v8-surface.md 4.1). */
const RESERVED = 'open count keys values comparer add remove clear containskey trygetvalue'.split(' ');

const KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,49}$/;

/** True for a key by which scripts find a database. */
export function isDatabaseKey(key: string): boolean {
  return KEY.test(key) && !RESERVED.includes(key.toLowerCase());
}

/** The kind of a database by its `DbType`. Refusal: DBS_INVALID. */
export function kindOfDatabase({ key, type }: Pick<ExtraDatabaseRow, 'key' | 'type'>): Parsed<ExtraDatabaseKind> {
  const plain = type.trim().toLowerCase();
  if (plain === 'mysql' || plain === 'mariadb') return accept('mysql');
  if (plain === 'sqlite') return accept('sqlite');
  const rule = bilingual('DbType 只支持 MySql 和 Sqlite', 'DbType is MySql or Sqlite');
  return refuse('DBS_INVALID', { key, rule });
}

const FILE = /^(?:data source\s*=\s*)?([A-Za-z0-9][A-Za-z0-9_-]{0,49})(?:\.db)?\s*;?$/i;

/**
 * The file of an SQLite database, without folder and ending: a name alone, so that no tenant reaches another file of the
 * host. Refusal: DBS_INVALID.
 */
export function fileOfDatabase({ key, connection }: Pick<ExtraDatabaseRow, 'key' | 'connection'>): Parsed<string> {
  const name = FILE.exec(connection.trim())?.[1];
  if (name !== undefined) return accept(name.toLowerCase());
  const rule = bilingual(
    'DbConn 须为 Data Source=名称（只含字母、数字、_、-，没有路径）',
    'DbConn is Data Source=NAME with letters, digits, _ and -, and no path',
  );
  return refuse('DBS_INVALID', { key, rule });
}
