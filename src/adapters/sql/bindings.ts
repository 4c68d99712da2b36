import { type Binding, type BindingRefusal, isBindingEnabled, parseBinding } from '../../core/binding.ts';
import type { BindingColumns } from '../../core/binding-draft.ts';
import type { AuditEntry } from '../../ports/identity.ts';
import type { BindingStore, StoredBinding } from '../../ports/tenant-store.ts';
import { AuditedRows, type AuditedRowsParts } from './audited-rows.ts';
import { isNotDeleted } from './platform-row.ts';

export interface BindingStoreParts extends AuditedRowsParts {
  readonly tenant: string;
}

/** What a push writes into `Source` of its rows. */
export const PUSHED = 'push';

/** `diy_queue_receive`: which engine handles which queue. Read whole, with or without our columns. */
export class SqlBindingStore implements BindingStore {
  readonly #parts: BindingStoreParts;
  readonly #rows: AuditedRows;

  constructor(parts: BindingStoreParts) {
    this.#parts = parts;
    this.#rows = new AuditedRows(parts, 'diy_queue_receive');
  }

  async readAll(): Promise<{ bindings: readonly Binding[]; refusals: readonly BindingRefusal[] }> {
    const bindings = new Map<string, Binding>();
    const refusals: BindingRefusal[] = [];
    for (const { id, row, binding } of (await this.list()).filter(({ isEnabled }) => isEnabled)) {
      // The last row of a queue wins (mq-mqtt.md 5.2).
      if (binding.ok) bindings.set(binding.value.physicalQueue, binding.value);
      else refusals.push({ id, queue: String(row.QueueName ?? ''), error: binding.error });
    }
    return { bindings: [...bindings.values()], refusals };
  }

  async list(): Promise<readonly StoredBinding[]> {
    const { database, tenant } = this.#parts;
    const rows = await database.reader
      .selectFrom('diy_queue_receive')
      .selectAll()
      .orderBy('CreateTime')
      .orderBy('Id')
      .execute();
    return rows.filter(isNotDeleted).map((row) => ({
      id: String(row.Id),
      isEnabled: isBindingEnabled(row),
      isPushed: row.Source === PUSHED,
      row,
      binding: parseBinding(tenant, row),
    }));
  }

  add(columns: BindingColumns, audit: AuditEntry): Promise<string> {
    return this.#rows.add(columns, audit);
  }

  change(id: string, columns: BindingColumns, audit: AuditEntry): Promise<void> {
    return this.#rows.change(id, columns, audit);
  }

  remove(id: string, audit: AuditEntry): Promise<void> {
    return this.#rows.remove(id, audit);
  }
}
