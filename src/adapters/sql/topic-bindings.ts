import { MAX_TOPIC_BINDINGS, type TopicBindingColumns } from '../../core/topic-binding.ts';
import type { AuditEntry } from '../../ports/identity.ts';
import type { StoredTopicBinding, TopicBindingStore } from '../../ports/topic-bindings.ts';
import { AuditedRows, type AuditedRowsParts } from './audited-rows.ts';
import { notDeleted } from './compile-where.ts';

/** `mci_mqtt_binding`, a table of ours that a platform's database may lack. */
export class SqlTopicBindingStore implements TopicBindingStore {
  readonly #parts: AuditedRowsParts;
  readonly #rows: AuditedRows;

  constructor(parts: AuditedRowsParts) {
    this.#parts = parts;
    this.#rows = new AuditedRows(parts, 'mci_mqtt_binding');
  }

  async list(): Promise<readonly StoredTopicBinding[]> {
    const { database, schema } = this.#parts;
    if ((await schema.columnNames('mci_mqtt_binding')).size === 0) return [];
    const rows = await database.reader
      .selectFrom('mci_mqtt_binding')
      .selectAll()
      .where(notDeleted())
      .orderBy('CreateTime')
      .orderBy('Id')
      .limit(MAX_TOPIC_BINDINGS)
      .execute();
    return rows.map((row) => ({ id: String(row.Id), row }));
  }

  add(columns: TopicBindingColumns, audit: AuditEntry): Promise<string> {
    return this.#rows.add(columns, audit);
  }

  change(id: string, columns: TopicBindingColumns, audit: AuditEntry): Promise<void> {
    return this.#rows.change(id, columns, audit);
  }

  remove(id: string, audit: AuditEntry): Promise<void> {
    return this.#rows.remove(id, audit);
  }
}
