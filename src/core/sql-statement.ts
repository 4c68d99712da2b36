import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { DEFAULT_ROWS_PER_READ, MAX_ROWS_PER_READ } from './run-limits.ts';
import type { GuardedSql } from './sql-guard.ts';
import type { SqlToken } from './sql-tokens.ts';
import type { SqlValue } from './sql-value.ts';

/** What a script gives for one parameter: a list goes into `IN (@ids)`. */
export type SqlParameter = SqlValue | boolean | readonly SqlValue[];

/** Parameters by name, without the mark and in lower case: names are compared as the platform's driver does. */
export type SqlParameters = ReadonlyMap<string, SqlParameter>;

/** A statement as a driver takes it: `?` for each value, in their order. */
export interface BoundSql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** Longest list of one parameter, as of `_Where` and `Ids`. */
const MAX_LIST = 10_000;

/** Marks that a parameter's name may carry where its value is given (v8-surface.md 4.2). */
export function parameterKey(name: string): string {
  return name
    .trim()
    .replace(/^[@:?]/, '')
    .toLowerCase();
}

/** How many rows a statement may give: its own LIMIT lifts the limit of a careless one. */
export function rowLimit({ tokens, verb }: GuardedSql): number {
  return verb === 'select' && outerLimit(tokens) === -1 ? DEFAULT_ROWS_PER_READ : MAX_ROWS_PER_READ;
}

/** A SELECT without a LIMIT gets one just above the limit, so that the database does not read on in vain. */
export function withLimit({ tokens, verb }: GuardedSql): readonly SqlToken[] {
  if (verb !== 'select' || outerLimit(tokens) !== -1) return tokens;
  const lock = outerIndex(tokens, (at) => isLockClause(tokens, at));
  const end = lock === -1 ? tokens.length : lock;
  return [...tokens.slice(0, end), ...fresh(`limit ${DEFAULT_ROWS_PER_READ + 1}`), ...tokens.slice(end)];
}

/** True where `FOR UPDATE`, `FOR SHARE` or `LOCK IN SHARE MODE` begins. */
export function isLockClause(tokens: readonly SqlToken[], at: number): boolean {
  const [word, next] = [tokens[at], tokens[at + 1]];
  if (word?.kind !== 'word' || next?.kind !== 'word') return false;
  return (
    (word.value === 'for' && ['update', 'share'].includes(next.value)) || (word.value === 'lock' && next.value === 'in')
  );
}

/** Tokens of a text of ours: words, numbers and symbols between blanks. */
export function fresh(text: string): SqlToken[] {
  return text.split(' ').map((part) => ({
    kind: /^\d/.test(part) ? 'number' : /^\w/.test(part) ? 'word' : 'symbol',
    text: part,
    value: part,
    gap: true,
  }));
}

/** Writes tokens as text, with every parameter bound. @returns PARAM_MISSING, PARAM_INVALID naming the parameter. */
export function bindSql(tokens: readonly SqlToken[], parameters: SqlParameters): Parsed<BoundSql> {
  let text = '';
  const values: SqlValue[] = [];
  for (const [at, token] of tokens.entries()) {
    text += needsGap(token, tokens[at - 1]) ? ' ' : '';
    if (token.kind !== 'parameter') {
      text += token.text;
      continue;
    }
    const bound = bindParameter(token, parameters, isListPlace(tokens, at));
    if (!bound.ok) return bound;
    text += bound.value.length === 0 ? 'null' : bound.value.map(() => '?').join(', ');
    values.push(...bound.value);
  }
  return accept({ text, values });
}

/** `- -` and `/ *` must not become comments. */
function needsGap(token: SqlToken, before: SqlToken | undefined): boolean {
  return token.gap || (token.kind === 'symbol' && before?.kind === 'symbol' && /^[-/*]$/.test(before.text));
}

function bindParameter(token: SqlToken, parameters: SqlParameters, takesList: boolean): Parsed<readonly SqlValue[]> {
  const value = parameters.get(parameterKey(token.value));
  if (value === undefined) return refuse('PARAM_MISSING', { field: token.text });
  if (typeof value === 'boolean') return accept([value ? 1 : 0]);
  if (!isList(value)) return accept([value]);
  if (!takesList || value.length > MAX_LIST) return refuse('PARAM_INVALID', { field: token.text, rule: LIST });
  return accept(value);
}

const LIST = bilingual(
  `数组只能写在 IN (@名称) 里，最多 ${MAX_LIST} 个值`,
  `a list is for IN (@name) alone, with at most ${MAX_LIST} values`,
);

function isList(value: SqlParameter): value is readonly SqlValue[] {
  return Array.isArray(value);
}

/** `IN (@ids)`, with nothing else in the brackets. */
function isListPlace(tokens: readonly SqlToken[], at: number): boolean {
  return tokens[at - 1]?.text === '(' && tokens[at - 2]?.value === 'in' && tokens[at + 1]?.text === ')';
}

function outerLimit(tokens: readonly SqlToken[]): number {
  return outerIndex(tokens, (at) => tokens[at]?.kind === 'word' && tokens[at]?.value === 'limit');
}

/** Where something begins outside of all brackets; -1 when it does not. */
function outerIndex(tokens: readonly SqlToken[], isThere: (at: number) => boolean): number {
  let depth = 0;
  return tokens.findIndex(({ kind, text }, at) => {
    if (kind === 'symbol' && text === '(') depth += 1;
    if (kind === 'symbol' && text === ')') depth -= 1;
    return depth === 0 && isThere(at);
  });
}
