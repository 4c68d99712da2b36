import { sql } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { deliveryTables } from './migrations/0001-delivery-tables.ts';
import { platformTables } from './migrations/0002-platform-tables.ts';
import { leaseMarks } from './migrations/0003-lease-marks.ts';
import { parkedContent } from './migrations/0004-parked-content.ts';
import { errorGroups } from './migrations/0005-error-groups.ts';
import { mqttTables } from './migrations/0006-mqtt-tables.ts';
import type { Migration } from './migrations/migration.ts';
import { PLATFORM_TABLES } from './platform-tables.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';
import { addMissingColumns, bigint, createTable, int, text } from './table-definition.ts';

/** In order of version. A released one is never changed. */
const MIGRATIONS: readonly Migration[] = [
  deliveryTables,
  platformTables,
  leaseMarks,
  parkedContent,
  errorGroups,
  mqttTables,
];

/**
 * Brings a database to this program's schema.
 * @param extend also adds our columns to tables the platform made (defaults.md 10.6); never done unasked.
 * @throws AppError SCHEMA_NEWER when a newer program has been here.
 */
export async function migrate(database: SqlDatabase, options: { extend: boolean }): Promise<void> {
  const known = MIGRATIONS.at(-1)?.version ?? 0;
  const found = await readVersion(database);
  if (found > known) throw new AppError('SCHEMA_NEWER', { found, known });
  if (found < known || options.extend) await database.alone(() => migrateAlone(database, options));
}

/** The version is read again: another host may have migrated while this one waited for its turn. */
async function migrateAlone(database: SqlDatabase, options: { extend: boolean }): Promise<void> {
  const { dialect } = database;
  const found = await readVersion(database);
  if (found === 0) await database.define((db) => createVersionTable(db, dialect));
  for (const migration of MIGRATIONS.filter(({ version }) => version > found)) {
    await database.define((db) => applyMigration(db, dialect, migration));
  }
  if (options.extend) await database.define((db) => extendPlatformTables(db, dialect));
}

async function readVersion(database: SqlDatabase): Promise<number> {
  if ((await database.dialect.readTable(database.reader, 'schema_migration')) === undefined) return 0;
  const row = await database.reader
    .selectFrom('schema_migration')
    .select((eb) => eb.fn.max('Version').as('version'))
    .executeTakeFirst();
  return row?.version ?? 0;
}

async function createVersionTable(db: SystemDb, dialect: SqlDialect): Promise<void> {
  await createTable(db, dialect, {
    name: 'schema_migration',
    columns: [{ ...int('Version'), required: true }, text('Name', 100), bigint('AppliedAt')],
    primaryKey: ['Version'],
  });
}

async function applyMigration(db: SystemDb, dialect: SqlDialect, migration: Migration): Promise<void> {
  await migration.apply(db, dialect);
  await db
    .insertInto('schema_migration')
    .values({ Version: migration.version, Name: migration.name, AppliedAt: sql<number>`${dialect.nowMillis}` })
    .execute();
}

async function extendPlatformTables(db: SystemDb, dialect: SqlDialect): Promise<void> {
  for (const shape of PLATFORM_TABLES) await addMissingColumns(db, dialect, shape);
}
