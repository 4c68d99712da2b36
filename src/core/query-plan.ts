/**
 * How much work a statement on SQLite is, by its EXPLAIN QUERY PLAN. Such a statement cannot be ended once it runs, and
 * nobody else's statements run meanwhile, so what would take too long is refused before it begins.
 */

/** A row of EXPLAIN QUERY PLAN. */
export interface PlanRow {
  readonly id: number;
  /** 0 for the outermost query. */
  readonly parent: number;
  /** Such as `SCAN o`, `SEARCH s USING INDEX sku (Sku=?)`, `CORRELATED SCALAR SUBQUERY 1`. */
  readonly detail: string;
}

/** Rows of a table by the name that the plan gives it, an alias where there is one; undefined for what is no table. */
export type SizeOf = (name: string) => number | undefined;

/** Most rows that a statement may step through, those of inner loops counted each time: some seconds. */
export const MAX_ROW_STEPS = 25_000_000;

/** Each row that a loop reaches: `SCAN o`, `SEARCH s USING …`. */
const LOOP = /^(SCAN|SEARCH) (.+?)((?: USING | LEFT-JOIN| VIRTUAL TABLE ).*)?$/;
/** `SCAN CONSTANT ROW`, `SCAN 3-ROW VALUES CLAUSE`. */
const CONSTANTS = /^(?:CONSTANT ROW|(\d+)-ROW VALUES CLAUSE)$/;
/** A subquery whose rows another loop reads by this name. */
const FILLED = /^(?:MATERIALIZE|CO-ROUTINE) (.+)$/;

/** A UNION gives the rows of its parts. */
const UNION = /^(COMPOUND QUERY|MERGE)/;
const UNION_PART = /^(LEFT-MOST SUBQUERY|UNION|EXCEPT|INTERSECT|LEFT$|RIGHT$)/;

interface Work {
  /** Rows stepped through. */
  readonly steps: number;
  /** Rows that come out, at most. */
  readonly rows: number;
}

/** The names of tables, aliases and subqueries that a plan has. */
export function namesIn(plan: readonly PlanRow[]): readonly string[] {
  return plan.flatMap(({ detail }) => LOOP.exec(detail)?.[2] ?? []);
}

/** True when loops stand inside of each other: else a statement steps through each of its tables once. */
export function hasNestedScans(plan: readonly PlanRow[]): boolean {
  // With two rows in every table, more steps than scans are a loop in a loop.
  const scans = plan.filter(({ detail }) => isWholeScan(detail)).length;
  return rowSteps(plan, () => 2) > 2 * scans;
}

/**
 * Rows that a statement steps through at most. A look by an index finds one row; an inner loop counts for each row of
 * those around it, and a subquery that refers to its outer query for each row of that.
 */
export function rowSteps(plan: readonly PlanRow[], sizeOf: SizeOf): number {
  const children = new Map<number, PlanRow[]>();
  for (const row of plan) children.set(row.parent, [...(children.get(row.parent) ?? []), row]);
  return workOf(0, { children, sizeOf, filled: new Map() }).steps;
}

interface Walk {
  readonly children: ReadonlyMap<number, readonly PlanRow[]>;
  readonly sizeOf: SizeOf;
  /** Rows of subqueries by their names, filled in as the walk meets them. */
  readonly filled: Map<string, number>;
}

/** The work of everything below a row of the plan. */
function workOf(parent: number, walk: Walk): Work {
  let rows = 1;
  let partRows = 0;
  let steps = 0;
  let perRow = 0;
  for (const { id, detail } of walk.children.get(parent) ?? []) {
    const loop = LOOP.exec(detail);
    if (loop !== null) {
      rows *= rowsOf(loop, walk);
      if (isWholeScan(detail)) steps += rows;
      continue;
    }
    const inner = workOf(id, walk);
    const name = FILLED.exec(detail)?.[1];
    if (name !== undefined) walk.filled.set(name, inner.rows);
    if (detail.startsWith('CORRELATED')) perRow += inner.steps;
    else steps += inner.steps;
    if (UNION.test(detail)) rows = Math.max(rows, inner.rows);
    else if (UNION_PART.test(detail)) partRows += inner.rows;
  }
  return { steps: steps + rows * perRow, rows: Math.max(rows, partRows) };
}

function rowsOf([, how, name = '', rest = '']: RegExpExecArray, { sizeOf, filled }: Walk): number {
  if (how === 'SEARCH' && !isRange(rest)) return 1;
  const constants = CONSTANTS.exec(name);
  if (constants !== null) return Number(constants[1] ?? 1);
  return Math.max(1, filled.get(name) ?? sizeOf(name) ?? 1);
}

function isWholeScan(detail: string): boolean {
  const loop = LOOP.exec(detail);
  return loop !== null && (loop[1] === 'SCAN' || isRange(loop[3] ?? ''));
}

/** `(Qty>?)`: by an index, and yet perhaps all rows. */
function isRange(rest: string): boolean {
  const condition = /\(([^()]*)\)\s*(?:LEFT-JOIN)?$/.exec(rest)?.[1];
  return condition !== undefined && /[<>]/.test(condition) && !condition.includes('=');
}
