/** Values that the designer wants once in a table (`Unique` of `diy_field`, v8-surface.md 2.5). */
import { AppError } from '../core/errors.ts';
import type { Condition } from '../core/where.ts';
import type { Filter, Row } from '../ports/table-store.ts';
import { findColumn } from './form-engine-columns.ts';
import type { DesignedField } from './form-engine-fields.ts';
import type { FormCall } from './form-engine-target.ts';
import { refuseParam } from './param-rules.ts';

/** Rows of one conditional update whose unique values are compared. */
const MAX_ROWS = 1_000;

/**
 * Refuses a row whose unique values another one has. Two runs at once can pass it together: what must never be twice
 * also needs a unique index. @param id of the row that is updated. @throws AppError ROW_NOT_UNIQUE.
 */
export async function assertUnique(
  form: FormCall,
  fields: readonly DesignedField[],
  row: Row,
  id?: string,
): Promise<void> {
  for (const columns of groupsTouched(fields, row)) {
    if (isBlankIn(row, columns)) continue;
    const where = sameValues(row, columns);
    const own = findColumn(form.table, 'Id');
    if (id !== undefined && own !== undefined) where.push({ glue: 'and', column: own.name, operator: 'ne', value: id });
    const count = await form.store.count({ table: form.table.name, where, includeDeleted: false });
    if (count > 0) throw twice(form, columns);
  }
}

/**
 * The same for an update of every row that `filter` matches: neither two of them nor one of them and another row may
 * have the same values afterwards. @throws AppError ROW_NOT_UNIQUE, PARAM_INVALID for more rows than are compared.
 */
export async function assertUniqueOfMany(
  form: FormCall,
  fields: readonly DesignedField[],
  values: Row,
  filter: Filter,
): Promise<void> {
  const groups = groupsTouched(fields, values);
  if (groups.length === 0) return;
  const rows = await form.store.select({ ...filter, columns: [], sort: [], limit: MAX_ROWS + 1, offset: 0 });
  if (rows.length > MAX_ROWS) refuseParam('_Where', 'uniqueMany', form.lang);
  const changed = rows.map((row) => ({ ...row, ...values }));
  for (const columns of groups) await assertGroup(form, columns, changed);
}

async function assertGroup(form: FormCall, columns: readonly string[], changed: readonly Row[]): Promise<void> {
  const id = findColumn(form.table, 'Id')?.name;
  const ids = new Set(changed.map((row) => String(id === undefined ? '' : row[id])));
  const seen = new Set<string>();
  for (const row of changed) {
    if (isBlankIn(row, columns)) continue;
    const key = JSON.stringify(columns.map((column) => String(row[column] ?? '').toLowerCase()));
    if (seen.has(key)) throw twice(form, columns);
    seen.add(key);
    const others = await form.store.select({
      table: form.table.name,
      columns: id === undefined ? [] : [id],
      where: sameValues(row, columns),
      includeDeleted: false,
      sort: [],
      limit: MAX_ROWS,
      offset: 0,
    });
    // Those that are updated with it get other values, or were seen above.
    if (others.some((other) => id === undefined || !ids.has(String(other[id])))) throw twice(form, columns);
  }
}

/** Columns that are unique alone, and those that are together, of which the row has one. */
function groupsTouched(fields: readonly DesignedField[], row: Row): readonly (readonly string[])[] {
  const groups = [
    ...fields.filter(({ unique }) => unique === 'alone').map(({ column }) => [column]),
    fields.filter(({ unique }) => unique === 'together').map(({ column }) => column),
  ];
  return groups.filter((columns) => columns.some((column) => row[column] !== undefined));
}

function isBlankIn(row: Row, columns: readonly string[]): boolean {
  return columns.every((column) => row[column] === null || row[column] === '' || row[column] === undefined);
}

function sameValues(row: Row, columns: readonly string[]): Condition[] {
  return columns.map((column) => ({ glue: 'and', column, operator: 'eq', value: row[column] ?? null }));
}

function twice(form: FormCall, columns: readonly string[]): AppError {
  return new AppError('ROW_NOT_UNIQUE', { table: form.table.name, field: columns.join(', ') });
}
