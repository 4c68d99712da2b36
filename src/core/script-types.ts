import type { ColumnKind } from './column-kind.ts';

/** A table with its columns as scripts name them. */
export interface TypedTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
}

/** What the scripts of one tenant can name. */
export interface ScriptNames {
  readonly tables: readonly TypedTable[];
  /** Logical names. */
  readonly queues: readonly string[];
  readonly engines: readonly string[];
}

/** Columns that every table of the platform has (v8-surface.md 2.5). */
export const FIXED_COLUMNS: TypedTable['columns'] = [
  { name: 'Id', kind: 'text' },
  { name: 'CreateTime', kind: 'datetime' },
  { name: 'UpdateTime', kind: 'datetime' },
  { name: 'UserId', kind: 'text' },
  { name: 'UserName', kind: 'text' },
  { name: 'IsDeleted', kind: 'integer' },
];

/** Numbers stay numbers in scripts, everything else is text (v8-surface.md 4.3). */
const TYPE_OF: Readonly<Record<ColumnKind, 'number' | 'string'>> = {
  integer: 'number',
  decimal: 'number',
  boolean: 'number',
  text: 'string',
  datetime: 'string',
  date: 'string',
  time: 'string',
  blob: 'string',
};

const HEAD = `/**
 * 由 v8host types 生成，不要修改：再次运行会覆盖。手工补充的名称写在另一个 .d.ts 文件里。
 * Made by v8host types: do not edit, the next run replaces it. Names of your own go into another .d.ts file.
 *
 * 列为 NULL 时读到 null，类型中从略。A column that is NULL reads as null; the types leave that out.
 */
`;

/**
 * Declarations that fill V8Tables, V8Queues and V8Engines of runtime-types/v8.d.ts. The same names give the same text,
 * whatever their order, so that a repository shows real changes only. Names that differ by case alone are one.
 */
export function renderScriptTypes({ tables, queues, engines }: ScriptNames): string {
  const rows = byName(tables, ({ name }) => name).map(renderTable);
  return [
    HEAD,
    `interface V8Tables {\n${rows.join('')}}\n`,
    `interface V8Queues {\n${renderNames(queues)}}\n`,
    `interface V8Engines {\n${renderNames(engines)}}\n`,
  ].join('\n');
}

function renderTable({ name, columns }: TypedTable): string {
  const fields = distinct(columns, (column) => column.name).map(
    (column) => `    ${property(column.name)}: ${TYPE_OF[column.kind]};\n`,
  );
  return `  ${property(name)}: {\n${fields.join('')}  };\n`;
}

function renderNames(names: readonly string[]): string {
  return byName(names, (name) => name)
    .map((name) => `  ${property(name)}: unknown;\n`)
    .join('');
}

function property(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function byName<T>(list: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const inOrder = (a: T, b: T): number => (nameOf(a).toLowerCase() < nameOf(b).toLowerCase() ? -1 : 1);
  return [...distinct(list, nameOf)].sort(inOrder);
}

/** The first of each name, any case. */
function distinct<T>(list: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const seen = new Map<string, T>();
  for (const item of list) {
    const key = nameOf(item).toLowerCase();
    if (!seen.has(key)) seen.set(key, item);
  }
  return [...seen.values()];
}
