/** Which rows a FormEngine call means: `Id`, `Ids` and `_Where` as one flat list of conditions. */
import { orThrow } from '../core/errors.ts';
import { type Condition, parseWhere } from '../core/where.ts';
import type { ColumnInfo } from '../ports/table-store.ts';
import { findColumn, requireColumn } from './form-engine-columns.ts';
import type { FormCall } from './form-engine-target.ts';
import { refuseParam } from './param-rules.ts';
import { asText, type CallParam, readText } from './param-values.ts';

/** Most Ids in one call: a statement takes a limited number of bound values. */
const MAX_IDS = 10_000;

/** The conditions of `_Where`; none when it is absent or empty. @throws AppError WHERE_INVALID. */
export function whereConditions(form: FormCall): readonly Condition[] {
  // `needed && [...]` leaves false where no condition is wanted.
  const where = form.values._Where || undefined;
  const names = form.table.columns.map((column) => column.name);
  return orThrow(parseWhere(where, names)).map((condition) =>
    bindAsColumn(condition, findColumn(form.table, condition.column)),
  );
}

/** `Id`, `Ids` and `_Where`, all of which must hold. */
export function readConditions(form: FormCall): readonly Condition[] {
  const id = readText(form, 'Id');
  const ids = readIds(form);
  let conditions = whereConditions(form);
  if (ids !== undefined) conditions = both(hasId(form, ids), conditions);
  if (id !== undefined) conditions = both(hasId(form, [id]), conditions);
  return conditions;
}

/** Rows of these Ids. @throws AppError PARAM_INVALID for a table without an Id column. */
export function hasId(form: FormCall, ids: readonly string[]): Condition {
  const column = requireColumn(form.table, 'Id', form);
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0) return { glue: 'and', column, operator: 'eq', value: only };
  return { glue: 'and', column, operator: 'in', value: ids };
}

/** `Ids`, undefined when absent. An empty list stays a list: it means no row, not every row. */
export function readIds(param: CallParam): readonly string[] | undefined {
  const value = param.values.Ids;
  if (value === undefined || value === null || value === '') return undefined;
  if (!Array.isArray(value) || value.length > MAX_IDS) return refuseParam('Ids', 'idList', param.lang);
  return value.map((id) => asText(id) ?? refuseParam('Ids', 'idList', param.lang));
}

/**
 * `condition` AND (`where`), written without brackets: AND binds tighter than OR, so the condition goes before every
 * alternative.
 */
function both(condition: Condition, where: readonly Condition[]): readonly Condition[] {
  if (where.length === 0) return [condition];
  return where.flatMap((part, index) =>
    index === 0 || part.glue === 'or'
      ? [
          { ...condition, glue: part.glue },
          { ...part, glue: 'and' as const },
        ]
      : [part],
  );
}

/** Numbers meet text columns as text: SQLite binds a JavaScript number as REAL, and '5' is not '5.0'. */
function bindAsColumn(condition: Condition, column: ColumnInfo | undefined): Condition {
  if (column?.kind !== 'text' && column?.kind !== 'datetime') return condition;
  const { value } = condition;
  return {
    ...condition,
    value: Array.isArray(value) ? value.map(numberToText) : numberToText(value as string | number | null),
  };
}

function numberToText(value: string | number | null): string | null {
  return typeof value === 'number' ? String(value) : value;
}
