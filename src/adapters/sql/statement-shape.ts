import type { SqlValue } from '../../core/sql-value.ts';
import type { Condition, WhereNode, WhereOperator } from '../../core/where.ts';
import type { Row, SelectQuery, TableInfo } from '../../ports/table-store.ts';
import { plainBound } from './compile-where.ts';

/** Longest shape that is written down; beyond it a statement is dear anyway. Characters. */
const MAX_SHAPE = 2_000;

/** Operators whose values are bound as they are given. The dialects differ in what they make of a pattern. */
const PLAIN: ReadonlySet<WhereOperator> = new Set(['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'notIn']);

/** Stands between names: no name that a database takes holds it. */
const END = '\0';

/**
 * A statement on one table without its values, as a text that is the same for statements with the same SQL, and the
 * values in the order in which they are bound.
 */
export interface StatementShape {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The shape of a read; undefined where the SQL depends on more than this module knows. */
export function shapeOfSelect(table: TableInfo, query: SelectQuery): StatementShape | undefined {
  const shape = new ShapeWriter(table, 'select');
  shape.names(query.columns);
  shape.filter(query);
  for (const { column, descending } of query.sort) shape.names([descending ? 'desc' : 'asc', column]);
  shape.values.push(query.limit, query.offset);
  return shape.end();
}

/** The same for an update. @param values as they are bound. */
export function shapeOfUpdate(
  table: TableInfo,
  filter: Pick<SelectQuery, 'where' | 'includeDeleted'>,
  values: Row,
): StatementShape | undefined {
  const shape = new ShapeWriter(table, 'update');
  shape.row(values);
  shape.filter(filter);
  return shape.end();
}

/** The same for an insert. @param values as they are bound; at least one. */
export function shapeOfInsert(table: TableInfo, values: Row): StatementShape | undefined {
  const shape = new ShapeWriter(table, 'insert');
  shape.row(values);
  return shape.end();
}

class ShapeWriter {
  readonly values: unknown[] = [];
  readonly #table: TableInfo;
  #text: string;
  #known = true;

  constructor(table: TableInfo, verb: string) {
    this.#table = table;
    this.#text = verb + END;
  }

  names(names: readonly string[]): void {
    for (const name of names) this.#text += name + END;
    this.#text += END;
  }

  row(values: Row): void {
    for (const column in values) {
      this.#text += column + END;
      this.values.push(values[column]);
    }
    this.#text += END;
  }

  filter({ where, includeDeleted }: Pick<SelectQuery, 'where' | 'includeDeleted'>): void {
    this.#text += includeDeleted ? 'all' : 'kept';
    this.#nodes(where);
  }

  end(): StatementShape | undefined {
    return this.#known && this.#text.length <= MAX_SHAPE ? { text: this.#text, values: this.values } : undefined;
  }

  #nodes(nodes: readonly WhereNode[]): void {
    this.#text += '(';
    for (const node of nodes) {
      this.#text += node.glue;
      if ('group' in node) this.#nodes(node.group);
      else this.#condition(node);
    }
    this.#text += ')';
  }

  #condition({ column, operator, value }: Condition): void {
    if (!PLAIN.has(operator)) this.#known = false;
    this.#text += `${END}${column}${END}${operator}`;
    if (value === null) {
      this.#text += ' null';
      return;
    }
    const list = Array.isArray(value) ? (value as readonly SqlValue[]) : undefined;
    this.#text += list === undefined ? ' one' : ` ${list.length}`;
    for (const single of list ?? [value as SqlValue]) this.#bind(column, single);
  }

  #bind(column: string, value: SqlValue): void {
    const bound = plainBound(this.#table, column, value);
    if (bound === undefined) this.#known = false;
    else this.values.push(bound);
  }
}
