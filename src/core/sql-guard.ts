import { accept, type Parsed, refuse } from './errors.ts';
import { tableAccess } from './protected-tables.ts';
import { withCatalogue } from './sql-catalogue.ts';
import { isName, refuseSql, type SqlToken, tokenizeSql } from './sql-tokens.ts';
import { BRACKET_WORDS, FROM_INSIDE, FUNCTIONS, REFUSED_WORDS } from './sql-vocabulary.ts';

/** What a statement does to rows. */
export type SqlVerb = 'select' | 'insert' | 'update' | 'delete' | 'replace';

/** A statement of a script that may be sent, once its parameters are bound (sql-statement.ts). */
export interface GuardedSql {
  readonly verb: SqlVerb;
  /** Without comments and without the closing semicolon. */
  readonly tokens: readonly SqlToken[];
  /** Names that stand where a table does, as written. */
  readonly tables: readonly string[];
}

/** A bracket level. */
interface Level {
  /** What names mean here. */
  clause: 'tables' | 'on' | 'expression' | 'cte';
  /** Inside FROM and its like: a comma brings the next table, also after ON. */
  inFrom: boolean;
  /** The function whose arguments these are. */
  readonly call: string;
}

/**
 * Words after which a level names tables, and those that end it. Only words that both dialects reserve may be here: a
 * table named like another one would end the list of tables early.
 */
const TABLES_FOLLOW: ReadonlySet<string> = new Set(['from', 'join', 'straight_join', 'into', 'table']);
const EXPRESSIONS_FOLLOW: ReadonlySet<string> = new Set(
  'where set group having order limit select values union'.split(' '),
);
/** Words that stand among tables and are none. */
const AMONG_TABLES: ReadonlySet<string> = new Set([
  ...TABLES_FOLLOW,
  ...'as ignore low_priority high_priority delayed quick only left right inner outer cross natural lateral'.split(' '),
]);
const VERBS: ReadonlySet<string> = new Set<SqlVerb>(['select', 'insert', 'update', 'delete', 'replace']);

/**
 * The allow-list for a script's SQL (delivery.md F2, architecture.md 6): one statement that works on rows of the
 * tenant's own tables, names no schema, calls only functions without effects, and reaches no protected table. It is no
 * parser: what is no SQL at all is left to the database. Questions about tables are SELECTs (sql-catalogue.ts). Refusals are SQL_REFUSED, TABLE_UNKNOWN, TABLE_READ_ONLY.
 */
export function guardSql(text: string): Parsed<GuardedSql> {
  const read = tokenizeSql(text);
  return read.ok ? new Guard(withCatalogue(withoutEnd(read.value))).judge() : read;
}

function withoutEnd(tokens: readonly SqlToken[]): readonly SqlToken[] {
  return tokens.slice(0, tokens.findLastIndex((token) => wordOf(token) !== ';') + 1);
}

/** A word or symbol for comparison; empty for names in backticks, texts and parameters, which are never keywords. */
function wordOf(token: SqlToken | undefined): string {
  return token?.kind === 'word' || token?.kind === 'symbol' ? token.value : '';
}

function isReserved(word: string): boolean {
  return VERBS.has(word) || TABLES_FOLLOW.has(word) || EXPRESSIONS_FOLLOW.has(word);
}

type Refusal = ReturnType<typeof refuse>;

/** One walk over a statement's tokens, with what the walk has to remember. */
class Guard {
  readonly #tokens: readonly SqlToken[];
  readonly #levels: Level[] = [{ clause: 'expression', inFrom: false, call: '' }];
  readonly #tables: string[] = [];
  /** Where the last table stands. */
  #tableAt = -1;
  #verb: SqlVerb | undefined;
  /** Between the verb and SET, WHERE or the values: the tables here are written to. */
  #inTarget = false;
  #locks = false;
  #readOnly: string | undefined;
  #at = 0;

  constructor(tokens: readonly SqlToken[]) {
    this.#tokens = tokens;
  }

  judge(): Parsed<GuardedSql> {
    const unfit = this.#judgeOpening();
    if (unfit !== undefined) return unfit;
    for (; this.#at < this.#tokens.length; this.#at += 1) {
      const refusal = this.#judgeToken(this.#tokens[this.#at] as SqlToken);
      if (refusal !== undefined) return refusal;
    }
    if (this.#levels.length !== 1) return refuseSql('(', 'brackets');
    if (this.#verb === undefined) return refuseSql('WITH', 'statement');
    if (this.#locks && this.#readOnly !== undefined) return refuse('TABLE_READ_ONLY', { table: this.#readOnly });
    return accept({ verb: this.#verb, tokens: this.#tokens, tables: [...new Set(this.#tables)] });
  }

  /** `(SELECT …) UNION …` is the one statement that begins with brackets. */
  #judgeOpening(): Refusal | undefined {
    const [first] = this.#tokens;
    if (first === undefined) return refuseSql('SQL', 'empty');
    const opening = this.#tokens.find((token) => wordOf(token) !== '(') ?? first;
    const word = wordOf(opening);
    const fits = opening === first ? VERBS.has(word) || word === 'with' : word === 'select';
    return fits ? undefined : refuseSql(opening.text, 'statement');
  }

  get #level(): Level {
    return this.#levels.at(-1) as Level;
  }

  /** The word or symbol some steps before; negative steps look ahead. */
  #word(steps: number): string {
    return wordOf(this.#tokens[this.#at - steps]);
  }

  #judgeToken(token: SqlToken): Refusal | undefined {
    switch (token.kind) {
      case 'symbol':
        return this.#judgeSymbol(token);
      case 'word':
        return this.#judgeWord(token) ?? this.#judgeName(token);
      case 'quoted':
        return this.#judgeName(token);
      case 'string':
        return this.#judgeText(token);
      case 'number':
        // `1.t` might be read as a qualified name.
        return this.#level.clause === 'tables' && token.text.includes('.')
          ? refuseSql(token.text, 'schema')
          : undefined;
      case 'parameter':
        return undefined;
    }
  }

  #judgeText(token: SqlToken): Refusal | undefined {
    // `_latin1'…'` reads a text in another character set.
    if (this.#word(1).startsWith('_')) return refuseSql(this.#word(1), 'word');
    const isTable = this.#level.clause === 'tables' && this.#word(1) !== 'as';
    return isTable ? refuseSql(token.text, 'textAsTable') : undefined;
  }

  #judgeSymbol({ value }: SqlToken): Refusal | undefined {
    switch (value) {
      case ';':
        return refuseSql(';', 'several');
      case '(':
        return this.#openBracket();
      case ')':
        this.#levels.pop();
        return this.#levels.length === 0 ? refuseSql(')', 'brackets') : undefined;
      case ',':
        if (this.#level.inFrom) this.#level.clause = 'tables';
        return undefined;
      case '.':
        return this.#judgeDot();
      default:
        return undefined;
    }
  }

  /** A table's name has no dot, a column's at most one: what stands before it is then a table of this statement. */
  #judgeDot(): Refusal | undefined {
    const [before, after] = [this.#tokens[this.#at - 1], this.#tokens[this.#at + 1]];
    const isDeep = this.#word(2) === '.' || this.#word(-2) === '.' || this.#word(-2) === '(';
    const qualified = `${before?.text ?? ''}.${after?.text ?? ''}`;
    if (isDeep || this.#level.clause === 'tables') return refuseSql(qualified, 'schema');
    // After blanks a word may be a keyword again.
    const isColumn = wordOf(after) === '*' || after?.kind === 'quoted' || (after?.kind === 'word' && !after.gap);
    // A reserved word is nobody's name, so what stands before the dot ends there for the database.
    return isName(before) && !isReserved(wordOf(before)) && isColumn ? undefined : refuseSql(qualified, 'dot');
  }

  #openBracket(): Refusal | undefined {
    const before = this.#tokens[this.#at - 1];
    if (this.#continuesTables(before)) {
      this.#levels.push({ clause: 'tables', inFrom: true, call: '' });
      return undefined;
    }
    const called = isName(before) && !this.#followsColumnOwner() ? before : undefined;
    const word = wordOf(called);
    const isAllowed = called === undefined || BRACKET_WORDS.has(word) || FUNCTIONS.has(word);
    if (!isAllowed) return refuseSql(`${called.text}(`, 'call');
    this.#levels.push({ clause: 'expression', inFrom: false, call: word });
    return undefined;
  }

  /** `FROM (a JOIN b)`: tables in brackets. */
  #continuesTables(before: SqlToken | undefined): boolean {
    if (this.#level.clause !== 'tables') return false;
    return ['(', ','].includes(wordOf(before)) || AMONG_TABLES.has(wordOf(before)) || VERBS.has(wordOf(before));
  }

  /** `INSERT INTO t (a)`, `WITH c (a) AS`, `(SELECT …) AS x (a)`: the bracket holds columns. */
  #followsColumnOwner(): boolean {
    if (this.#level.clause === 'cte') return ['with', 'recursive', ','].includes(this.#word(2));
    if (this.#word(2) === 'as') return this.#level.call !== 'cast';
    return this.#inTarget && this.#isInsert && this.#levels.length === 1 && this.#tableAt === this.#at - 1;
  }

  get #isInsert(): boolean {
    return this.#verb === 'insert' || this.#verb === 'replace';
  }

  #judgeWord(token: SqlToken): Refusal | undefined {
    const { value } = token;
    const before = this.#word(1);
    if (before === '.') return undefined;
    if (REFUSED_WORDS.has(value)) return refuseSql(token.text, 'word');
    // SQLite's `INSERT OR ROLLBACK` ends the transaction (F1).
    if (value === 'or' && VERBS.has(before)) return refuseSql(`${before} or`, 'conflict');
    if (value === 'for' && (before === 'value' || this.#word(1) === 'previous')) return refuseSql('value for', 'word');
    if (this.#beginsStatement(value)) this.#begin(value);
    else return this.#judgeClause(value);
    return undefined;
  }

  /** The verb that says what the statement does; of a WITH it stands outside the brackets. */
  #beginsStatement(value: string): boolean {
    if (this.#verb !== undefined) return false;
    if (value === 'with') return this.#at === 0;
    return VERBS.has(value) && (this.#levels.length === 1 || wordOf(this.#tokens[0]) === '(');
  }

  #begin(value: string): void {
    const level = this.#level;
    if (value === 'with') {
      level.clause = 'cte';
      return;
    }
    this.#verb = value as SqlVerb;
    this.#inTarget = value !== 'select';
    level.clause = this.#inTarget ? 'tables' : 'expression';
    level.inFrom = this.#inTarget;
  }

  #judgeClause(value: string): Refusal | undefined {
    const level = this.#level;
    const isOuter = this.#levels.length === 1;
    if (value === 'into' && !this.#isInsertInto()) return refuseSql('INTO', 'into');
    if (value === 'lock' || (value === 'for' && ['update', 'share'].includes(this.#word(-1)))) this.#locks = true;
    if (TABLES_FOLLOW.has(value) && !(value === 'from' && FROM_INSIDE.has(level.call))) {
      level.clause = 'tables';
      level.inFrom = true;
    } else if (value === 'using' && this.#verb === 'delete' && isOuter) {
      level.clause = 'tables';
    } else if (value === 'on' && level.inFrom) {
      level.clause = 'on';
    } else if (EXPRESSIONS_FOLLOW.has(value) || this.#endsDuplicateKey(value)) {
      level.clause = 'expression';
      level.inFrom = false;
      if (isOuter) this.#inTarget = false;
    }
    return undefined;
  }

  /** What follows `ON DUPLICATE KEY` are columns; KEY is reserved, so no expression of a join looks like it. */
  #endsDuplicateKey(value: string): boolean {
    return value === 'key' && this.#word(1) === 'duplicate' && this.#word(2) === 'on';
  }

  #isInsertInto(): boolean {
    return this.#isInsert && this.#inTarget && this.#tables.length === 0;
  }

  /** Hidden tables are refused wherever their name stands, so that no way of writing a statement reaches them. */
  #judgeName(token: SqlToken): Refusal | undefined {
    const access = tableAccess(foldName(token.value));
    if (access === 'hidden') return refuse('TABLE_UNKNOWN', { table: token.value.slice(0, 60) });
    if (access === 'read') {
      if (this.#inTarget) return refuse('TABLE_READ_ONLY', { table: token.value });
      this.#readOnly = token.value;
    }
    if (this.#isTable(token)) {
      this.#tables.push(token.value);
      this.#tableAt = this.#at;
    }
    return undefined;
  }

  #isTable(token: SqlToken): boolean {
    const word = wordOf(token);
    if (this.#level.clause !== 'tables' || AMONG_TABLES.has(word) || VERBS.has(word)) return false;
    return this.#word(1) !== 'as' && this.#continuesTables(this.#tokens[this.#at - 1]);
  }
}

/** As the most generous comparison of a database would read it: full-width letters, the Kelvin sign, any case. */
function foldName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase();
}
