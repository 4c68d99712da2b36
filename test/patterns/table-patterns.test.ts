/** Scripts of table events and copies of rows (patterns 13 to 15, 17, 19), on the real host and on both databases. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { DATABASES, openPatternHost, run, scriptFiles, tableOf } from './pattern-host.ts';

const CLIENT = { _InvokeType: 'Client' };
const CALL = `return { Code: 1, Data: V8.FormEngine[V8.Param.Method](V8.Param.Table, V8.Param.Row) };`;

const source = (name: string) => Object.values(scriptFiles(name))[0] ?? '';

/** The designer's row of a table with a script of ours in one of its events. */
const designed = (Id: string, Name: string, event: string, script: string) => ({
  ...{ SubmitBeforeServerV8: '', SubmitAfterServerV8: '', ServerDataV8: '', Id, Name },
  [event]: source(script),
});

const DESIGNER = {
  Name: 'diy_table',
  Fields: ['Name', 'SubmitBeforeServerV8', 'SubmitAfterServerV8', 'ServerDataV8'].map((Name) => ({
    Name,
    Type: 'longtext',
  })),
  Rows: [
    designed('t1', 'role', 'SubmitAfterServerV8', 'role-rights-after'),
    designed('t2', 'dept', 'SubmitAfterServerV8', 'dept-codes-after'),
    designed('t3', 'setting', 'SubmitBeforeServerV8', 'config-veto-before'),
    designed('t4', 'menu', 'ServerDataV8', 'menu-filter'),
  ],
};

const TABLES = [
  DESIGNER,
  tableOf('role', ['Name', 'Rights']),
  tableOf('role_right', ['RoleId', 'Menu', 'Action', 'At']),
  tableOf(
    'dept',
    ['Name', 'ParentId', 'Code'],
    ['Sort'],
    [
      { Id: 'd1', Name: 'works', Sort: 1 },
      { Id: 'd2', Name: 'hall', ParentId: 'd1', Sort: 1 },
      { Id: 'd3', Name: 'line', ParentId: 'd2', Sort: 2 },
      { Id: 'd4', Name: 'office', Sort: 2 },
    ],
  ),
  tableOf('dept_user', ['DeptId', 'DeptCode'], [], [{ Id: 'u1', DeptId: 'd3' }]),
  tableOf('setting', ['Name', 'Kind', 'TenantId', 'Hosts']),
  tableOf(
    'menu',
    ['Code', 'Owner'],
    [],
    [
      { Id: 'm1', Code: Buffer.from('return 1;').toString('base64'), Owner: 'li' },
      { Id: 'm2', Code: 'return 2;', Owner: 'wu' },
      { Id: 'm3', Code: Buffer.from('价格').toString('base64'), Owner: 'li' },
    ],
  ),
];

for (const [name, urlOf] of DATABASES) {
  const open = async (t: TestContext) => {
    const host = await openPatternHost(t, urlOf, { 'call.js': CALL, ...scriptFiles('copy-row') }, TABLES);
    const call = async (Method: string, Table: string, Row: object) =>
      (await run(host, 'call', { Method, Table, Row: { ...CLIENT, ...Row } })).Data;
    return { host, call };
  };

  describe(`patterns of tables on ${name}`, () => {
    it('deletes and rebuilds the rows below one, and undoes it when that fails', async (t) => {
      const { host, call } = await open(t);
      const rights = async () =>
        (await host.rows('role_right')).map(({ RoleId, Menu, Action }) => `${RoleId} ${Menu} ${Action}`).sort();
      const Rights = JSON.stringify([{ Menu: 'orders' }, { Menu: 'stock' }]);
      assert.equal((await call('AddFormData', 'role', { Id: 'r1', Name: 'sales', Rights })).Code, 1);
      assert.deepEqual(await rights(), ['r1 orders Insert', 'r1 stock Insert']);
      await call('UptFormData', 'role', { Id: 'r1', Rights: '[{"Menu":"stock"}]' });
      assert.deepEqual(await rights(), ['r1 stock Update']);
      const failed = await call('UptFormData', 'role', { Id: 'r1', Name: 'changed', Rights: '[{"Menu":{"a":1}}]' });
      assert.equal(failed.Code, 0);
      assert.deepEqual(await rights(), ['r1 stock Update']);
      assert.equal((await host.rows('role'))[0]?.Name, 'sales');
      assert.equal((await call('DelFormData', 'role', { Id: 'r1' })).Code, 1);
      assert.deepEqual(await rights(), []);
    });

    it('recodes a tree by recursion, and stops early from deep inside', async (t) => {
      const { host, call } = await open(t);
      assert.equal((await call('UptFormData', 'dept', { Id: 'd4', Name: 'bureau' })).Code, 1);
      const codes = async () => (await host.rows('dept')).map(({ Id, Code }) => `${Id} ${Code}`).sort();
      assert.deepEqual(await codes(), ['d1 1.', 'd2 1.1.', 'd3 1.1.1.', 'd4 2.']);
      assert.equal((await host.rows('dept_user'))[0]?.DeptCode, '1.1.1.');
      for (let depth = 0; depth < 8; depth++) {
        const parent = depth === 0 ? 'd3' : `x${depth - 1}`;
        await run(host, 'call', { Method: 'AddFormData', Table: 'dept', Row: { Id: `x${depth}`, ParentId: parent } });
      }
      const deep = await call('UptFormData', 'dept', { Id: 'd4', Name: 'never', Sort: 9 });
      assert.deepEqual([deep.Code, /too deep/.test(deep.Msg)], [0, true]);
      assert.deepEqual((await codes()).slice(0, 4), ['d1 1.', 'd2 1.1.', 'd3 1.1.1.', 'd4 2.']);
      assert.equal((await host.rows('dept')).find(({ Id }) => Id === 'd4')?.Name, 'bureau');
    });

    it('puts a form right before it is stored, and refuses a second row where NULL is the tenant', async (t) => {
      const { host, call } = await open(t);
      const first = await call('AddFormData', 'setting', { Id: 's1', Name: '  smtp ' });
      assert.deepEqual([first.Code, first.Data.Name, first.Data.Kind], [1, 'smtp', 'text']);
      const second = await call('AddFormData', 'setting', { Id: 's2', Name: 'smtp' });
      assert.deepEqual([second.Code, second.Msg], [0, 'there is one already']);
      assert.equal((await call('AddFormData', 'setting', { Id: 's3', Name: 'smtp', TenantId: 't' })).Code, 1);
      assert.equal((await call('AddFormData', 'setting', { Id: 's4', Name: ' ' })).Msg, 'Name is missing');
      assert.equal((await call('UptFormData', 'setting', { Id: 's1', Hosts: 'a,b' })).Code, 1);
      const rows = await host.rows('setting');
      assert.deepEqual(rows.map(({ Id, Name, Hosts }) => `${Id} ${Name} ${Hosts}`).sort(), [
        's1 smtp a,b',
        's3 smtp null',
      ]);
    });

    it('copies a row: an empty Id makes a new one, and the result may be changed before it is returned', async (t) => {
      const { host, call } = await open(t);
      await call('AddFormData', 'setting', { Id: 's1', Name: 'smtp', Kind: 'mail' });
      const copied = await run(host, 'copy-row', { Id: 's1' });
      assert.deepEqual([copied.Code, copied.Data.Name, copied.Data.Kind], [1, 'smtp (copy)', 'mail']);
      assert.match(copied.Data.Id, /^[0-9A-Z]{26}$/);
      assert.deepEqual(copied.DataAppend, { CopiedFrom: 's1', Spread: 'smtp' });
      assert.equal((await host.rows('setting')).length, 2);
      assert.equal((await run(host, 'copy-row', { Id: 'none' })).Code, 2);
      assert.equal((await host.rows('setting')).length, 2);
    });

    it('decodes columns for the reader alone, with one scratch for all rows of a read', async (t) => {
      const { host, call } = await open(t);
      const list = await call('GetTableData', 'menu', { _OrderBy: 'Id' });
      assert.deepEqual(
        list.Data.map((row: Record<string, unknown>) => `${row.Row} ${row.Code} ${row.OfOwner}`),
        ['0 return 1; 1', '1 return 2; 1', '2 价格 2'],
      );
      const stored = (await host.rows('menu')).find(({ Id }) => Id === 'm1');
      assert.equal(stored?.Code, 'cmV0dXJuIDE7');
    });
  });
}
