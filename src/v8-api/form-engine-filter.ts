/** Which rows a FormEngine call means: `Id`, `Ids`, `_Where` and `_Keyword`, all of which must hold. */
import { AppError, orThrow } from '../core/errors.ts';
import { type Condition, parseWhere, type WhereNode } from '../core/where.ts';
import type { Filter } from '../ports/table-store.ts';
import { warnAuthor } from './author-warning.ts';
import { findColumn, requireColumn } from './form-engine-columns.ts';
import type { FormCall } from './form-engine-target.ts';
import { refuseParam } from './param-rules.ts';
import { asText, type CallParam, readFlag, readText } from './param-values.ts';

/** Most Ids in one call: a statement takes a limited number of bound values. */
const MAX_IDS = 10_000;

/** Longest keyword. Characters. */
const MAX_KEYWORD = 1_000;

/** Columns that a keyword does not search: the platform fills them. */
const NO_KEYWORD: ReadonlySet<string> = new Set(['id', 'userid', 'username']);

/** The conditions of `_Where`; none when it is absent or empty. @throws AppError WHERE_INVALID. */
export function whereConditions(form: FormCall): readonly WhereNode[] {
  // `needed && [...]` leaves false where no condition is wanted.
  const where = form.values._Where || undefined;
  const { clock } = form.call.context;
  return orThrow(
    parseWhere(where, {
      table: form.table.name,
      columns: form.table.columns,
      localText: (millis) => clock.localText(millis),
      lang: form.lang,
    }),
  );
}

/** The rows of a read. `IsDeleted: 1` lists the recycle bin (v8-surface.md 2.3). */
export function readFilter(form: FormCall): Filter {
  warnOfIgnoredColumns(form);
  const bin = readFlag(form, 'IsDeleted');
  const where = [...readConditions(form), ...(bin ? [inRecycleBin(form)] : [])];
  return { table: form.table.name, where, includeDeleted: bin || readFlag(form, '_IsContainDeleted') };
}

function readConditions(form: FormCall): readonly WhereNode[] {
  const id = readText(form, 'Id');
  const ids = readIds(form);
  const keyword = readText(form, '_Keyword');
  return [
    ...(id === undefined ? [] : [hasId(form, [id])]),
    ...(ids === undefined ? [] : [hasId(form, ids)]),
    ...(keyword === undefined ? [] : [hasKeyword(form, keyword)]),
    ...grouped(whereConditions(form)),
  ];
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

/** One part, so that what is added by AND holds for each of its alternatives. */
function grouped(where: readonly WhereNode[]): readonly WhereNode[] {
  return where.length === 0 ? [] : [{ glue: 'and', group: where }];
}

/** Rows with the word in any column of text. */
function hasKeyword(form: FormCall, word: string): WhereNode {
  const columns = form.table.columns.filter(({ name, kind }) => kind === 'text' && !NO_KEYWORD.has(name.toLowerCase()));
  if (word.length > MAX_KEYWORD) return refuseParam('_Keyword', 'keywordLength', form.lang);
  if (columns.length === 0) return refuseParam('_Keyword', 'noTextColumn', form.lang);
  return {
    glue: 'and',
    group: columns.map(({ name }) => ({ glue: 'or', column: name, operator: 'like', value: word })),
  };
}

function inRecycleBin(form: FormCall): Condition {
  return { glue: 'and', column: requireColumn(form.table, 'IsDeleted', form), operator: 'eq', value: 1 };
}

/** Rows that `_Where` of a write names. @throws AppError WHERE_REQUIRED without a condition. */
export function requiredWhere(form: FormCall, method: string): readonly WhereNode[] {
  const where = whereConditions(form);
  if (where.length === 0) throw new AppError('WHERE_REQUIRED', { method });
  return where;
}

/** `{State: 'new'}` in a read selects nothing on the platform either; its author should hear of it. */
function warnOfIgnoredColumns(form: FormCall): void {
  const ignored = Object.keys(form.values).filter(
    (key) => key !== 'Id' && key !== 'IsDeleted' && findColumn(form.table, key) !== undefined,
  );
  if (ignored.length === 0) return;
  const names = ignored.join(', ');
  warnAuthor(form.call, {
    zh: `读取 ${form.table.name} 时忽略了 ${names}：列值不是条件，请写进 _Where。`,
    en: `reading ${form.table.name} ignored ${names}: column values are no conditions, put them into _Where.`,
  });
}
