import { isEnabled } from '../../core/engine.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { PlatformRow } from './system-tables.ts';

/** Who makes rows of the platform's tables: its clock and ids. */
export interface RowMaker {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The columns every new row of a platform table has (v8-surface.md 2.5), written by the host itself. */
export function fixedColumns({ clock, ids }: RowMaker): PlatformRow {
  const now = clock.localText(clock.now());
  return { Id: ids.ulid(), CreateTime: now, UpdateTime: now, UserId: '', UserName: '', IsDeleted: 0 };
}

/** The part of a row that the table has columns for: a table made by the platform may lack ours. */
export function onlyColumns(row: PlatformRow, columns: ReadonlySet<string>): PlatformRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => columns.has(name)));
}

/** How the platform reads a flag: true, 1, `1` and `true` are on; a missing one is off. */
export function isSet(value: unknown): boolean {
  return value !== null && value !== undefined && isEnabled(value);
}

export function isNotDeleted(row: PlatformRow): boolean {
  return !isSet(row.IsDeleted);
}
