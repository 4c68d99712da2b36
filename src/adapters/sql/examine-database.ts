import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { AppError, coerceError } from '../../core/errors.ts';
import { clockFinding, type Finding, fine, notice, problem, problemOf } from '../../core/finding.ts';
import type { MysqlAddress } from './address-mysql.ts';
import { MysqlConnection } from './connection-mysql.ts';
import { isNotDeleted } from './platform-row.ts';
import type { SealedRow } from './sealed-secrets.ts';
import { inspectServer } from './server-mysql.ts';
import type { PlatformRow } from './system-tables.ts';
import type { TenantPlace } from './tenant-opener.ts';

/** What a look at a tenant's database found. */
export interface DatabaseExamination {
  readonly findings: readonly Finding[];
  /** Rows of `sys_osclients` that are not deleted, as they are stored; empty where there is no such table. */
  readonly registry: readonly PlatformRow[];
  /** What is sealed there. */
  readonly sealed: readonly SealedRow[];
  /** Schemas that the tenant's user sees, in lower case; empty for a file. */
  readonly schemas: readonly string[];
}

const NOTHING: DatabaseExamination = { findings: [], registry: [], sealed: [], schemas: [] };
const STATEMENT_MS = 10_000;

/**
 * Looks a database over without changing what is in it. On a server a table of its own is made and dropped, because
 * rights show by use alone. Never rejects. @param timeZone IANA name.
 */
export async function examineDatabase(
  tenant: string,
  place: TenantPlace,
  timeZone: string,
): Promise<DatabaseExamination> {
  try {
    return place.kind === 'sqlite' ? examineFile(tenant, place.path) : await examineServer(place.address, timeZone);
  } catch (error: unknown) {
    const subject = place.kind === 'sqlite' ? place.path : `${place.address.server}/${place.address.database}`;
    return { ...NOTHING, findings: [problemOf('database', subject, coerceError(error).toRecord())] };
  }
}

function examineFile(tenant: string, path: string): DatabaseExamination {
  if (!existsSync(path)) {
    const finding = notice(
      'database',
      path,
      `租户 ${tenant} 的数据文件还不存在，首次启动时创建。`,
      `the file of tenant ${tenant} is not there yet; the first start makes it.`,
    );
    return { ...NOTHING, findings: [finding] };
  }
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: STATEMENT_MS });
    try {
      const [check] = db.prepare('pragma quick_check(1)').all() as { quick_check: string }[];
      if (check?.quick_check !== 'ok') return { ...NOTHING, findings: [damaged(path, check?.quick_check ?? '')] };
      const rowsOf = <Row>(table: string, order: string): Row[] => {
        const has = db.prepare('select 1 from sqlite_master where name = ?').get(table) !== undefined;
        return has ? (db.prepare(`select * from ${table} order by ${order}`).all() as Row[]) : [];
      };
      return {
        ...NOTHING,
        findings: [fine('database', path, 'SQLite，完好', 'SQLite, sound')],
        registry: rowsOf<PlatformRow>('sys_osclients', 'OsClient').filter(isNotDeleted),
        sealed: rowsOf<SealedRow>('v8host_secret', 'Name'),
      };
    } finally {
      db.close();
    }
  } catch (error: unknown) {
    return { ...NOTHING, findings: [damaged(path, error instanceof Error ? error.message : String(error))] };
  }
}

function damaged(path: string, reason: string): Finding {
  return problem(
    'database',
    path,
    `数据文件无法读取（${reason}）：检查权限和磁盘；损坏时停止主机并用 v8host restore 恢复备份。`,
    `the file cannot be read (${reason}): check its permissions and the disk; if it is damaged, stop the host and run v8host restore.`,
  );
}

async function examineServer(address: MysqlAddress, timeZone: string): Promise<DatabaseExamination> {
  const subject = `${address.server}/${address.database}`;
  const plan = { setup: 'set names utf8mb4', maxPacket: Number.POSITIVE_INFINITY };
  const connection = await MysqlConnection.open(address, plan);
  try {
    const { server, warnings } = await inspectServer(connection, address, timeZone);
    const name = server.vendor === 'mariadb' ? 'MariaDB' : 'MySQL';
    const findings: Finding[] = [
      fine('database', subject, `${name} ${server.version}，可登录`, `${name} ${server.version}, login works`),
      ...warnings.map(({ zh, en }) => problem('database', subject, `${zh}。`, `${en}.`)),
      ...(await rightsFindings(connection, address, subject)),
      ...(server.timeZone === timeZone ? [] : [zoneNotice(subject, timeZone, server.timeZone)]),
      await clockOf(connection, address.server),
    ];
    return {
      findings,
      registry: (await tableRows<PlatformRow>(connection, 'sys_osclients', 'OsClient')).filter(isNotDeleted),
      sealed: await tableRows<SealedRow>(connection, 'v8host_secret', 'Name'),
      schemas: await schemasOf(connection),
    };
  } finally {
    connection.end();
  }
}

/** Rights are tried one after the other on a table that goes again. */
async function rightsFindings(connection: MysqlConnection, address: MysqlAddress, subject: string): Promise<Finding[]> {
  const table = `v8host_doctor_${randomBytes(6).toString('hex')}`;
  const steps = [
    `create table ${table} (Id int primary key) engine = InnoDB`,
    `insert into ${table} values (1)`,
    `update ${table} set Id = 2`,
    `select * from ${table}`,
    `delete from ${table}`,
    `alter table ${table} add column Note varchar(10)`,
    `create index ix_${table} on ${table} (Note)`,
    `drop table ${table}`,
  ];
  try {
    for (const sql of steps) await connection.execute({ sql, parameters: [] }, STATEMENT_MS);
    return [fine('database', subject, '权限齐全', 'every right that is needed')];
  } catch (error: unknown) {
    await connection
      .execute({ sql: `drop table if exists ${table}`, parameters: [] }, STATEMENT_MS)
      .catch(() => undefined);
    const { message } = coerceError(error).params;
    const params = {
      user: address.user,
      database: address.database,
      reason: String(message ?? coerceError(error).code),
    };
    return [problemOf('database', subject, new AppError('DB_PRIVILEGES', params).toRecord())];
  }
}

function zoneNotice(subject: string, wanted: string, used: string): Finding {
  return notice(
    'database',
    subject,
    `服务器没有时区表，${wanted} 按当前偏移 ${used} 使用：执行 mysql_tzinfo_to_sql /usr/share/zoneinfo | mysql mysql。`,
    `the server has no table of zones, so ${wanted} is used as ${used}: run mysql_tzinfo_to_sql /usr/share/zoneinfo | mysql mysql.`,
  );
}

async function clockOf(connection: MysqlConnection, server: string): Promise<Finding> {
  const before = Date.now();
  const [row] = await rowsOf<{ at: string | number }>(connection, 'select unix_timestamp(now(3)) as at');
  // The server's moment lies between both readings.
  return clockFinding(server, Number(row?.at) * 1000 - (before + Date.now()) / 2);
}

async function tableRows<Row>(connection: MysqlConnection, table: string, order: string): Promise<readonly Row[]> {
  const [found] = await rowsOf(connection, `show tables like '${table}'`);
  return found === undefined ? [] : await rowsOf<Row>(connection, `select * from ${table} order by ${order}`);
}

async function schemasOf(connection: MysqlConnection): Promise<readonly string[]> {
  const rows = await rowsOf<{ name: string }>(
    connection,
    'select schema_name as name from information_schema.schemata',
  );
  return rows.map(({ name }) => name.toLowerCase());
}

async function rowsOf<Row>(connection: MysqlConnection, sql: string): Promise<readonly Row[]> {
  return (await connection.execute({ sql, parameters: [] }, STATEMENT_MS)).rows as Row[];
}
