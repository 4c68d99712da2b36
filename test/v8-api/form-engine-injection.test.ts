/**
 * What a script passes never becomes SQL: of every statement that FormEngine sends, on both dialects, the text consists
 * of known words and of names that the catalogue gave; everything else is bound.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createMysqlDialect } from '../../src/adapters/sql/dialect-mysql.ts';
import { sqliteDialect } from '../../src/adapters/sql/dialect-sqlite.ts';
import { kyselyOver } from '../../src/adapters/sql/kysely-session.ts';
import { ShapedStatements } from '../../src/adapters/sql/shaped-statements.ts';
import type { SqlDialect } from '../../src/adapters/sql/sql-dialect.ts';
import type { ScriptDb } from '../../src/adapters/sql/system-tables.ts';
import { SqlTableStore, targetOver } from '../../src/adapters/sql/table-store.ts';
import { tableAccess } from '../../src/core/protected-tables.ts';
import type { TableInfo } from '../../src/ports/table-store.ts';
import type { HostCallName } from '../../src/protocol/host-call-names.ts';
import { ScriptRun } from '../support/script-run.ts';

const COLUMNS: TableInfo['columns'] = [
  { name: 'Id', kind: 'text' },
  { name: 'CreateTime', kind: 'datetime' },
  { name: 'UpdateTime', kind: 'datetime' },
  { name: 'IsDeleted', kind: 'integer' },
  { name: 'ParentId', kind: 'text' },
  { name: 'Sku', kind: 'text' },
  { name: 'Qty', kind: 'integer' },
  { name: 'Price', kind: 'decimal' },
];

/** The whole database: one table of the tenant, one that scripts read only, one that they must not see. */
const CATALOGUE = ['lab_item', 'sys_log', 'mq_inbox'];

/** As the schema cache answers, any case of the name. */
async function describe(name: string): Promise<TableInfo | undefined> {
  const known = CATALOGUE.find((table) => table === name.toLowerCase());
  const access = tableAccess(name);
  if (known === undefined || access === 'hidden') return undefined;
  return { name: known, columns: COLUMNS, writable: access === 'write' };
}

/** Words of the host's own statements, and the names of the catalogue in quotes. */
const WORDS = new Set(
  `select from where and or not in like escape is null order by desc asc limit offset count as insert into values
   update set delete cast decimal default`.split(/\s+/),
);
const NAMES = new Set([...COLUMNS.map(({ name }) => name), 'lab_item', 'sys_log', 'rows']);

function assertOwnWords(text: string): void {
  const rest = text.replace(/["`]([^"`]*)["`]/g, (_, name: string) => {
    assert.ok(NAMES.has(name), `a name that is not the catalogue's: ${name} in ${text}`);
    return ' ';
  });
  const words = rest.replace(/escape '\\'/g, 'escape').replace(/\(65,30\)/g, '');
  assert.match(words, /^[a-z ,.()<>=?*1]*$/i, text);
  for (const word of words.match(/[a-z]+/gi) ?? []) assert.ok(WORDS.has(word.toLowerCase()), `${word} in ${text}`);
}

interface Seen {
  readonly statements: string[];
  readonly run: ScriptRun;
}

function openOn(dialect: SqlDialect): Seen {
  const statements: string[] = [];
  const db: ScriptDb = kyselyOver(dialect, async (query) => {
    statements.push(query.sql);
    // One row for a count; a select finds it, too, which makes every branch behind it run.
    return { rows: [{ rows: 1, Id: 'x', ParentId: null }], numAffectedRows: 0n };
  });
  const store = new SqlTableStore(
    { describe, dialect, statements: new ShapedStatements() },
    targetOver(db, (work) => work()),
  );
  return { statements, run: new ScriptRun({ tables: store, lang: 'en' }) };
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    "' or 1=1 --",
    '"; drop table lab_item; --',
    '`; delete from sys_log; #',
    "x' union select * from mq_inbox --",
    'sys_osclients',
    'mq_inbox',
    'other_tenant.lab_item',
    'lab_item; select 1',
    'lab_item" join "mq_inbox',
    '*',
    '1=1',
    'Id` desc, (select 1)',
    '\u0000',
    '__proto__',
    'constructor',
    '$trans',
  ),
);
const names = fc.oneof(
  { weight: 1, arbitrary: hostile },
  { weight: 3, arbitrary: fc.constantFrom('lab_item', 'Sku', 'qty', 'Price', 'LAB_ITEM.Sku', 'Id') },
);
const values = fc.oneof(
  hostile,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('7', '1.5'),
);
const operators = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('=', '<>', '>', 'In', 'NotIn', 'Like', 'NotEndLike', 'StartLike') },
  { weight: 1, arbitrary: hostile },
);
const items = fc.oneof(
  fc.tuple(names, operators, fc.oneof(values, fc.array(values, { maxLength: 3 }))),
  fc.tuple(fc.constantFrom('AND', 'or', '('), names, operators, values),
  fc.record({
    Name: names,
    Type: operators,
    Value: values,
    AndOr: fc.constantFrom('And', 'Or', ''),
    FormEngineKey: names,
  }),
);
const KEYS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Id: values,
  Ids: fc.array(values, { maxLength: 3 }),
  _Where: fc.oneof({ weight: 4, arbitrary: fc.array(items, { maxLength: 3 }) }, { weight: 1, arbitrary: hostile }),
  _OrderBy: names,
  _OrderByType: hostile,
  _OrderBys: fc.dictionary(names, hostile, { maxKeys: 2 }),
  _SelectFields: fc.array(names, { maxLength: 3 }),
  _SelectNotFields: fc.array(names, { maxLength: 3 }),
  _Keyword: hostile,
  _FormData: fc.dictionary(names, values, { maxKeys: 3 }),
  _NotSaveField: fc.array(names, { maxLength: 2 }),
  _NoLineForAdd: fc.boolean(),
  _PageIndex: values,
  _ParentId: values,
  Sku: values,
  Qty: values,
  OsClient: hostile,
};

/** A few keys at a time: with all of them nearly every call would be refused. */
const params = fc
  .array(fc.oneof(...Object.entries(KEYS).map(([key, value]) => fc.tuple(fc.constant(key), value))), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

/** A row of a batch: fewer ways to be refused, so that statements are sent. */
const rowParams = fc.record(
  { Id: hostile, Sku: values, Qty: fc.oneof(fc.integer(), hostile), _FormData: fc.dictionary(names, fc.integer()) },
  { requiredKeys: ['Id'] },
);

const METHODS: readonly HostCallName[] = [
  'FormEngine.GetFormData',
  'FormEngine.GetTableData',
  'FormEngine.GetTableDataCount',
  'FormEngine.GetTableDataTree',
  'FormEngine.AddFormData',
  'FormEngine.UptFormData',
  'FormEngine.UptFormDataByWhere',
  'FormEngine.DelFormData',
  'FormEngine.DelFormDataByWhere',
];
const BATCHES: readonly HostCallName[] = [
  'FormEngine.AddTableData',
  'FormEngine.UptTableData',
  'FormEngine.DelTableData',
];

for (const [name, dialect] of [
  ['SQLite', sqliteDialect],
  ['MariaDB', createMysqlDialect('mariadb')],
] as const) {
  test(`nothing of a call becomes SQL on ${name}`, async () => {
    let sent = 0;
    const call = fc.tuple(
      fc.constantFrom(...METHODS),
      fc.oneof({ weight: 5, arbitrary: fc.constant('lab_item') }, { weight: 1, arbitrary: names }),
      params,
    );
    await fc.assert(
      fc.asyncProperty(call, async ([method, table, param]) => {
        const { statements, run } = openOn(dialect);
        await run.call(method, table, param);
        statements.forEach(assertOwnWords);
        sent += statements.length;
      }),
      { numRuns: 1_500 },
    );
    assert.ok(sent > 500, `${sent} statements: the calls must not all be refused`);
  });

  test(`nothing of a batch becomes SQL on ${name}`, async () => {
    let sent = 0;
    const rows = fc.array(
      fc.tuple(fc.oneof({ weight: 5, arbitrary: fc.constant('lab_item') }, { weight: 1, arbitrary: names }), rowParams),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...BATCHES), rows, async (method, list) => {
        const { statements, run } = openOn(dialect);
        await run.call(
          method,
          list.map(([FormEngineKey, param]) => ({ ...param, FormEngineKey })),
        );
        statements.forEach(assertOwnWords);
        sent += statements.length;
      }),
      { numRuns: 500 },
    );
    assert.ok(sent > 50, `${sent} statements: the calls must not all be refused`);
  });
}

test('no name but that of a table of the tenant opens one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(hostile, fc.constantFrom(' mq_inbox ', 'MQ_INBOX', 'Sys_OsClients')), async (table) => {
      const { statements, run } = openOn(sqliteDialect);
      const answer = await run.result('FormEngine.GetTableData', table);
      assert.equal(answer.Code, 0);
      assert.deepEqual(statements, []);
    }),
    { numRuns: 500 },
  );
});

test('a table that scripts only read is not written, whatever the parameters', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...METHODS.slice(4), ...BATCHES), params, async (method, param) => {
      const { statements, run } = openOn(sqliteDialect);
      const row = { ...param, FormEngineKey: 'sys_log' };
      const answer = await run.result(method, BATCHES.includes(method) ? [row] : row);
      assert.equal(answer.Code, 0);
      assert.deepEqual(statements, []);
    }),
    { numRuns: 300 },
  );
});
