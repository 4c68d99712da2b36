import { sql } from 'kysely';
import { errorGroup } from '../../../core/error-group.ts';
import type { SystemDb } from '../system-tables.ts';
import { addMissingColumns, text } from '../table-definition.ts';
import type { Migration } from './migration.ts';

const BATCH_ROWS = 500;

/** What groups dead letters by their cause. Older rows get theirs once, here. */
export const errorGroups: Migration = {
  version: 5,
  name: 'error-groups',
  async apply(db, dialect) {
    await addMissingColumns(db, dialect, { name: 'mq_parked', columns: [text('ErrorGroup', 16)] });
    while ((await nameGroups(db)) === BATCH_ROWS);
  },
};

/** @returns rows that got a group. */
async function nameGroups(db: SystemDb): Promise<number> {
  const rows = await db
    .selectFrom('mq_parked')
    .select(['QueueName', 'EventId', 'Cycle', 'Attempt', 'Reason', 'Error'])
    .where('ErrorGroup', 'is', null)
    .limit(BATCH_ROWS)
    .execute();
  for (const row of rows) {
    await db
      .updateTable('mq_parked')
      .set({ ErrorGroup: sql<string>`${errorGroup(row.Reason, row.Error)}` })
      .where((eb) =>
        eb.and([
          eb('QueueName', '=', row.QueueName),
          eb('EventId', '=', row.EventId),
          eb('Cycle', '=', row.Cycle),
          eb('Attempt', '=', row.Attempt),
        ]),
      )
      .execute();
  }
  return rows.length;
}
