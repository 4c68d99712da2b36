import type { SystemDb } from './system-tables.ts';

/** A write that changes nothing and still has to reach the disk: whether the database can commit. */
export function touchSchemaRow(db: SystemDb): Promise<unknown> {
  return db
    .updateTable('schema_migration')
    .set((eb) => ({ AppliedAt: eb.ref('AppliedAt') }))
    .execute();
}
