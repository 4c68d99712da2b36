import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../core/errors.ts';
import { hasNestedScans, MAX_ROW_STEPS, namesIn, type PlanRow, rowSteps } from '../../core/query-plan.ts';

/** As many as there are prepared statements. */
const MAX_KNOWN = 200;

/** How a statement is carried out, as long as the schema is what it was. */
interface KnownPlan {
  readonly schema: number;
  /** Undefined where no loop stands in another one. */
  readonly nested:
    | { readonly plan: readonly PlanRow[]; readonly tables: ReadonlyMap<string, readonly string[]> }
    | undefined;
}

/**
 * Refuses a script's statement whose loops would step through too many rows: SQLite runs in the host's thread, and
 * `node:sqlite` has no way to end a statement (core/query-plan.ts).
 */
export class SqliteWorkBound {
  readonly #db: DatabaseSync;
  readonly #known = new Map<string, KnownPlan>();

  /** @param db whose authorizer lets the host's own statements pass when this is asked. */
  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /**
   * @param text of a statement that SQLite accepts. @param schemaVersion asked for where a plan is needed alone.
   * @throws AppError SQL_TOO_MUCH_WORK.
   */
  assertWithin(text: string, schemaVersion: () => number): void {
    if (readsOneTableOnce(text)) return;
    const { nested } = this.#planOf(text, schemaVersion());
    if (nested === undefined) return;
    const largest = (count: (table: string) => number) => (name: string) =>
      Math.max(1, ...(nested.tables.get(name) ?? []).map(count));
    if (
      rowSteps(
        nested.plan,
        largest((table) => this.#mostRows(table)),
      ) <= MAX_ROW_STEPS
    )
      return;
    const steps = rowSteps(
      nested.plan,
      largest((table) => this.#rows(table)),
    );
    if (steps <= MAX_ROW_STEPS) return;
    const tables = [...new Set([...nested.tables.values()].flat())].join(', ');
    throw new AppError('SQL_TOO_MUCH_WORK', { tables, steps, limit: MAX_ROW_STEPS });
  }

  #planOf(text: string, schema: number): KnownPlan {
    const known = this.#known.get(text);
    // Re-inserting keeps the map in order of last use.
    this.#known.delete(text);
    const plan = known?.schema === schema ? known : this.#read(text, schema);
    this.#known.set(text, plan);
    if (this.#known.size > MAX_KNOWN) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    return plan;
  }

  #read(text: string, schema: number): KnownPlan {
    const rows = this.#db.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    const plan = rows.map(({ id, parent, detail }) => ({
      id: Number(id),
      parent: Number(parent),
      detail: String(detail),
    }));
    return { schema, nested: hasNestedScans(plan) ? { plan, tables: this.#tablesOf(text, plan) } : undefined };
  }

  /**
   * The tables that each name of a plan may stand for. A plan has aliases, and what stands before one in the text is its
   * table; a name that is read in no other way may be any table of the text.
   */
  #tablesOf(text: string, plan: readonly PlanRow[]): ReadonlyMap<string, readonly string[]> {
    const schema = this.#db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const known = new Map(schema.map(({ name }) => [String(name).toLowerCase(), String(name)]));
    const tables = (words: Iterable<RegExpMatchArray>) =>
      [...new Set([...words].map(([, word = '']) => known.get(word.toLowerCase())))].filter(
        (name) => name !== undefined,
      );
    const found = new Map<string, readonly string[]>();
    for (const name of namesIn(plan)) {
      const table = known.get(name.toLowerCase());
      const before = new RegExp(`(${WORD})["\`\\]]?\\s+(?:as\\s+)?["\`[]?${escaped(name)}(?!${WORD})`, 'giu');
      const own = [...(table === undefined ? [] : [table]), ...tables(text.matchAll(before))];
      found.set(name, own.length > 0 ? own : tables(text.matchAll(WORDS)));
    }
    return found;
  }

  /** Two looks at the ends of the table; rows that were deleted between them count as well. */
  #mostRows(table: string): number {
    try {
      const ends = (end: string) => `(SELECT ${end}(rowid) FROM ${quoted(table)})`;
      return this.#number(`SELECT ${ends('max')} - ${ends('min')} + 1`);
    } catch {
      return this.#rows(table); // A table without row numbers.
    }
  }

  #rows(table: string): number {
    return this.#number(`SELECT count(*) FROM ${quoted(table)}`);
  }

  #number(text: string): number {
    const [value] = Object.values(this.#db.prepare(text).get() ?? {});
    return Number(value ?? 0);
  }
}

const WORD = '[\\p{L}\\p{N}_$]+';
const WORDS = new RegExp(`(${WORD})`, 'gu');

function escaped(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** True for the statements of FormEngine and most others, which need no plan: no loop can stand in another one. */
function readsOneTableOnce(text: string): boolean {
  if (/\bjoin\b/i.test(text) || (text.match(/\bselect\b/gi)?.length ?? 0) > 1) return false;
  const froms = text.match(/\bfrom\b/gi)?.length ?? 0;
  return froms === 0 || (froms === 1 && ONE_TABLE.test(text));
}

const ONE_TABLE =
  /\bfrom\s+["`[]?[\p{L}\p{N}_$]+["`\]]?(?:\s+(?:as\s+)?["`[]?[\p{L}\p{N}_$]+["`\]]?)?\s*(?:$|\b(?:where|group|order|limit)\b)/iu;
