import { bilingual } from '../../core/bilingual.ts';
import { AppError, type Lang } from '../../core/errors.ts';
import type { MysqlAddress } from './address-mysql.ts';
import type { MysqlConnection, Statement } from './connection-mysql.ts';

export type MysqlVendor = 'mariadb' | 'mysql';

/** What a session of the host has to know of its server. */
export interface MysqlServer {
  readonly vendor: MysqlVendor;
  readonly version: string;
  /** The same for every name of one server. */
  readonly identity: string;
  /** Largest statement the server takes with its values. Bytes. */
  readonly maxPacket: number;
  /** The tenant's zone as the server takes it: by name, or as today's offset where it has no table of zones. */
  readonly timeZone: string;
}

/** `run` for a platform transaction, `single` for statements that commit by themselves and the host's own work. */
export type SessionRole = 'run' | 'single';

/** Below the host's patience with a duplicate (architecture.md 2, G3). Seconds. */
const RUN_LOCK_WAIT = 3;
const SINGLE_LOCK_WAIT = 10;
/** A frozen host loses its transaction after this (delivery.md F10). Seconds. */
const IDLE_TRANSACTION = 15;
/** Above the pool's own idle time, below what a firewall forgets. Seconds. */
const IDLE_SESSION = 120;

/**
 * Statements that make a session ours. Run sessions never commit by themselves, so that nothing can after a lost
 * transaction (F1). READ COMMITTED, because under the default a sweep or purge locks what runs insert (F12, F14).
 */
export function sessionSetup(server: MysqlServer, role: SessionRole): string {
  const isRun = role === 'run';
  const settings: Readonly<Record<string, string | number>> = {
    autocommit: isRun ? 0 : 1,
    sql_mode: "'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
    innodb_lock_wait_timeout: isRun ? RUN_LOCK_WAIT : SINGLE_LOCK_WAIT,
    lock_wait_timeout: SINGLE_LOCK_WAIT,
    time_zone: `'${server.timeZone}'`,
    ...(server.vendor === 'mariadb'
      ? { wait_timeout: IDLE_SESSION, idle_transaction_timeout: IDLE_TRANSACTION }
      : { wait_timeout: isRun ? IDLE_TRANSACTION : IDLE_SESSION }),
  };
  const list = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  return [
    'set names utf8mb4 collate utf8mb4_general_ci',
    'set session transaction isolation level read committed',
    `set session ${list.join(', ')}`,
  ].join('; ');
}

/** How long an unused session is kept, below the server's patience. Milliseconds. */
export function idleMs(server: MysqlServer, role: SessionRole): number {
  return server.vendor === 'mysql' && role === 'run' ? 10_000 : 30_000;
}

const VARIABLES = [
  'version',
  'hostname',
  'port',
  'log_bin',
  'binlog_format',
  'sync_binlog',
  'innodb_flush_log_at_trx_commit',
  'max_allowed_packet',
  'character_set_database',
] as const;

type Variables = Readonly<Partial<Record<(typeof VARIABLES)[number], string>>>;

/** A sentence for operators. */
export type ServerWarning = Readonly<Record<Lang, string>>;

export interface Inspection {
  readonly server: MysqlServer;
  /** What works and should be changed all the same. */
  readonly warnings: readonly ServerWarning[];
}

/**
 * Looks the server and the schema over. @param timeZone IANA name.
 * @throws AppError DB_UNSUPPORTED, DB_SETTING where nothing could be written or kept.
 */
export async function inspectServer(
  connection: MysqlConnection,
  address: MysqlAddress,
  timeZone: string,
): Promise<Inspection> {
  const variables = await readVariables(connection);
  const version = variables.version ?? '';
  const vendor = /mariadb/i.test(version) ? 'mariadb' : 'mysql';
  assertVersion(vendor, version);
  if (isOn(variables.log_bin) && variables.binlog_format === 'STATEMENT') throw statementLog(address);
  const server: MysqlServer = {
    vendor,
    version,
    identity: `${variables.hostname ?? ''}:${variables.port ?? ''}`,
    maxPacket: Number(variables.max_allowed_packet),
    timeZone: await sessionZone(connection, timeZone),
  };
  return { server, warnings: [...settingWarnings(variables), ...(await tableWarnings(connection))] };
}

async function readVariables(connection: MysqlConnection): Promise<Variables> {
  const names = VARIABLES.map((name) => `'${name}'`).join(', ');
  const rows = await select<{ Variable_name: string; Value: string }>(connection, {
    sql: `show variables where variable_name in (${names})`,
    parameters: [],
  });
  return Object.fromEntries(rows.map((row) => [row.Variable_name, row.Value]));
}

const LEAST_VERSION: Readonly<Record<MysqlVendor, readonly [number, number, number]>> = {
  mariadb: [10, 6, 0],
  // The first with a collation that tells trailing blanks apart.
  mysql: [8, 0, 17],
};

function assertVersion(vendor: MysqlVendor, version: string): void {
  const parts = (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  const least = LEAST_VERSION[vendor];
  const differs = least.findIndex((part, index) => part !== parts[index]);
  const older = parts.length < 3 || (differs >= 0 && (parts[differs] ?? 0) < (least[differs] ?? 0));
  if (older) throw new AppError('DB_UNSUPPORTED', { found: version });
}

function statementLog({ server }: MysqlAddress): AppError {
  const rule = bilingual(
    'binlog_format 为 STATEMENT 时 READ COMMITTED 无法写入（错误 1665）：执行 SET GLOBAL binlog_format = ROW',
    'with binlog_format STATEMENT nothing can be written under READ COMMITTED (error 1665): SET GLOBAL binlog_format = ROW',
  );
  return new AppError('DB_SETTING', { address: server, rule });
}

/** A packet holds a parked message of the largest size, doubled quotes and all. Bytes. */
const LEAST_PACKET = 33_554_432;

function settingWarnings(variables: Variables): ServerWarning[] {
  const warnings: ServerWarning[] = [];
  const warn = (zh: string, en: string) => warnings.push({ zh, en });
  if (variables.innodb_flush_log_at_trx_commit !== '1') {
    warn(
      'innodb_flush_log_at_trx_commit 不是 1：服务器崩溃会丢失已确认的结果；执行 SET GLOBAL innodb_flush_log_at_trx_commit = 1',
      'innodb_flush_log_at_trx_commit is not 1: a crash of the server forgets effects that were acknowledged',
    );
  }
  if (isOn(variables.log_bin) && variables.sync_binlog !== '1') {
    warn(
      'sync_binlog 不是 1：机器断电会丢失已确认的结果；执行 SET GLOBAL sync_binlog = 1',
      'sync_binlog is not 1: a crash of the machine forgets effects that were acknowledged',
    );
  }
  if (Number(variables.max_allowed_packet) < LEAST_PACKET) {
    warn(
      'max_allowed_packet 小于 32M：接近 16 MiB 上限的消息无法转入死信；执行 SET GLOBAL max_allowed_packet = 33554432',
      'max_allowed_packet is below 32M: messages near the limit of 16 MiB cannot be parked',
    );
  }
  if (variables.character_set_database !== 'utf8mb4') {
    const charset = variables.character_set_database ?? 'unknown';
    warn(
      `库的字符集是 ${charset} 而不是 utf8mb4：未指定字符集的新表无法保存中文；执行 ALTER DATABASE … CHARACTER SET utf8mb4`,
      `the schema's character set is ${charset}, not utf8mb4: tables made without one refuse Chinese text`,
    );
  }
  return warnings;
}

async function tableWarnings(connection: MysqlConnection): Promise<ServerWarning[]> {
  const tables = await select<{ name: string; engine: string | null; collation: string | null }>(connection, {
    sql: `select table_name as name, engine as engine, table_collation as collation from information_schema.tables
          where table_schema = database() and table_type = 'BASE TABLE'`,
    parameters: [],
  });
  return tables.flatMap(({ name, engine, collation }) => {
    const warnings: ServerWarning[] = [];
    if (engine !== null && engine.toLowerCase() !== 'innodb') {
      warnings.push({
        zh: `表 ${name} 的引擎是 ${engine} 而不是 InnoDB：回滚不会撤销它的行；执行 ALTER TABLE ${name} ENGINE = InnoDB`,
        en: `table ${name} is ${engine}, not InnoDB: a rollback leaves its rows as they are`,
      });
    }
    if (collation !== null && !/^utf8/.test(collation) && PLATFORM.test(name)) {
      warnings.push({
        zh: `表 ${name} 的排序规则是 ${collation}：转换为 utf8mb4 之前无法保存中文`,
        en: `table ${name} is ${collation}: it refuses Chinese text until it is converted to utf8mb4`,
      });
    }
    return warnings;
  });
}

/** Tables into which the host itself writes what people wrote. */
const PLATFORM = /^(diy_queue_receive|sys_log|sys_apiengine|sys_osclients)/i;

async function sessionZone(connection: MysqlConnection, timeZone: string): Promise<string> {
  const [row] = await select<{ known: number }>(connection, {
    sql: "select convert_tz('2000-01-01 00:00:00', '+00:00', ?) is not null as known",
    parameters: [timeZone],
  });
  return Number(row?.known) === 1 ? timeZone : offsetOf(timeZone);
}

/** Today's offset of a zone, such as `+08:00`. */
function offsetOf(timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return /[+-]\d\d:\d\d$/.exec(name)?.[0] ?? '+00:00';
}

async function select<Row>(connection: MysqlConnection, statement: Statement): Promise<readonly Row[]> {
  return (await connection.execute(statement, 10_000)).rows as Row[];
}

function isOn(value: string | undefined): boolean {
  return value === 'ON' || value === '1';
}
