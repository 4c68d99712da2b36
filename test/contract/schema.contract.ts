/** What a tenant's schema tells of (app/read-schema.ts), over each database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSchema } from '../../src/app/read-schema.ts';
import type { OpenTenantStore } from './tenant-store-place.ts';

export function schemaContract(name: string, open: OpenTenantStore): void {
  describe(`schema of a tenant (${name})`, () => {
    it('has the tables that scripts can name, with what their columns hold, and none that is hidden', async (t) => {
      const { store } = await open(t);
      const fields = [
        { name: 'Sku', type: 'varchar(50)', unique: true },
        { name: 'Qty', type: 'int', unique: false },
        { name: 'Price', type: 'decimal(18,2)', unique: false },
        { name: 'Note', type: 'mediumtext', unique: false },
      ];
      await store.createTables([{ name: 'shop_stock', fields, rows: [] }]);
      const tables = await readSchema(store);
      const stock = tables.find((table) => table.name === 'shop_stock');
      assert.deepEqual(
        stock?.columns.map(({ name: column, kind }) => [column, kind]),
        [
          ['Id', 'text'],
          ['CreateTime', 'datetime'],
          ['UpdateTime', 'datetime'],
          ['UserId', 'text'],
          ['UserName', 'text'],
          ['IsDeleted', 'integer'],
          ['Sku', 'text'],
          ['Qty', 'integer'],
          ['Price', 'decimal'],
          ['Note', 'text'],
        ],
      );
      assert.equal(stock?.writable, true);
      assert.equal(tables.find((table) => table.name === 'sys_apiengine')?.writable, false);
      const names = tables.map((table) => table.name);
      assert.deepEqual(
        names.filter((each) => /^(mq_|v8host_|sqlite_|schema_migration$|sys_osclients$|information_schema)/.test(each)),
        [],
      );
      assert.deepEqual(names, [...names].sort());
    });

    it('shows a table that was made just now', async (t) => {
      const { store } = await open(t);
      const before = (await readSchema(store)).length;
      await store.createTables([{ name: 'shop_late', fields: [], rows: [] }]);
      assert.equal((await readSchema(store)).length, before + 1);
    });
  });
}
