import { addIndex, addMissingColumns } from '../table-definition.ts';
import type { Migration } from './migration.ts';

/**
 * Messages of one order key: their key, and their place among those that are parked (delivery.md F17: a parked message
 * parks its key).
 */
export const orderKeys: Migration = {
  version: 8,
  name: 'order-keys',
  async apply(db, dialect) {
    const columns = [
      { name: 'OrderKey', type: { kind: 'key', length: 128 } },
      { name: 'OrderSeq', type: { kind: 'bigint' } },
    ] as const;
    await addMissingColumns(db, dialect, { name: 'mq_parked', columns });
    await addIndex(db, 'mq_parked', ['QueueName', 'OrderKey', 'OrderSeq']);
  },
};
