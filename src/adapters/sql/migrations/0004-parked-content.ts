import { addMissingColumns, text } from '../table-definition.ts';
import type { Migration } from './migration.ts';

/**
 * What a parked message says, as a hash: two messages may come under one EventId with different contents, and neither
 * may take the other's row or end with the other's run.
 */
export const parkedContent: Migration = {
  version: 4,
  name: 'parked-content',
  async apply(db, dialect) {
    await addMissingColumns(db, dialect, { name: 'mq_parked', columns: [text('MessageHash', 64)] });
  },
};
