import type { JsonValue } from '../../core/json.ts';
import type { AuditEntry, AuditFilter, AuditRecord, AuditStore } from '../../ports/identity.ts';
import type { RowMaker } from './platform-row.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { AuditTable, SystemDb } from './system-tables.ts';

const LONGEST = { name: 100, address: 64, action: 60, target: 255 } as const;

/** Writes an entry in the transaction of the change that it tells of. */
export async function insertAudit(db: SystemDb, { ids, clock }: RowMaker, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('v8host_audit')
    .values({
      Id: ids.ulid(),
      At: clock.now(),
      ActorKind: entry.actorKind,
      ActorId: entry.actorId,
      ActorName: entry.actorName.slice(0, LONGEST.name),
      Address: entry.address.slice(0, LONGEST.address),
      Action: entry.action.slice(0, LONGEST.action),
      Target: entry.target.slice(0, LONGEST.target),
      BeforeJson: JSON.stringify(entry.before),
      AfterJson: JSON.stringify(entry.after),
    })
    .execute();
}

/** `v8host_audit`: who changed what, newest first. */
export class SqlAuditStore implements AuditStore {
  readonly #database: SqlDatabase;
  readonly #maker: RowMaker;

  constructor(database: SqlDatabase, maker: RowMaker) {
    this.#database = database;
    this.#maker = maker;
  }

  write(entry: AuditEntry): Promise<void> {
    return this.#database.write((db) => insertAudit(db, this.#maker, entry));
  }

  async list({ action, target, actor, before, limit }: AuditFilter): Promise<readonly AuditRecord[]> {
    let query = this.#database.reader.selectFrom('v8host_audit').selectAll().orderBy('Id', 'desc').limit(limit);
    if (action !== undefined) query = query.where('Action', '=', action);
    if (target !== undefined) query = query.where('Target', '=', target);
    if (actor !== undefined) query = query.where('ActorName', '=', actor);
    if (before !== undefined) query = query.where('Id', '<', before);
    return (await query.execute()).map(toRecord);
  }
}

function toRecord(row: AuditTable): AuditRecord {
  return {
    id: row.Id,
    at: Number(row.At),
    actorKind: row.ActorKind,
    actorId: row.ActorId,
    actorName: row.ActorName,
    address: row.Address,
    action: row.Action,
    target: row.Target,
    before: JSON.parse(row.BeforeJson) as JsonValue,
    after: JSON.parse(row.AfterJson) as JsonValue,
  };
}
