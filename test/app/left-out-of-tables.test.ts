/** A push never changes a table that is there, and says what of `tables.json` it leaves out for that reason. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const KINDS = [
  ['SQLite', async () => ({})],
  ['MariaDB', async () => ({ databaseUrl: (await freshDatabase()).url })],
] as const;

function table(names: readonly string[], Rows: readonly unknown[], unique = 'Colour'): unknown {
  const Fields = names.map((Name) => ({ Name, Type: 'varchar(50)', Unique: Name === unique }));
  return [{ Name: 'shade', Fields, Rows }];
}

for (const [kind, options] of KINDS) {
  test(`fields and rows that a table lacks are named, on ${kind}`, async (t) => {
    const host = await TestHost.open(tempDir(t), await options());
    t.after(() => host.close());
    const push = (tables: unknown) => host.push({}, tables);
    assert.deepEqual(await push(table(['Colour', 'Note'], [{ Colour: 'red', Note: 'warm' }])), []);
    assert.deepEqual(await push(table(['colour', 'Note'], [{ colour: 'red', Note: 'another' }], 'colour')), []);
    const grown = table(['Colour', 'Depth', 'Weight'], [{ Colour: 'red', Depth: '3' }, { Colour: 'blue' }]);
    const leftOut = [{ table: 'shade', fields: ['Depth', 'Weight'], rows: [1] }];
    assert.deepEqual(await push(grown), leftOut);
    const files = [{ path: 'tables.json', text: JSON.stringify(grown) }];
    const tried = await host.host.services.push('demo', { files, prune: false, dryRun: true });
    assert.deepEqual(tried.ok && tried.leftOut, leftOut);
    assert.deepEqual(
      (await host.rows('shade')).map(({ Colour, Note }) => [Colour, Note]),
      [['red', 'warm']],
    );
  });

  test(`a row without a unique field is known by all that is said of it, on ${kind}`, async (t) => {
    const host = await TestHost.open(tempDir(t), await options());
    t.after(() => host.close());
    const rows = [{ Colour: 'red', Note: null }, { Note: 'cold' }];
    const all = (more: readonly unknown[]) => table(['Colour', 'Note'], [...rows, ...more], '');
    assert.deepEqual(await host.push({}, all([])), []);
    assert.deepEqual(await host.push({}, all([])), []);
    assert.deepEqual(await host.push({}, all([{ Colour: 'red', Note: 'cold' }])), [
      { table: 'shade', fields: [], rows: [2] },
    ]);
  });
}
