import { type RawBuilder, sql } from 'kysely';
import type { SqlValue } from '../../core/sql-value.ts';
import type { Condition, WhereOperator } from '../../core/where.ts';

type Value = Condition['value'];

/**
 * Conditions as one bracketed SQL expression: a flat list as written, so AND binds tighter than OR
 * (v8-surface.md 3.1). Undefined for an empty list. Column names come from the catalogue, values are bound.
 */
export function compileWhere(conditions: readonly Condition[]): RawBuilder<boolean> | undefined {
  if (conditions.length === 0) return undefined;
  const parts = conditions.map((condition, index) => {
    const compared = compileCondition(condition);
    if (index === 0) return compared;
    return condition.glue === 'or' ? sql`or ${compared}` : sql`and ${compared}`;
  });
  return sql<boolean>`(${sql.join(parts, sql` `)})`;
}

/** Rows that are not deleted; NULL counts as not deleted (v8-surface.md 2.6). */
export function notDeleted(): RawBuilder<boolean> {
  const column = sql.id('IsDeleted');
  return sql<boolean>`(${column} <> 1 or ${column} is null)`;
}

function compileCondition({ column, operator, value }: Condition): RawBuilder<unknown> {
  return OPERATORS[operator](sql.id(column), value);
}

type Compile = (column: RawBuilder<unknown>, value: Value) => RawBuilder<unknown>;

/** Comparison with null, per operator of v8-surface.md 3.3: only the negated ones ask for IS NOT NULL. */
const comparison =
  (operator: RawBuilder<unknown>, nullTest: RawBuilder<unknown>): Compile =>
  (column, value) =>
    value === null ? sql`${column} ${nullTest}` : sql`${column} ${operator} ${single(value)}`;

const membership =
  (operator: RawBuilder<unknown>, nullTest: RawBuilder<unknown>): Compile =>
  (column, value) => {
    if (value === null) return sql`${column} ${nullTest}`;
    const list = Array.isArray(value) ? value : [value];
    // IN (NULL) and NOT IN (NULL) both match nothing, which is what an empty list means.
    return sql`${column} ${operator} (${list.length === 0 ? sql`null` : sql.join(list.map(textOf))})`;
  };

/** Wildcards of the value stay wildcards: the platform does not escape them. */
const pattern =
  (operator: RawBuilder<unknown>, before: string, after: string): Compile =>
  (column, value) =>
    sql`${column} ${operator} ${before + (textOf(single(value)) ?? '') + after}`;

const IS_NULL = sql`is null`;
const IS_NOT_NULL = sql`is not null`;
const LIKE = sql`like`;
const NOT_LIKE = sql`not like`;

const OPERATORS: Readonly<Record<WhereOperator, Compile>> = {
  eq: comparison(sql`=`, IS_NULL),
  ne: comparison(sql`<>`, IS_NOT_NULL),
  gt: comparison(sql`>`, IS_NULL),
  ge: comparison(sql`>=`, IS_NULL),
  lt: comparison(sql`<`, IS_NULL),
  le: comparison(sql`<=`, IS_NULL),
  in: membership(sql`in`, IS_NULL),
  notIn: membership(sql`not in`, IS_NOT_NULL),
  like: pattern(LIKE, '%', '%'),
  notLike: pattern(NOT_LIKE, '%', '%'),
  startLike: pattern(LIKE, '', '%'),
  notStartLike: pattern(NOT_LIKE, '', '%'),
  endLike: pattern(LIKE, '%', ''),
  notEndLike: pattern(NOT_LIKE, '%', ''),
};

/** The grammar gives lists to `in` and `notIn` only. */
function single(value: Value): SqlValue {
  return Array.isArray(value) ? (value[0] ?? null) : (value as SqlValue);
}

/** Elements of a list are bound as text (v8-surface.md 3.3); the column's own type decides how they compare. */
function textOf(value: SqlValue): string | null {
  return value === null ? null : String(value);
}
