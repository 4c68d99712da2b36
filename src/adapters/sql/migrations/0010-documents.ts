import { bigint, createTable, key, longText } from '../table-definition.ts';
import type { Migration } from './migration.ts';

/** Documents of `V8.MongoDb` of a tenant without a MongoDB. Not `mongo_…`: a tenant's own table may be called so. */
export const documents: Migration = {
  version: 10,
  name: 'documents',
  async apply(db, dialect) {
    await createTable(db, dialect, {
      name: 'v8host_document',
      columns: [
        key('Db', 63),
        key('Collection', 180),
        key('Id', 64),
        bigint('CreatedAt'),
        bigint('Size'),
        bigint('Revision'),
        longText('Body'),
      ],
      primaryKey: ['Db', 'Collection', 'Id'],
      indexes: [{ columns: ['Db', 'Collection', 'CreatedAt', 'Id'] }],
    });
  },
};
