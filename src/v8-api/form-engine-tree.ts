/** V8.FormEngine.GetTableDataTree: the rows of a list nested below their parents (v8-surface.md 2.2). */
import { succeed } from '../core/dos-result.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { CHILDREN, type TreeColumns, treeOf } from '../core/row-tree.ts';
import type { Condition, WhereNode } from '../core/where.ts';
import type { Row } from '../ports/table-store.ts';
import { findColumn, requireColumn } from './form-engine-columns.ts';
import { readPage } from './form-engine-page.ts';
import { filtered, listQuery } from './form-engine-read.ts';
import { readSettings } from './form-engine-settings.ts';
import { type FormCall, openForRead } from './form-engine-target.ts';
import type { Call, MemberAnswer } from './host-call.ts';
import { refuseParam } from './param-rules.ts';
import { readFlag, readText } from './param-values.ts';

/** Column with the Id of the row above, where the designer's settings do not name another. */
const USUAL_PARENT = 'ParentId';

/** What stands for "no parent" besides null. */
const NO_PARENT: readonly string[] = ['', '0', '00000000-0000-0000-0000-000000000000'];

/**
 * The rows of a list with the rows below each in `_Child`; DataCount counts all of them. `_ParentId` (or
 * `_ParentValue`) reads what is below one row, `_TreeLazy` one level with `_HasChildren`.
 */
export async function getTableDataTree(call: Call): Promise<MemberAnswer> {
  const form = await openForRead(call, 'tree');
  const columns = await treeColumns(form);
  const below = readText(form, '_ParentId') ?? readText(form, '_ParentValue');
  const lazy = readFlag(form, '_TreeLazy');
  const query = withTreeColumns(listQuery(form), columns);
  const filter = lazy ? { ...query, where: [...bracketed(query.where), levelBelow(columns, below)] } : query;
  const total = await form.store.count(filter);
  if (readFlag(form, '_OnlyDataCount')) return succeed([], { DataCount: total });
  const page = readPage(form, total);
  const rows = page.limit === 0 ? [] : await form.store.select({ ...filter, ...page });
  if (lazy) {
    const level = await withHasChildren(form, rows, columns);
    return filtered(form, level as readonly Row[], (left) => succeed(left, { DataCount: total }));
  }
  return filtered(form, rows, (left) => {
    const tree = treeOf(left as readonly Row[], columns, below) ?? refuseParam(columns.parent, 'treeDepth', form.lang);
    return succeed(tree as readonly JsonValue[], { DataCount: total });
  });
}

async function treeColumns(form: FormCall): Promise<TreeColumns> {
  const settings = await readSettings(form.store, form.table);
  if (settings.tree === false) refuseParam(form.table.name, 'notTree', form.lang);
  const parent = findColumn(form.table, settings.parentColumn ?? USUAL_PARENT);
  if (parent === undefined) return refuseParam(settings.parentColumn ?? USUAL_PARENT, 'treeColumn', form.lang);
  return { id: requireColumn(form.table, 'Id', form), parent: parent.name };
}

function withTreeColumns<Q extends { readonly columns: readonly string[] }>(query: Q, { id, parent }: TreeColumns): Q {
  if (query.columns.length === 0) return query;
  return { ...query, columns: [...new Set([...query.columns, id, parent])] };
}

function bracketed(where: readonly WhereNode[]): readonly WhereNode[] {
  return where.length === 0 ? [] : [{ glue: 'and', group: where }];
}

function levelBelow({ parent }: TreeColumns, below: string | undefined): WhereNode {
  if (below !== undefined) return { glue: 'and', column: parent, operator: 'eq', value: below };
  const none: Condition = { glue: 'and', column: parent, operator: 'eq', value: null };
  return { glue: 'and', group: [none, { glue: 'or', column: parent, operator: 'in', value: NO_PARENT }] };
}

/** One more read for the whole level: which of its rows are somebody's parent. */
async function withHasChildren(
  form: FormCall,
  rows: readonly Row[],
  { id, parent }: TreeColumns,
): Promise<readonly JsonObject[]> {
  const ids = rows.map((row) => row[id] ?? null).filter((value) => value !== null);
  const parents = new Set<string>();
  for (const row of ids.length === 0 ? [] : await childrenOf(form, ids, parent)) {
    parents.add(String(row[parent]).toLowerCase());
  }
  return rows.map((row) => ({
    ...row,
    _HasChildren: parents.has(String(row[id]).toLowerCase()),
    [CHILDREN]: [],
  }));
}

function childrenOf(form: FormCall, ids: readonly (string | number)[], parent: string): Promise<readonly Row[]> {
  return form.store.select({
    table: form.table.name,
    columns: [parent],
    where: [{ glue: 'and', column: parent, operator: 'in', value: ids }],
    includeDeleted: false,
    sort: [],
    limit: 100_000,
    offset: 0,
  });
}
