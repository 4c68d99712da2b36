import { type Binding, type BindingRefusal, isBindingEnabled, parseBinding } from '../../core/binding.ts';
import type { BindingStore } from '../../ports/tenant-store.ts';
import { isNotDeleted } from './platform-row.ts';
import type { SqlDatabase } from './sql-database.ts';

/** `diy_queue_receive`: which engine handles which queue. Read whole, with or without our columns. */
export class SqlBindingStore implements BindingStore {
  readonly #database: SqlDatabase;
  readonly #tenant: string;

  constructor(database: SqlDatabase, tenant: string) {
    this.#database = database;
    this.#tenant = tenant;
  }

  async readAll(): Promise<{ bindings: readonly Binding[]; refusals: readonly BindingRefusal[] }> {
    const rows = await this.#database.reader
      .selectFrom('diy_queue_receive')
      .selectAll()
      .orderBy('CreateTime')
      .orderBy('Id')
      .execute();
    const bindings = new Map<string, Binding>();
    const refusals: BindingRefusal[] = [];
    for (const row of rows.filter(isNotDeleted).filter(isBindingEnabled)) {
      const parsed = parseBinding(this.#tenant, row);
      // The last row of a queue wins (mq-mqtt.md 5.2).
      if (parsed.ok) bindings.set(parsed.value.physicalQueue, parsed.value);
      else refusals.push({ id: String(row.Id), queue: String(row.QueueName ?? ''), error: parsed.error });
    }
    return { bindings: [...bindings.values()], refusals };
  }
}
