import type { JsonObject, JsonValue } from './json.ts';

/** Where the platform's rows keep the rows below them. */
export const CHILDREN = '_Child';

/** A row with the rows below it. */
export type TreeRow = JsonObject & { readonly [CHILDREN]: readonly TreeRow[] };

/** Columns that make the tree. */
export interface TreeColumns {
  readonly id: string;
  /** Has the `id` of the row above. */
  readonly parent: string;
}

type Growing = JsonObject & { readonly [CHILDREN]: Growing[] };

/** Deepest tree that is built: a script's JSON nests no deeper. */
const MAX_TREE_DEPTH = 256;

/**
 * Rows nested below the row that their parent column names, in the order given. A row whose parent is not among them
 * stands at the top, so that a condition never loses a row; so does the first row of a ring.
 * @param below only what is below this Id, which itself need not be there.
 * @returns undefined when the rows nest too deep.
 */
export function treeOf(
  rows: readonly JsonObject[],
  columns: TreeColumns,
  below?: string,
): readonly TreeRow[] | undefined {
  const nodes = rows.map((row): Growing => ({ ...row, [CHILDREN]: [] }));
  const byId = new Map(nodes.map((node) => [keyOf(node[columns.id]), node]));
  const parentOf = (node: Growing) => byId.get(keyOf(node[columns.parent]));
  const tops = nodes.filter((node) => parentOf(node) === undefined);
  for (const node of nodes) parentOf(node)?.[CHILDREN].push(node);
  const placed = new Set<Growing>();
  if (!place(tops, placed)) return undefined;
  for (const node of nodes) {
    if (placed.has(node)) continue;
    const siblings = parentOf(node)?.[CHILDREN] ?? [];
    siblings.splice(siblings.indexOf(node), 1);
    tops.push(node);
    if (!place([node], placed)) return undefined;
  }
  if (below === undefined) return tops;
  return byId.get(keyOf(below))?.[CHILDREN] ?? tops.filter((top) => keyOf(top[columns.parent]) === keyOf(below));
}

/** Marks these rows and all below them, level by level. False when there are too many levels. */
function place(tops: readonly Growing[], placed: Set<Growing>): boolean {
  let level = tops;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === MAX_TREE_DEPTH) return false;
    for (const node of level) placed.add(node);
    level = level.flatMap((node) => node[CHILDREN]);
  }
  return true;
}

/** Ids are compared without regard to case, as the database compares them. */
function keyOf(value: JsonValue | undefined): string {
  return value === undefined || value === null ? '' : String(value).trim().toLowerCase();
}
