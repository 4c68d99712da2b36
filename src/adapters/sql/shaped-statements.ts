import type { CompiledQuery } from 'kysely';
import type { TableInfo } from '../../ports/table-store.ts';
import type { StatementShape } from './statement-shape.ts';

/** Shapes remembered of one table; with more the memory begins anew. */
const MAX_SHAPES = 200;

/**
 * Statements as the query builder compiled them, by table and shape: building one anew for every call costs the host
 * more than sending it. What is remembered of a table ends with its description, so a changed table is compiled anew.
 * It holds no value of the first call.
 */
export class ShapedStatements {
  readonly #tables = new WeakMap<TableInfo, Map<string, CompiledQuery>>();

  /** @param shape undefined for a statement that is compiled each time. */
  of(table: TableInfo, shape: StatementShape | undefined, compile: () => CompiledQuery): CompiledQuery {
    if (shape === undefined) return compile();
    const known = this.#ofTable(table);
    const remembered = known.get(shape.text);
    if (remembered !== undefined) return { ...remembered, parameters: shape.values };
    const compiled = compile();
    // A shape is believed when it foretold what the builder binds.
    if (areSame(compiled.parameters, shape.values)) {
      if (known.size >= MAX_SHAPES) known.clear();
      known.set(shape.text, { ...compiled, query: withoutValues(compiled.query), parameters: [] });
    }
    return compiled;
  }

  #ofTable(table: TableInfo): Map<string, CompiledQuery> {
    let known = this.#tables.get(table);
    if (known === undefined) {
      known = new Map();
      this.#tables.set(table, known);
    }
    return known;
  }
}

/** What is read of a statement after it was compiled: what it does, and to which table (unique-keys-mysql.ts). */
function withoutValues(query: CompiledQuery['query']): CompiledQuery['query'] {
  const { kind, into, table } = query as unknown as Record<string, unknown>;
  return { kind, into, table } as unknown as CompiledQuery['query'];
}

function areSame(bound: readonly unknown[], foretold: readonly unknown[]): boolean {
  return bound.length === foretold.length && bound.every((value, i) => Object.is(value, foretold[i]));
}
