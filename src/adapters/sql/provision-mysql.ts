import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { bilingual } from '../../core/bilingual.ts';
import { AppError, coerceError } from '../../core/errors.ts';
import { tenantKey } from '../../core/tenant.ts';
import type { Ids } from '../../ports/ids.ts';
import { MysqlAddress } from './address-mysql.ts';
import type { MysqlDatabase } from './database-mysql.ts';
import type { SystemDb } from './system-tables.ts';

const MAX_SCHEMA_LENGTH = 64;
/** MySQL's limit; MariaDB allows more. */
const MAX_USER_LENGTH = 32;
const HASH_LENGTH = 8;

/** What a tenant needs: its migrations make and change tables of its own schema. */
const RIGHTS = 'select, insert, update, delete, create, alter, index, drop';

export interface ProvisionedSchema {
  readonly address: MysqlAddress;
  /** Removes schema and user again: for a tenant that could not be registered. Never throws. */
  undo(): Promise<void>;
}

/**
 * Makes a schema for a tenant beside the main tenant's, and a user who sees that schema only. An empty schema of that
 * name is taken.
 * @throws AppError DB_PROVISION_REFUSED naming the grants that are missing; nothing is left behind then.
 */
export async function provisionSchema(main: MysqlDatabase, tenant: string, ids: Ids): Promise<ProvisionedSchema> {
  const names = namesOf(main.address.database, tenantKey(tenant), ids);
  const password = `${randomBytes(24).toString('base64url')}-Aa1!`;
  await main.define(async (db) => {
    const existed = await assertUnused(db, main, tenant, names.schema);
    try {
      await createAll(db, names, password);
    } catch (error: unknown) {
      if (!existed) await run(db, `drop database if exists ${quoteName(names.schema)}`).catch(() => undefined);
      throw refused(
        main,
        tenant,
        names.schema,
        String(coerceError(error).params.message ?? coerceError(error).message),
      );
    }
  });
  const { host, port, tls } = main.address;
  return {
    address: new MysqlAddress({ host, port, tls, user: names.user, password, database: names.schema }),
    undo: () => main.define((db) => removeAll(db, names)),
  };
}

/** Drops the schema and the user that `provisionSchema` made for a tenant; neither has to be there. */
export async function dropSchema(main: MysqlDatabase, tenant: string, ids: Ids): Promise<void> {
  const { schema, user } = namesOf(main.address.database, tenantKey(tenant), ids);
  await main.define(async (db) => {
    await run(db, `drop database if exists ${quoteName(schema)}`);
    await run(db, `drop user if exists '${user}'@'%'`);
  });
}

interface Names {
  readonly schema: string;
  readonly user: string;
}

/** Two hosts may share a server and have a tenant of the same name, so the main schema is part of the user's. */
function namesOf(mainSchema: string, key: string, ids: Ids): Names {
  const hash = ids.sha256Hex(`${mainSchema}/${key}`).slice(0, HASH_LENGTH);
  const schema = `${mainSchema}_${key}`;
  const short = `${schema.slice(0, MAX_SCHEMA_LENGTH - HASH_LENGTH - 1)}_${hash}`;
  const user = `v8_${key.slice(0, MAX_USER_LENGTH - HASH_LENGTH - 4)}_${hash}`;
  return { schema: schema.length > MAX_SCHEMA_LENGTH ? short : schema, user };
}

/** @returns whether the schema is there already, empty. */
async function assertUnused(db: SystemDb, main: MysqlDatabase, tenant: string, schema: string): Promise<boolean> {
  const schemas = await sql`select 1 from information_schema.schemata where schema_name = ${schema}`.execute(db);
  const tables = await sql`select 1 from information_schema.tables where table_schema = ${schema} limit 1`.execute(db);
  if (tables.rows.length === 0) return schemas.rows.length > 0;
  throw refused(
    main,
    tenant,
    schema,
    bilingual('同名的库已存在且不为空', 'a schema of that name exists and is not empty'),
  );
}

async function createAll(db: SystemDb, { schema, user }: Names, password: string): Promise<void> {
  const account = `'${user}'@'%'`;
  await run(db, `create database if not exists ${quoteName(schema)} character set utf8mb4`);
  await run(db, `drop user if exists ${account}`);
  await run(db, `create user ${account} identified by '${password}'`);
  try {
    await run(db, `grant ${RIGHTS} on ${quotePattern(schema)}.* to ${account}`);
  } catch (error: unknown) {
    await run(db, `drop user if exists ${account}`).catch(() => undefined);
    throw error;
  }
}

async function removeAll(db: SystemDb, { schema, user }: Names): Promise<void> {
  // What stays is empty or unreachable, and the next try takes it over.
  await run(db, `drop database if exists ${quoteName(schema)}`).catch(() => undefined);
  await run(db, `drop user if exists '${user}'@'%'`).catch(() => undefined);
}

function run(db: SystemDb, statement: string): Promise<unknown> {
  return sql.raw(statement).execute(db);
}

function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** In a grant `_` stands for any character, so that `a_b` would open `axb`, too. */
function quotePattern(name: string): string {
  return quoteName(name.replace(/[_%\\]/g, '\\$&'));
}

function refused(main: MysqlDatabase, tenant: string, schema: string, reason: string): AppError {
  const { user, database } = main.address;
  const grants = `GRANT ALL PRIVILEGES ON ${quotePattern(`${database}_`).replace(/`$/, '%`')}.* TO '${user}'@'%' WITH GRANT OPTION; GRANT CREATE USER ON *.* TO '${user}'@'%'`;
  return new AppError('DB_PROVISION_REFUSED', { tenant, schema, reason, grants });
}
