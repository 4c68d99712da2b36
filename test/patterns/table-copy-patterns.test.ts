/** A script that copies a table's definition (pattern 16), on the real host and on both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TableDefinition } from '../../src/ports/tenant-store.ts';
import { DATABASES, openPatternHost, run, scriptFiles } from './pattern-host.ts';

const text = (name: string) => ({ name, type: 'varchar(200)', unique: false });

/** The designer's tables have names that `tables.json` refuses. */
const TABLES: readonly TableDefinition[] = [
  {
    name: 'diy_table',
    fields: ['Name', 'Description'].map(text),
    rows: [{ Id: 't1', Name: 'car', Description: 'Cars' }],
  },
  {
    name: 'diy_field',
    fields: ['TableId', 'Name', 'Type', 'Label', 'Component'].map(text),
    rows: [
      { Id: 'f1', TableId: 't1', Name: 'Plate', Type: 'varchar(20)', Label: 'Plate' },
      { Id: 'f2', TableId: 't1', Name: 'Seats', Type: 'int', Label: 'Seats', Component: 'NumberText' },
    ],
  },
  { name: 'car', fields: [text('Plate'), text('Seats')], rows: [] },
];

for (const [name, urlOf] of DATABASES) {
  describe(`copies of tables on ${name}`, () => {
    it('copies a table’s definition with spread, and V8.Result is the answer', async (t) => {
      const scripts = {
        ...scriptFiles('copy-table'),
        'use.js': `return V8.FormEngine.AddFormData('car_2', { Plate: '沪A', Seats: 5, Colour: 'dropped' }, V8.DbTrans);`,
        'late.js': `V8.FormEngine.AddFormData('car', { Plate: 'x' }, V8.DbTrans); return V8.ApiEngine.Run('copy-table', { TableName: 'car', Suffix: 'late' }, V8.DbTrans);`,
      };
      const host = await openPatternHost(t, urlOf, scripts, []);
      await host.store.createTables(TABLES);
      const answer = await run(host, 'copy-table', { TableName: 'car', Suffix: '2' });
      assert.deepEqual(answer, { Code: 1, Data: { Name: 'car_2', Fields: ['Plate', 'Seats'] } });
      const used = await run(host, 'use');
      assert.deepEqual([used.Code, used.Data.Plate, used.Data.Seats], [1, '沪A', 5]);
      assert.equal((await host.rows('diy_table')).length, 2);
      const copied = (await host.rows('diy_field')).filter(({ TableId }) => TableId !== 't1');
      assert.deepEqual(copied.map(({ Name, Type }) => `${Name} ${Type}`).sort(), ['Plate varchar(20)', 'Seats int']);
      assert.equal((await run(host, 'copy-table', { TableName: 'car', Suffix: '2' })).Code, 0, 'it is there already');
      const late = await run(host, 'late');
      assert.deepEqual([late.Code, late.ReasonCode], [0, 'TABLE_IN_TRANSACTION']);
      assert.deepEqual(await host.rows('car'), []);
    });
  });
}
