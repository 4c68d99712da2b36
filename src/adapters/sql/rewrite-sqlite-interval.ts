import { fresh } from '../../core/sql-statement.ts';
import { isName, type SqlToken } from '../../core/sql-tokens.ts';

/**
 * `DATE_ADD(x, INTERVAL n DAY)` and `x - INTERVAL n DAY`, as calls that SQLite can parse: `date_add(x, n, 'day')`.
 */
export function rewriteIntervals(tokens: readonly SqlToken[]): readonly SqlToken[] {
  let result = tokens;
  for (let at = find(result); at !== -1; at = find(result)) {
    const next = isSymbol(result[at - 1], ',') ? asArguments(result, at) : asCall(result, at);
    if (next === undefined) return result;
    result = next;
  }
  return result;
}

const isSymbol = (token: SqlToken | undefined, value: string): boolean =>
  token?.kind === 'symbol' && token.value === value;

/** The word before an amount; `INTERVAL(` with several arguments is another function, and rare. */
function find(tokens: readonly SqlToken[]): number {
  return tokens.findIndex(
    (token, at) =>
      token.kind === 'word' && token.value === 'interval' && [',', '+', '-'].includes(tokens[at - 1]?.text ?? ''),
  );
}

/** The unit is the word after the amount, which may be any expression of one level. */
function unitAfter(tokens: readonly SqlToken[], at: number): number {
  let depth = 0;
  for (let i = at + 1; i < tokens.length; i += 1) {
    const token = tokens[i] as SqlToken;
    if (isSymbol(token, '(')) depth += 1;
    if (isSymbol(token, ')')) depth -= 1;
    if (depth < 0) return -1;
    if (depth === 0 && token.kind === 'word' && UNITS.has(token.value) && i > at + 1) return i;
  }
  return -1;
}

const UNITS: ReadonlySet<string> = new Set('microsecond second minute hour day week month quarter year'.split(' '));

function asArguments(tokens: readonly SqlToken[], at: number): readonly SqlToken[] | undefined {
  const unit = unitAfter(tokens, at);
  if (unit === -1) return undefined;
  return [
    ...tokens.slice(0, at),
    ...tokens.slice(at + 1, unit),
    ...unitText(tokens[unit] as SqlToken),
    ...tokens.slice(unit + 1),
  ];
}

function asCall(tokens: readonly SqlToken[], at: number): readonly SqlToken[] | undefined {
  const unit = unitAfter(tokens, at);
  const start = operandBefore(tokens, at - 1);
  if (unit === -1 || start === undefined) return undefined;
  const name = isSymbol(tokens[at - 1], '+') ? 'date_add' : 'date_sub';
  return [
    ...tokens.slice(0, start),
    ...fresh(`${name} (`),
    ...tokens.slice(start, at - 1),
    ...fresh(','),
    ...tokens.slice(at + 1, unit),
    ...unitText(tokens[unit] as SqlToken),
    ...fresh(')'),
    ...tokens.slice(unit + 1),
  ];
}

function unitText(unit: SqlToken): readonly SqlToken[] {
  return [...fresh(','), { kind: 'string', text: `'${unit.value}'`, value: unit.value, gap: true }];
}

/** Where the value left of an operator begins: a call, a bracket, a column, a parameter or a text. */
function operandBefore(tokens: readonly SqlToken[], operator: number): number | undefined {
  let at = operator - 1;
  if (isSymbol(tokens[at], ')')) {
    at = openingBracket(tokens, at);
    if (at < 0) return undefined;
    return isName(tokens[at - 1]) && !KEYWORDS.has(tokens[at - 1]?.value ?? '') ? at - 1 : at;
  }
  if (tokens[at]?.kind === 'symbol' || tokens[at] === undefined) return undefined;
  while (isSymbol(tokens[at - 1], '.') && isName(tokens[at - 2])) at -= 2;
  return at;
}

/** Before a bracket these call nothing. */
const KEYWORDS: ReadonlySet<string> = new Set(
  'and or not in where on when then else select between by having set'.split(' '),
);

function openingBracket(tokens: readonly SqlToken[], closing: number): number {
  let depth = 0;
  for (let i = closing; i >= 0; i -= 1) {
    if (isSymbol(tokens[i], ')')) depth += 1;
    if (isSymbol(tokens[i], '(')) depth -= 1;
    if (depth === 0) return i;
  }
  return -1;
}
