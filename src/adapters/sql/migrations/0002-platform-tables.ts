import { PLATFORM_TABLES } from '../platform-tables.ts';
import { createTable } from '../table-definition.ts';
import type { Migration } from './migration.ts';

/** Tables of the original platform, where they are missing. An existing one is left exactly as it is. */
export const platformTables: Migration = {
  version: 2,
  name: 'platform-tables',
  async apply(db, dialect) {
    for (const shape of PLATFORM_TABLES) {
      if ((await dialect.readTable(db, shape.name)) === undefined) await createTable(db, dialect, shape);
    }
  },
};
