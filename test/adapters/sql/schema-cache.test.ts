import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SchemaCache } from '../../../src/adapters/sql/schema-cache.ts';
import type { SqlDatabase } from '../../../src/adapters/sql/sql-database.ts';
import type { CatalogueTable } from '../../../src/adapters/sql/sql-dialect.ts';

/** A database whose catalogue the test writes, and how often it was read. */
function openCatalogue(tables: Record<string, CatalogueTable>) {
  const place = { stamp: 1, reads: 0, failing: false };
  const database = {
    schemaStamp: async () => place.stamp,
    dialect: {
      readTable: async (_db: unknown, name: string) => {
        place.reads += 1;
        await new Promise((resolve) => setImmediate(resolve));
        if (place.failing) throw new Error('away');
        return tables[name.toLowerCase()];
      },
    },
  } as unknown as SqlDatabase;
  return { place, schema: new SchemaCache(database) };
}

const column = (name: string) => ({ name, declaredType: 'int' });
const item = (...names: string[]): CatalogueTable => ({ name: 'Item', view: false, columns: names.map(column) });

describe('the descriptions of tables', () => {
  it('are read once for all who ask at the same time, in any case of the name', async () => {
    const { place, schema } = openCatalogue({ item: item('Id') });
    const found = await Promise.all(['item', 'Item', 'ITEM'].map((name) => schema.describe(name)));
    assert.deepEqual(found[0], { name: 'Item', columns: [{ name: 'Id', kind: 'integer' }], writable: true });
    assert.ok(found.every((each) => each === found[0]));
    assert.deepEqual([...(await schema.columnNames('item'))], ['Id']);
    assert.equal(place.reads, 1);
  });

  it('are read anew when the schema may have changed', async () => {
    const tables = { item: item('Id') };
    const { place, schema } = openCatalogue(tables);
    const before = await schema.describe('item');
    tables.item = item('Id', 'Qty');
    assert.equal(await schema.describe('item'), before);
    place.stamp = 2;
    const after = await schema.describe('item');
    assert.deepEqual(
      after?.columns.map(({ name }) => name),
      ['Id', 'Qty'],
    );
    assert.notEqual(after, before);
  });

  it('are not remembered of tables that do not exist, nor after a failure', async () => {
    const tables: Record<string, CatalogueTable> = {};
    const { place, schema } = openCatalogue(tables);
    assert.equal(await schema.describe('item'), undefined);
    place.failing = true;
    await assert.rejects(schema.describe('item'), /away/);
    place.failing = false;
    tables.item = item('Id');
    assert.equal((await schema.describe('item'))?.name, 'Item');
    assert.equal(place.reads, 3);
  });

  it('hide what scripts may not see without a look at the catalogue', async () => {
    const { place, schema } = openCatalogue({});
    assert.equal(await schema.describe('mq_inbox'), undefined);
    assert.equal(place.reads, 0);
  });
});
