import type { AuditEntry } from '../../ports/identity.ts';
import { insertAudit } from './audit.ts';
import { assertColumns } from './missing-column.ts';
import { fixedColumns, onlyColumns, type RowMaker } from './platform-row.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { SqlDatabase } from './sql-database.ts';
import type { PlatformRow } from './system-tables.ts';

export interface AuditedRowsParts extends RowMaker {
  readonly database: SqlDatabase;
  readonly schema: SchemaCache;
}

/** Tables of settings whose rows people change one by one. */
type AuditedTable = 'diy_queue_receive' | 'mci_mqtt_binding';

/** Changes of a table's rows, each written into the log of changes in its own transaction. */
export class AuditedRows {
  readonly #parts: AuditedRowsParts;
  readonly #table: AuditedTable;

  constructor(parts: AuditedRowsParts, table: AuditedTable) {
    this.#parts = parts;
    this.#table = table;
  }

  /** @returns the Id of the new row. @throws AppError COLUMN_MISSING. */
  async add(columns: PlatformRow, audit: AuditEntry): Promise<string> {
    const row = { ...fixedColumns(this.#parts), ...(await this.#writable(columns)) };
    const stored = onlyColumns(row, await this.#columnNames());
    await this.#parts.database.write(async (db) => {
      await db.insertInto(this.#table).values(stored).execute();
      await insertAudit(db, this.#parts, audit);
    });
    return String(row.Id);
  }

  /** Sets these columns. @throws as `add`. */
  async change(id: string, columns: PlatformRow, audit: AuditEntry): Promise<void> {
    await this.#update(id, await this.#writable(columns), audit);
  }

  /** Marks the row as deleted, as the platform does. */
  remove(id: string, audit: AuditEntry): Promise<void> {
    return this.#update(id, { IsDeleted: 1 }, audit);
  }

  async #update(id: string, columns: PlatformRow, audit: AuditEntry): Promise<void> {
    const { clock, database } = this.#parts;
    const values = { ...columns, UpdateTime: clock.localText(clock.now()) };
    await database.write(async (db) => {
      await db.updateTable(this.#table).set(values).where('Id', '=', id).execute();
      await insertAudit(db, this.#parts, audit);
    });
  }

  async #writable(columns: PlatformRow): Promise<PlatformRow> {
    const names = await this.#columnNames();
    assertColumns(this.#table, columns, names);
    return onlyColumns(columns, names);
  }

  #columnNames(): Promise<ReadonlySet<string>> {
    return this.#parts.schema.columnNames(this.#table);
  }
}
