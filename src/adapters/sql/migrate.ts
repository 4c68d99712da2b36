import { sql } from 'kysely';
import { AppError } from '../../core/errors.ts';
import type { NoteProgress } from '../../core/progress.ts';
import { deliveryTables } from './migrations/0001-delivery-tables.ts';
import { platformTables } from './migrations/0002-platform-tables.ts';
import { leaseMarks } from './migrations/0003-lease-marks.ts';
import { parkedContent } from './migrations/0004-parked-content.ts';
import { errorGroups } from './migrations/0005-error-groups.ts';
import { mqttTables } from './migrations/0006-mqtt-tables.ts';
import { identityTables } from './migrations/0007-identity-tables.ts';
import { orderKeys } from './migrations/0008-order-keys.ts';
import { engineVersions } from './migrations/0009-engine-versions.ts';
import { documents } from './migrations/0010-documents.ts';
import { sealedSecrets } from './migrations/0011-sealed-secrets.ts';
import type { Migration } from './migrations/migration.ts';
import { PLATFORM_TABLES } from './platform-tables.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SystemDb } from './system-tables.ts';
import { addMissingColumns, bigint, createTable, int, type TableShape, text } from './table-definition.ts';

/** In order of version. A released one is never changed. */
const MIGRATIONS: readonly Migration[] = [
  deliveryTables,
  platformTables,
  leaseMarks,
  parkedContent,
  errorGroups,
  mqttTables,
  identityTables,
  orderKeys,
  engineVersions,
  documents,
  sealedSecrets,
];

export interface MigrateOptions {
  /** Also adds our columns to tables the platform made (defaults.md 10.6); never done unasked. */
  readonly extend: boolean;
  /** Told after each step. */
  readonly note?: NoteProgress | undefined;
}

/** The table of what was applied. `WorksFrom` came later: a database that lacks it has no step of a newer program. */
const VERSIONS: TableShape = {
  name: 'schema_migration',
  columns: [{ ...int('Version'), required: true }, text('Name', 100), bigint('AppliedAt'), int('WorksFrom')],
  primaryKey: ['Version'],
};

/**
 * Brings a database to this program's schema. One that a newer program has changed is taken as it is when that program
 * said that this one still works with it, so that hosts of two versions stand side by side and an upgrade can be undone.
 * @throws AppError SCHEMA_NEWER when a newer program has been here and left no room for this one.
 */
export async function migrate(
  database: SqlDatabase,
  options: MigrateOptions,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const known = migrations.at(-1)?.version ?? 0;
  const { version, worksFrom } = await readState(database);
  if (worksFrom > known) throw new AppError('SCHEMA_NEWER', { found: version, known });
  if (version < known || options.extend) await database.alone(() => migrateAlone(database, options, migrations));
}

/** The version is read again: another host may have migrated while this one waited for its turn. */
async function migrateAlone(
  database: SqlDatabase,
  options: MigrateOptions,
  migrations: readonly Migration[],
): Promise<void> {
  const { dialect } = database;
  const { version } = await readState(database);
  const missing = migrations.filter((migration) => migration.version > version);
  if (missing.length > 0) await database.define((db) => provideVersionTable(db, dialect));
  for (const [index, migration] of missing.entries()) {
    await database.define((db) => applyMigration(db, dialect, migration));
    options.note?.({ step: 'migrate', done: index + 1, total: missing.length, subject: migration.name });
  }
  if (options.extend) await database.define((db) => extendPlatformTables(db, dialect));
}

/** What was applied last, and the oldest program that every step leaves room for. */
async function readState({ dialect, reader }: SqlDatabase): Promise<{ version: number; worksFrom: number }> {
  const table = await dialect.readTable(reader, VERSIONS.name);
  if (table === undefined) return { version: 0, worksFrom: 0 };
  const tells = table.columns.some(({ name }) => name === 'WorksFrom');
  const worksFrom = tells ? sql.ref<number | null>('WorksFrom') : sql<number | null>`null`;
  const rows = await reader
    .selectFrom('schema_migration')
    .select(['Version', worksFrom.as('WorksFrom')])
    .execute();
  const most = (values: readonly number[]): number => Math.max(0, ...values.map(Number));
  return {
    version: most(rows.map(({ Version }) => Version)),
    worksFrom: most(rows.map(({ Version, WorksFrom }) => WorksFrom ?? Version)),
  };
}

async function provideVersionTable(db: SystemDb, dialect: SqlDialect): Promise<void> {
  await createTable(db, dialect, VERSIONS);
  await addMissingColumns(db, dialect, VERSIONS);
}

async function applyMigration(db: SystemDb, dialect: SqlDialect, migration: Migration): Promise<void> {
  await migration.apply(db, dialect);
  await db
    .insertInto('schema_migration')
    .values({
      Version: migration.version,
      Name: migration.name,
      AppliedAt: sql<number>`${dialect.nowMillis}`,
      WorksFrom: migration.worksFrom ?? null,
    })
    .execute();
}

async function extendPlatformTables(db: SystemDb, dialect: SqlDialect): Promise<void> {
  for (const shape of PLATFORM_TABLES) await addMissingColumns(db, dialect, shape);
}
