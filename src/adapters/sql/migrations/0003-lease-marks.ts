import { addMissingColumns, text } from '../table-definition.ts';
import type { Migration } from './migration.ts';

/**
 * Marks by which a host finds the rows that it has just leased: two hosts may lease in the same millisecond, so the
 * end of the lease alone does not tell whose a row is (delivery.md F14).
 */
export const leaseMarks: Migration = {
  version: 3,
  name: 'lease-marks',
  async apply(db, dialect) {
    for (const name of ['mq_outbox', 'mq_parked']) {
      await addMissingColumns(db, dialect, { name, columns: [text('ClaimedBy', 36)] });
    }
  },
};
