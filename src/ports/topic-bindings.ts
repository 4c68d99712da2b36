import type { TopicBindingColumns, TopicBindingRow } from '../core/topic-binding.ts';
import type { AuditEntry } from './identity.ts';

/** `mci_mqtt_binding`: which topics of devices go into which queue. */
export interface TopicBindingStore {
  /**
   * The oldest MAX_TOPIC_BINDINGS rows, also those that are switched off, oldest first; none where the table is
   * missing.
   */
  list(): Promise<readonly StoredTopicBinding[]>;
  /** @returns the Id of the new row. @throws AppError COLUMN_MISSING. */
  add(columns: TopicBindingColumns, audit: AuditEntry): Promise<string>;
  /** Sets these columns. @throws as `add`. */
  change(id: string, columns: TopicBindingColumns, audit: AuditEntry): Promise<void>;
  /** Marks the row as deleted, as the platform does. */
  remove(id: string, audit: AuditEntry): Promise<void>;
}

export interface StoredTopicBinding {
  readonly id: string;
  readonly row: TopicBindingRow;
}
