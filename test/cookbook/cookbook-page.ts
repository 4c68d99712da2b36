/** The files that docs/cookbook.md shows: what people copy is what the tests run. */
import { readFileSync } from 'node:fs';

/** A fence that names a file, such as "```js stock-out.js". */
const FILE = /^```(js|json|sql) ?(\S*)\n(.*?)^```$/gms;

export interface CookbookPage {
  /** Scripts by the name of their file. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly tables: unknown;
  /** What stands before every script of the tenant. */
  readonly globalCode: string;
  /** Statements for the tenant's database. */
  readonly sql: readonly string[];
  /** Statement for the other database of recipe 20. */
  readonly archive: string;
}

/** Reads the page in a language. */
export function readCookbook(name: 'cookbook.md' | 'cookbook.zh-CN.md'): CookbookPage {
  const text = readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(FILE)].map(([, kind, file = '', body = '']) => ({ kind, file, body }));
  const named = (wanted: string) => blocks.find(({ file }) => file === wanted)?.body ?? '';
  return {
    scripts: Object.fromEntries(
      blocks.filter(({ file }) => file.endsWith('.js')).map(({ file, body }) => [file, body]),
    ),
    tables: JSON.parse(named('tables.json')),
    globalCode: named('GlobalServerV8Code'),
    sql: blocks.filter(({ kind, file }) => kind === 'sql' && file === '').map(({ body }) => body),
    archive: named('archive.db'),
  };
}

/** A script without what is said in one language: comments and the prose of its header. */
export function codeOf(script: string): string {
  const isSaid = (line: string) => /^\s*\/\//.test(line) || (/^ \* /.test(line) && !/^ \* @/.test(line));
  return script
    .split('\n')
    .filter((line) => !isSaid(line))
    .join('\n');
}
