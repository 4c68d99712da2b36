import { fresh, isLockClause } from '../../core/sql-statement.ts';
import { isName, type SqlToken } from '../../core/sql-tokens.ts';
import { rewriteIntervals } from './rewrite-sqlite-interval.ts';

/**
 * MySQL's way to write a statement, in SQLite's: the same script runs on both (defaults.md 10.10). Functions that
 * SQLite lacks are registered (functions-sqlite.ts); what stays different is a row of docs/sql.md.
 */
export function rewriteForSqlite(tokens: readonly SqlToken[]): readonly SqlToken[] {
  return STEPS.reduce((rewritten, step) => step(rewritten), tokens);
}

/** Gives the tokens that stand for those from `at` on, and how many it used; undefined leaves the one at `at` alone. */
type Replace = (tokens: readonly SqlToken[], at: number) => { with: readonly SqlToken[]; used: number } | undefined;

function replaceEach(replace: Replace): (tokens: readonly SqlToken[]) => readonly SqlToken[] {
  return (tokens) => {
    const result: SqlToken[] = [];
    for (let at = 0; at < tokens.length; ) {
      const replaced = replace(tokens, at);
      result.push(...(replaced?.with ?? [tokens[at] as SqlToken]));
      at += replaced?.used ?? 1;
    }
    return result;
  };
}

const isWord = (token: SqlToken | undefined, ...values: readonly string[]): boolean =>
  token?.kind === 'word' && values.includes(token.value);

const isSymbol = (token: SqlToken | undefined, value: string): boolean =>
  token?.kind === 'symbol' && token.value === value;

/** `.now` and `AS now` are names. */
const isColumn = (tokens: readonly SqlToken[], at: number): boolean => isSymbol(tokens[at - 1], '.');

/** Where the bracket that opens at `at` closes; the end of the tokens when it does not. */
export function closingBracket(tokens: readonly SqlToken[], at: number): number {
  let depth = 0;
  for (let i = at; i < tokens.length; i += 1) {
    if (isSymbol(tokens[i], '(')) depth += 1;
    if (isSymbol(tokens[i], ')')) depth -= 1;
    if (depth === 0) return i;
  }
  return tokens.length;
}

/** A text as SQLite reads it: no escapes, and never a name. */
export function literal(value: string, gap = true): SqlToken {
  return { kind: 'string', text: `'${value.replaceAll("'", "''")}'`, value, gap };
}

const texts: Replace = (tokens, at) => {
  const token = tokens[at];
  if (token?.kind !== 'string') return undefined;
  const text = literal(token.value, token.gap);
  const isPattern = isWord(tokens[at - 1], 'like') && token.value.includes('\\') && !isWord(tokens[at + 1], 'escape');
  return { with: isPattern ? [text, ...fresh('escape'), literal('\\')] : [text], used: 1 };
};

/** Written without brackets in MySQL, functions of ours here. */
const CLOCK_WORDS: Readonly<Record<string, string>> = {
  current_timestamp: 'now',
  localtime: 'now',
  localtimestamp: 'now',
  current_date: 'curdate',
  current_time: 'curtime',
  utc_timestamp: 'utc_timestamp',
  utc_date: 'utc_date',
};

const clocks: Replace = (tokens, at) => {
  const token = tokens[at];
  const name = token?.kind === 'word' && !isColumn(tokens, at) ? CLOCK_WORDS[token.value] : undefined;
  if (token === undefined || name === undefined) return undefined;
  const call = { ...token, text: name, value: name };
  return { with: isSymbol(tokens[at + 1], '(') ? [call] : [call, ...fresh('( )')], used: 1 };
};

const OPERATORS: Readonly<Record<string, string>> = {
  '&&': 'and',
  '||': 'or',
  '<=>': 'is',
  // MySQL's division of whole numbers keeps the fraction, SQLite's does not.
  '/': '* 1.0 /',
};

const operators: Replace = (tokens, at) => {
  const token = tokens[at];
  if (isWord(token, 'div') && !isColumn(tokens, at)) return { with: fresh('/'), used: 1 };
  if (isWord(token, 'mod') && !isColumn(tokens, at) && !isSymbol(tokens[at + 1], '('))
    return { with: fresh('%'), used: 1 };
  if (isWord(token, 'straight_join')) return { with: fresh('join'), used: 1 };
  const written = token?.kind === 'symbol' ? OPERATORS[token.value] : undefined;
  return written === undefined ? undefined : { with: withGapAfter(fresh(written), tokens[at + 1]), used: 1 };
};

function withGapAfter(written: SqlToken[], next: SqlToken | undefined): SqlToken[] {
  return next === undefined || next.gap ? written : [...written.slice(0, -1), spaced(written.at(-1) as SqlToken)];
}

/** A word and the one after it must not grow together. */
function spaced(token: SqlToken): SqlToken {
  return { ...token, text: `${token.text} ` };
}

/** Names that SQLite reserves or gives another meaning: as functions they need quotes, or another name. */
const FUNCTION_NAMES: Readonly<Record<string, string>> = {
  insert: '"insert"',
  isnull: '"isnull"',
  length: 'octet_length',
  char_length: 'length',
  character_length: 'length',
  lcase: 'lower',
  ucase: 'upper',
  mid: 'substr',
  ascii: 'unicode',
  format: 'format_number',
  date: 'date_of',
  time: 'time_of',
  left: '"left"',
  right: '"right"',
};

const functionNames: Replace = (tokens, at) => {
  const token = tokens[at];
  const isCall = token?.kind === 'word' && isSymbol(tokens[at + 1], '(') && !isColumn(tokens, at);
  const name = isCall && Object.hasOwn(FUNCTION_NAMES, token.value) ? FUNCTION_NAMES[token.value] : undefined;
  return token === undefined || name === undefined
    ? undefined
    : { with: [{ ...token, text: name, value: name }], used: 1 };
};

/** `EXTRACT(YEAR FROM x)`, `TIMESTAMPDIFF(DAY, a, b)`: the unit is a word; `SUBSTRING(x FROM 2 FOR 3)`. */
const unitArguments = replaceEach((tokens, at) => {
  const [unit, comma] = [tokens[at], tokens[at + 1]];
  const call = isSymbol(tokens[at - 1], '(') ? tokens[at - 2] : undefined;
  if (unit?.kind !== 'word' || !isWord(call, 'extract', 'timestampdiff', 'timestampadd')) return undefined;
  const separated = isSymbol(comma, ',') || isWord(comma, 'from');
  return separated ? { with: [literal(unit.value, false), ...fresh(',')], used: 2 } : undefined;
});

const substringWords = inBrackets(['substring', 'substr'], (inside) =>
  inside.map((token) => (isWord(token, 'from', 'for') ? (fresh(',')[0] as SqlToken) : token)),
);

/** `GROUP_CONCAT(x ORDER BY y SEPARATOR '-')`: the separator is the second argument here. */
const separators = inBrackets(['group_concat'], (inside) => {
  const at = inside.findIndex((token) => isWord(token, 'separator'));
  const separator = inside[at + 1];
  if (at === -1 || separator === undefined) return inside;
  const rest = [...inside.slice(0, at), ...inside.slice(at + 2)];
  const order = rest.findIndex((token, i) => isWord(token, 'order') && isWord(rest[i + 1], 'by'));
  const end = order === -1 ? rest.length : order;
  return [...rest.slice(0, end), ...fresh(','), separator, ...rest.slice(end)];
});

const CAST_TYPES: Readonly<Record<string, string>> = {
  signed: 'integer',
  unsigned: 'integer',
  char: 'text',
  nchar: 'text',
  decimal: 'numeric',
  double: 'real',
  float: 'real',
  json: 'text',
};

/** `CAST(x AS SIGNED)` and `CONVERT(x, SIGNED)`; a cast to a date is a function, because SQLite would make a number. */
const casts = replaceEach((tokens, at) => {
  if (!isWord(tokens[at], 'cast', 'convert') || !isSymbol(tokens[at + 1], '(')) return undefined;
  const end = closingBracket(tokens, at + 1);
  const inside = tokens.slice(at + 2, end);
  const split = lastOuter(inside, isWord(tokens[at], 'cast') ? 'as' : ',');
  const type = inside[split + 1];
  if (split === -1 || type?.kind !== 'word') return undefined;
  const value = casts(inside.slice(0, split));
  const used = end - at + 1;
  if (type.value === 'date') return { with: [...fresh('date_of ('), ...value, ...fresh(')')], used };
  if (type.value === 'datetime') return { with: [...fresh('timestamp ('), ...value, ...fresh(')')], used };
  const name = CAST_TYPES[type.value] ?? type.text;
  return { with: [...fresh('cast ('), ...value, ...fresh(`as ${name} )`)], used };
});

function lastOuter(tokens: readonly SqlToken[], wanted: string): number {
  let depth = 0;
  return tokens.findLastIndex((token) => {
    if (isSymbol(token, ')')) depth += 1;
    if (isSymbol(token, '(')) depth -= 1;
    return depth === 0 && token.value === wanted && token.kind !== 'string' && token.kind !== 'quoted';
  });
}

/** A transaction on SQLite holds the whole file: there is nothing more to lock. */
const locks: Replace = (tokens, at) =>
  isLockClause(tokens, at) ? { with: [], used: lockLength(tokens, at) } : undefined;

function lockLength(tokens: readonly SqlToken[], at: number): number {
  const tail = tokens.findIndex((token, i) => i >= at && isSymbol(token, ')'));
  return (tail === -1 ? tokens.length : tail) - at;
}

/** `FROM DUAL`, and hints about indexes. */
const leftOut: Replace = (tokens, at) => {
  if (isWord(tokens[at], 'from') && isWord(tokens[at + 1], 'dual')) return { with: [], used: 2 };
  const isHint = isWord(tokens[at], 'use', 'force', 'ignore') && isWord(tokens[at + 1], 'index', 'key');
  return isHint && isSymbol(tokens[at + 2], '(')
    ? { with: [], used: closingBracket(tokens, at + 2) - at + 1 }
    : undefined;
};

/** `DATE '2026-01-31'`. */
const dateLiterals: Replace = (tokens, at) =>
  isWord(tokens[at], 'date', 'time', 'timestamp') && tokens[at + 1]?.kind === 'string'
    ? { with: [], used: 1 }
    : undefined;

const MODIFIERS = ['low_priority', 'high_priority', 'delayed', 'quick'];

/** `INSERT IGNORE`, `INSERT t`, `ON DUPLICATE KEY UPDATE a = VALUES(a)`. */
function upserts(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const verb = tokens[0];
  if (!isWord(verb, 'insert', 'replace', 'update', 'delete') || verb === undefined) return tokens;
  let at = 1;
  while (isWord(tokens[at], ...MODIFIERS)) at += 1;
  const ignores = isWord(tokens[at], 'ignore');
  if (ignores) at += 1;
  const isInsert = isWord(verb, 'insert', 'replace');
  const into = isInsert && !isWord(tokens[at], 'into') ? fresh('into') : [];
  const head = [verb, ...(ignores && !isWord(verb, 'delete') ? fresh('or ignore') : []), ...into];
  return isInsert ? [...head, ...conflict(tokens.slice(at))] : [...head, ...tokens.slice(at)];
}

function conflict(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const at = tokens.findIndex((token, i) => isWord(token, 'on') && isWord(tokens[i + 1], 'duplicate'));
  if (at === -1) return tokens;
  const before = tokens.slice(0, at);
  // After a SELECT without WHERE, SQLite would read ON as the condition of a join.
  const isBare = before.some((token) => isWord(token, 'select')) && !before.some((token) => isWord(token, 'where'));
  const excluded = replaceEach((rest, i) =>
    isWord(rest[i], 'values') && isSymbol(rest[i + 1], '(') && isName(rest[i + 2]) && isSymbol(rest[i + 3], ')')
      ? { with: [...fresh('excluded'), dot(), { ...(rest[i + 2] as SqlToken), gap: false }], used: 4 }
      : undefined,
  );
  const start = fresh(isBare ? 'where 1 on conflict do update set' : 'on conflict do update set');
  return [...before, ...start, ...excluded(tokens.slice(at + 4))];
}

const dot = (): SqlToken => ({ kind: 'symbol', text: '.', value: '.', gap: false });

/** Rewrites the arguments of a function, from the inside out. */
function inBrackets(
  names: readonly string[],
  rewrite: (inside: readonly SqlToken[]) => readonly SqlToken[],
): (tokens: readonly SqlToken[]) => readonly SqlToken[] {
  const whole = replaceEach((tokens, at) => {
    if (!isWord(tokens[at], ...names) || !isSymbol(tokens[at + 1], '(')) return undefined;
    const end = closingBracket(tokens, at + 1);
    const inside = rewrite(whole(tokens.slice(at + 2, end)));
    return {
      with: [tokens[at] as SqlToken, tokens[at + 1] as SqlToken, ...inside, ...tokens.slice(end, end + 1)],
      used: end - at + 1,
    };
  });
  return whole;
}

const STEPS: readonly ((tokens: readonly SqlToken[]) => readonly SqlToken[])[] = [
  upserts,
  replaceEach(locks),
  replaceEach(leftOut),
  replaceEach(dateLiterals),
  unitArguments,
  substringWords,
  separators,
  casts,
  rewriteIntervals,
  replaceEach(clocks),
  replaceEach(operators),
  replaceEach(functionNames),
  replaceEach(texts),
];
