import type { WhereNode } from '../core/where.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Filter, Row, SelectQuery } from '../ports/table-store.ts';

/** Tables of the broker in each tenant's database (mq-mqtt.md 6.9). */
export const MQTT_TABLES = { client: 'mci_mqtt_client', log: 'mci_mqtt_log' } as const;

/** The columns that every new row of a platform table has (v8-surface.md 2.5). */
export function newRow({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }): Row {
  const now = clock.localText(clock.now());
  return { Id: ids.ulid(), CreateTime: now, UpdateTime: now, UserId: '', UserName: '', IsDeleted: 0 };
}

/** Rows of a table with this value in a column. */
export function rowsWith(table: string, column: string, value: string | number): Filter {
  const where: readonly WhereNode[] = [{ glue: 'and', column, operator: 'eq', value }];
  return { table, where, includeDeleted: false };
}

/** A query for some rows of a filter. */
export function firstRows(filter: Filter, columns: readonly string[], limit: number): SelectQuery {
  return { ...filter, columns, sort: [], limit, offset: 0 };
}
