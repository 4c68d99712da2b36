import { type RawBuilder, sql } from 'kysely';
import type { SqlValue } from '../../core/sql-value.ts';
import type { Condition, WhereNode, WhereOperator } from '../../core/where.ts';
import type { ColumnInfo, TableInfo } from '../../ports/table-store.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** What a condition is compiled for. */
export interface WhereTarget {
  readonly table: TableInfo;
  readonly dialect: SqlDialect;
}

/**
 * Conditions as one bracketed SQL expression in the order written, so AND binds tighter than OR (v8-surface.md 3.1).
 * Undefined for an empty list. Column names come from the catalogue, values are bound.
 */
export function compileWhere(nodes: readonly WhereNode[], target: WhereTarget): RawBuilder<boolean> | undefined {
  return nodes.length === 0 ? undefined : compileGroup(nodes, target);
}

/** Rows that are not deleted; NULL counts as not deleted (v8-surface.md 2.6). */
export function notDeleted(): RawBuilder<boolean> {
  const column = sql.id('IsDeleted');
  return sql<boolean>`(${column} <> 1 or ${column} is null)`;
}

function compileGroup(nodes: readonly WhereNode[], target: WhereTarget): RawBuilder<boolean> {
  const parts = nodes.map((node, index) => {
    const part = 'group' in node ? compileGroup(node.group, target) : compileCondition(node, target);
    if (index === 0) return part;
    return node.glue === 'or' ? sql`or ${part}` : sql`and ${part}`;
  });
  return sql<boolean>`(${sql.join(parts, sql` `)})`;
}

function compileCondition({ column, operator, value }: Condition, target: WhereTarget): RawBuilder<unknown> {
  const kind = kindOf(target.table, column);
  const bind = (single: SqlValue) => bindAs(kind, single, target.dialect);
  return OPERATORS[operator]({ column: sql.id(column), value, bind, dialect: target.dialect });
}

/** The value that is bound beside a column; undefined where the dialect writes SQL around it. */
export function plainBound(table: TableInfo, column: string, value: SqlValue): unknown {
  const kind = kindOf(table, column);
  return kind === 'decimal' && typeof value === 'string' ? undefined : bindPlain(kind, value);
}

/** Conditions mostly carry the column's own case. */
function kindOf({ columns }: TableInfo, column: string): ColumnInfo['kind'] {
  const info =
    columns.find(({ name }) => name === column) ??
    columns.find(({ name }) => name.toLowerCase() === column.toLowerCase());
  return info?.kind ?? 'text';
}

/**
 * A value beside a column of this kind. A text column compares with text, or MySQL would find 0 in every word; a number
 * column compares with all digits of a long number, which MySQL would compare as doubles.
 */
function bindAs(kind: ColumnInfo['kind'], value: SqlValue, dialect: SqlDialect): unknown {
  return kind === 'decimal' && typeof value === 'string' ? dialect.decimal(value) : bindPlain(kind, value);
}

function bindPlain(kind: ColumnInfo['kind'], value: SqlValue): string | number | bigint | boolean | null {
  if (value === null) return null;
  if (kind === 'text') return String(value);
  return kind === 'integer' ? integerOf(value) : value;
}

/** Text of an integer that eight bytes hold. */
const INTEGER = /^-?\d{1,18}$/;

/** One double in a list would make MySQL compare the whole list as doubles. */
function integerOf(value: string | number): string | number | bigint {
  if (!INTEGER.test(String(value))) return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value);
}

interface Comparison {
  readonly column: RawBuilder<unknown>;
  readonly value: Condition['value'];
  readonly bind: (value: SqlValue) => unknown;
  readonly dialect: SqlDialect;
}

type Compile = (comparison: Comparison) => RawBuilder<unknown>;

/** Comparison with null, per operator of v8-surface.md 3.3: only the negated ones ask for IS NOT NULL. */
const comparison =
  (operator: RawBuilder<unknown>, nullTest: RawBuilder<unknown>): Compile =>
  ({ column, value, bind }) =>
    value === null ? sql`${column} ${nullTest}` : sql`${column} ${operator} ${bind(single(value))}`;

const membership =
  (operator: RawBuilder<unknown>, nullTest: RawBuilder<unknown>): Compile =>
  ({ column, value, bind }) => {
    if (value === null) return sql`${column} ${nullTest}`;
    const list = Array.isArray(value) ? value : [value];
    // IN (NULL) and NOT IN (NULL) both match nothing, which is what an empty list means.
    return sql`${column} ${operator} (${list.length === 0 ? sql`null` : sql.join(list.map(bind))})`;
  };

/** Wildcards of the value stay wildcards: the platform does not escape them. */
const pattern =
  (negated: boolean, before: string, after: string): Compile =>
  ({ column, value, dialect }) =>
    dialect.like(column, `${before}${single(value) ?? ''}${after}`, negated);

const IS_NULL = sql`is null`;
const IS_NOT_NULL = sql`is not null`;

const OPERATORS: Readonly<Record<WhereOperator, Compile>> = {
  eq: comparison(sql`=`, IS_NULL),
  ne: comparison(sql`<>`, IS_NOT_NULL),
  gt: comparison(sql`>`, IS_NULL),
  ge: comparison(sql`>=`, IS_NULL),
  lt: comparison(sql`<`, IS_NULL),
  le: comparison(sql`<=`, IS_NULL),
  in: membership(sql`in`, IS_NULL),
  notIn: membership(sql`not in`, IS_NOT_NULL),
  like: pattern(false, '%', '%'),
  notLike: pattern(true, '%', '%'),
  startLike: pattern(false, '', '%'),
  notStartLike: pattern(true, '', '%'),
  endLike: pattern(false, '%', ''),
  notEndLike: pattern(true, '%', ''),
};

/** The grammar gives lists to `in` and `notIn` only. */
function single(value: Condition['value']): SqlValue {
  return Array.isArray(value) ? (value[0] ?? null) : (value as SqlValue);
}
