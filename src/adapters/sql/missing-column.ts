import { isBindingEnabled, parseBinding } from '../../core/binding.ts';
import { readEngineEntry } from '../../core/engine-entry.ts';
import { readEngineLock } from '../../core/engine-lock.ts';
import { AppError } from '../../core/errors.ts';
import { isTopicBindingEnabled } from '../../core/topic-binding.ts';
import { isSet, onlyColumns } from './platform-row.ts';
import type { PlatformRow } from './system-tables.ts';

/** Tables of the platform in which settings are written that it does not know. */
type SettingsTable = 'sys_apiengine' | 'diy_queue_receive' | 'mci_mqtt_binding';

/**
 * Refuses settings for which a table made by the platform lacks the column, because they would be lost without a word.
 * One that is set to what its absence means can do without.
 * @param settings a row of the table, or a part of it. @throws AppError COLUMN_MISSING.
 */
export function assertColumns(table: SettingsTable, settings: PlatformRow, columns: ReadonlySet<string>): void {
  const meaning = (row: PlatformRow): string => JSON.stringify(MEANINGS[table](row));
  const kept = onlyColumns(settings, columns);
  const meant = meaning(kept);
  if (meaning(settings) === meant) return;
  const missing = Object.entries(settings).filter(([column]) => !columns.has(column));
  const [column] = missing.find(([name, value]) => meaning({ ...kept, [name]: value }) !== meant) ?? missing[0] ?? [];
  throw new AppError('COLUMN_MISSING', { table, column: column ?? '' });
}

/** What the host makes of a row. */
const MEANINGS: Readonly<Record<SettingsTable, (row: PlatformRow) => unknown>> = {
  sys_apiengine: (row) => {
    const address = String(row.ApiAddress ?? '');
    return [readEngineEntry(row), readEngineLock(row) ?? null, isSet(row.StopHttp), address];
  },
  diy_queue_receive: (row) => {
    const whole: PlatformRow = { QueueName: 'any', ApiEngineKey: 'any', ...row };
    return [isBindingEnabled(whole), parseBinding('any', whole), whole.Source ?? null];
  },
  mci_mqtt_binding: (row) => {
    const { TopicFilter, QueueName, EventIdPath } = row;
    return [TopicFilter ?? '', QueueName ?? '', EventIdPath ?? '', isTopicBindingEnabled(row)];
  },
};
