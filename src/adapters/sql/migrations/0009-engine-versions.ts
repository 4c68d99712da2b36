import { bigint, createTable, int, key, longText, type TableShape, text } from '../table-definition.ts';
import type { Migration } from './migration.ts';

/** A row is written once and never changed. Two saves at once cannot both become the same version of an engine. */
const engineVersion: TableShape = {
  name: 'v8host_engine_version',
  columns: [
    key('Id', 26),
    key('EngineLower', 50),
    int('Ordinal', 1),
    text('EngineKey', 50),
    text('Name', 255),
    key('Version', 12),
    longText('Source'),
    text('Origin', 20),
    int('RestoredFrom'),
    text('Author', 100),
    bigint('SavedAt'),
  ],
  primaryKey: ['Id'],
  indexes: [{ columns: ['EngineLower', 'Ordinal'], unique: true }, { columns: ['SavedAt'] }],
};

/** Every source that an engine has had. */
export const engineVersions: Migration = {
  version: 9,
  name: 'engine-versions',
  async apply(db, dialect) {
    await createTable(db, dialect, engineVersion);
  },
};
