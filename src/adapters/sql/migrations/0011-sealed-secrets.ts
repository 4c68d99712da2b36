import { bigint, createTable, key, type TableShape } from '../table-definition.ts';
import type { Migration } from './migration.ts';

/** In the main tenant's database, where the registry is. `TenantLower` and `Name` say where the secret belongs. */
const secret: TableShape = {
  name: 'v8host_secret',
  columns: [
    key('TenantLower', 50),
    key('Name', 100),
    key('KeyId', 16),
    { name: 'Sealed', type: { kind: 'longText' }, required: true },
    bigint('SealedAt'),
  ],
  primaryKey: ['TenantLower', 'Name'],
};

/** Secrets that stood in their columns as they were. */
export const sealedSecrets: Migration = {
  version: 11,
  name: 'sealed-secrets',
  worksFrom: 10,
  async apply(db, dialect) {
    await createTable(db, dialect, secret);
  },
};
