import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { printable } from './printable.ts';

/**
 * A token of a script's SQL. Scripts write MySQL's dialect (v8-surface.md 4.2), read with the modes that the host sets
 * for its sessions: a backslash escapes, double quotes hold text, backticks hold names.
 */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'symbol';
  /** As it is written. */
  readonly text: string;
  /** A word in lower case; a quoted name, a string's text or a parameter's name without its marks. */
  readonly value: string;
  /** Blanks or a comment stand before it. */
  readonly gap: boolean;
}

/** Longest statement of a script. Characters. */
export const MAX_SQL_LENGTH = 256 * 1024;

const BLANK = /[ \t\r\n\f\v]+/y;
const COMMENT = /\/\*[\s\S]*?\*\/|#[^\n]*|--(?=[ \t\r\n\f\v]|$)[^\n]*/y;
/** Run by MySQL and MariaDB, a comment to everybody else (delivery.md F2). */
const EXECUTABLE_COMMENT = /\/\*(?:!|M!)/y;
const NUMBER = /0[xX][0-9A-Fa-f]+\b|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const WORD = /[\p{L}\p{M}\p{N}_$\u0080-\uffff]+/uy;
const PARAMETER = /@([\p{L}_][\p{L}\p{N}_]*)/uy;
const QUOTED = /`((?:[^`]|``)*)`/y;
const STRING = /'(?:[^'\\]|''|\\[\s\S])*'|"(?:[^"\\]|""|\\[\s\S])*"/y;
const SYMBOL = /->>|<=>|->|<=|>=|<>|!=|<<|>>|&&|\|\||[-+*/%=<>!~^&|(),.;]/y;

const ESCAPES: Readonly<Record<string, string>> = { 0: '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1a' };

/** Splits a statement into tokens; comments become gaps. Refuses what no token of an allowed statement can be. */
export function tokenizeSql(text: string): Parsed<readonly SqlToken[]> {
  if (text.length > MAX_SQL_LENGTH) return refuseSql(`${text.length}`, 'tooLong');
  if (text.includes('\0')) return refuseSql('\\0', 'character');
  const tokens: SqlToken[] = [];
  let gap = false;
  for (let at = 0; at < text.length; ) {
    if (match(EXECUTABLE_COMMENT, text, at)) return refuseSql('/*!', 'executableComment');
    const skipped = match(BLANK, text, at) ?? match(COMMENT, text, at);
    if (skipped) {
      gap = true;
      at += skipped[0].length;
      continue;
    }
    const token = text.startsWith('/*', at) ? undefined : readToken(text, at, gap, tokens.at(-1));
    if (token === undefined) return refuseSql(text.slice(at, at + 20), brokenAt(text, at));
    tokens.push(token);
    gap = false;
    at += token.text.length;
  }
  return accept(tokens);
}

function readToken(text: string, at: number, gap: boolean, before: SqlToken | undefined): SqlToken | undefined {
  // `schema.5table` is a qualified name, and `.5` in it no number.
  if (text[at] === '.' && isName(before)) return { kind: 'symbol', text: '.', value: '.', gap };
  const number = match(NUMBER, text, at)?.[0];
  const word = match(WORD, text, at)?.[0];
  // `2024_log` is a name: MySQL lets names begin with a digit.
  if (number !== undefined && number.length >= (word?.length ?? 0))
    return { kind: 'number', text: number, value: number, gap };
  if (word !== undefined) return { kind: 'word', text: word, value: word.toLowerCase(), gap };
  const parameter = match(PARAMETER, text, at);
  if (parameter) return { kind: 'parameter', text: parameter[0], value: parameter[1] ?? '', gap };
  const quoted = match(QUOTED, text, at);
  if (quoted) return { kind: 'quoted', text: quoted[0], value: (quoted[1] ?? '').replaceAll('``', '`'), gap };
  const string = match(STRING, text, at)?.[0];
  if (string !== undefined) return { kind: 'string', text: string, value: textOf(string), gap };
  const symbol = match(SYMBOL, text, at)?.[0];
  return symbol === undefined ? undefined : { kind: 'symbol', text: symbol, value: symbol, gap };
}

/** A name, with backticks or without. */
export function isName(token: SqlToken | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted';
}

/** The text of a literal. `\%` and `\_` stay as they are: LIKE reads them. */
function textOf(literal: string): string {
  const quote = literal[0] ?? '';
  return literal.slice(1, -1).replace(/\\([\s\S])|''|""/g, (pair, escaped: string | undefined) => {
    if (escaped === undefined) return pair[0] === quote ? quote : pair;
    if (escaped === '%' || escaped === '_') return pair;
    return ESCAPES[escaped] ?? escaped;
  });
}

function brokenAt(text: string, at: number): SqlRule {
  if (text[at] === '@') return 'variable';
  if (text[at] === '?') return 'placeholder';
  if (text[at] === ':') return 'assignment';
  return /['"`]/.test(text[at] ?? '') || text.startsWith('/*', at) ? 'unterminated' : 'character';
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

const RULES = {
  tooLong: bilingual('语句超过 262,144 个字符', 'the statement is longer than 262,144 characters'),
  character: bilingual('SQL 中不能有这个字符', 'this character has no place in SQL'),
  unterminated: bilingual('引号或注释没有结束', 'a quote or a comment is not closed'),
  executableComment: bilingual('不允许可执行注释', 'executable comments are not allowed'),
  variable: bilingual(
    '不能使用变量：参数写成 @名称，由 AddInParameter 给值',
    'variables are not allowed: write a parameter as @name and give its value by AddInParameter',
  ),
  placeholder: bilingual('参数写成 @名称，不写 ?', 'a parameter is written @name, not ?'),
  assignment: bilingual('不允许 : 和 :=，参数写成 @名称', ': and := are not allowed; a parameter is written @name'),
  empty: bilingual('语句为空', 'the statement is empty'),
  statement: bilingual(
    '只允许 SELECT、INSERT、UPDATE、DELETE、REPLACE、WITH',
    'only SELECT, INSERT, UPDATE, DELETE, REPLACE and WITH are allowed',
  ),
  several: bilingual('一次只能执行一条语句', 'one statement at a time'),
  schema: bilingual('只能写表名，不能带库名', 'write the table alone, without a schema'),
  dot: bilingual('列写成 表.列，中间不能有空格', 'a column is written table.column, without blanks'),
  textAsTable: bilingual('表名不能写成文本', 'a table is no text'),
  call: bilingual('不允许调用这个函数', 'this function is not allowed'),
  into: bilingual('不允许 SELECT … INTO', 'SELECT … INTO is not allowed'),
  word: bilingual('脚本中不允许', 'not allowed in a script'),
  conflict: bilingual(
    '不允许 OR ROLLBACK 之类的写法，请用 INSERT IGNORE 或 REPLACE',
    'OR ROLLBACK and its like are not allowed: use INSERT IGNORE or REPLACE',
  ),
  brackets: bilingual('括号不成对', 'the brackets do not match'),
} as const;

/** Name of a rule that a script's SQL can break. */
export type SqlRule = keyof typeof RULES;

/** Refuses a statement because of one part of it. */
export function refuseSql(part: string, rule: SqlRule): ReturnType<typeof refuse> {
  return refuse('SQL_REFUSED', { part: printable(part).slice(0, 60), rule: RULES[rule] });
}
