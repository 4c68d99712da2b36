/** Events of tables (v8-surface.md 2.8, 5.7; patterns 13 to 15, 19), on the real host and on both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DATABASES, openPatternHost, run } from './pattern-host.ts';

const BEFORE = `
  if (V8.FormSubmitAction === 'Delete') return V8.OldForm.State === 'locked' ? { Code: 0, Msg: 'locked' } : undefined;
  V8.Form.Name = String(V8.Form.Name || V8.OldForm.Name).trim();
  if (V8.Form.Name === 'forbidden') return { Code: 0, Msg: 'no such name', Data: V8.EventName };
  if (V8.Form.Name === 'broken') throw new Error('before broke');
  V8.NotSaveField = ['Secret'];
  V8.Form.Tags = JSON.stringify([V8.FormSubmitAction, V8.TableModel.Name, V8.Param._InvokeType]);
`;

const AFTER = `
  var added = V8.FormEngine.AddTableData([
    { FormEngineKey: 'note', Text: V8.EventName + ' ' + V8.FormSubmitAction + ' ' + (V8.Form.Id || V8.OldForm.Id) },
  ], V8.DbTrans);
  if (added.Code !== 1) return added;
  if (V8.Form.Name === 'late') return { Code: 0, Msg: 'refused late' };
`;

const FILTER = `
  V8.CacheData.seen = (V8.CacheData.seen || 0) + 1;
  V8.Form.Shown = V8.RowIndex + ':' + V8.CacheData.seen;
  delete V8.Form.Secret;
`;

const text = (Name: string) => ({ Name, Type: 'longtext' });

const TABLES = [
  {
    Name: 'diy_table',
    Fields: ['Name', 'SubmitBeforeServerV8', 'SubmitAfterServerV8', 'ServerDataV8'].map(text),
    Rows: [
      {
        Id: 't1',
        Name: 'item',
        SubmitBeforeServerV8: Buffer.from(BEFORE).toString('base64'),
        SubmitAfterServerV8: AFTER,
        ServerDataV8: FILTER,
      },
    ],
  },
  { Name: 'item', Fields: ['Name', 'State', 'Tags', 'Secret'].map((Name) => ({ Name, Type: 'varchar(200)' })) },
  { Name: 'note', Fields: [{ Name: 'Text', Type: 'varchar(200)' }] },
];

const SCRIPT = `
  var outcomes = [];
  for (var i = 0; i < V8.Param.Calls.length; i++) {
    var call = V8.Param.Calls[i];
    outcomes.push(V8.FormEngine[call[0]]('item', call[1]));
  }
  return { Code: V8.Param.Fail ? 0 : 1, Data: outcomes };
`;

const CLIENT = { _InvokeType: 'Client' };

for (const [name, urlOf] of DATABASES) {
  describe(`events of tables on ${name}`, () => {
    it('run around each write, may change it and may refuse it', async (t) => {
      const host = await openPatternHost(t, urlOf, { 'calls.js': SCRIPT }, TABLES);
      const call = async (...calls: unknown[]) => (await run(host, 'calls', { Calls: calls })).Data;
      const notes = async () => (await host.rows('note')).map(({ Text }) => Text).sort();
      const items = async () =>
        (await host.rows('item')).map((row) => `${row.Id} ${row.Name} ${row.Tags ?? ''}`).sort();

      const [added] = await call(['AddFormData', { Id: 'i1', Name: ' pen ', Secret: 's', State: 'new', ...CLIENT }]);
      assert.deepEqual([added.Code, added.Data.Name, added.Data.Secret], [1, 'pen', null]);
      assert.deepEqual(JSON.parse(added.Data.Tags), ['Insert', 'item', 'Client']);
      const [plain] = await call(['AddFormData', { Id: 'i2', Name: ' ink ', Secret: 'k' }]);
      assert.deepEqual([plain.Code, plain.Data.Name], [1, ' ink ']);
      assert.deepEqual(await notes(), ['FormSubmitAfter Insert i1']);

      const refused = await call(
        ['UptFormData', { Id: 'i1', Name: 'forbidden', ...CLIENT }],
        ['UptFormData', { Id: 'i1', Name: 'broken', ...CLIENT }],
        ['UptFormData', { Id: 'i1', Name: 'late', State: 'late', ...CLIENT }],
        ['UptFormData', { Id: 'none', Name: 'x', ...CLIENT }],
        ['UptFormDataByWhere', { State: 'x', _Where: [['Name', '=', 'pen']], ...CLIENT }],
      );
      assert.deepEqual(
        refused.map(({ Code, Msg, DataCount }: Record<string, unknown>) => [Code, Msg, DataCount]).slice(0, 4),
        [
          [0, 'no such name', undefined],
          [0, refused[1].Msg, undefined],
          [0, 'refused late', undefined],
          [1, null, 0],
        ],
      );
      assert.match(refused[1].Msg, /before broke/);
      assert.equal(refused[4].ReasonCode, 'PARAM_INVALID');
      assert.deepEqual(await items(), ['i1 pen ["Insert","item","Client"]', 'i2  ink  ']);
      assert.deepEqual(await notes(), ['FormSubmitAfter Insert i1'], 'what a refused write noted is undone');

      const [updated] = await call(['UptFormData', { Id: 'i1', State: 'locked', ...CLIENT }]);
      assert.deepEqual([updated.Code, updated.DataCount], [1, 1]);
      const [kept, removed] = await call(
        ['DelFormData', { Id: 'i1', ...CLIENT }],
        ['DelFormData', { Id: 'i2', _RunV8Event: '1' }],
      );
      assert.deepEqual([kept.Code, kept.Msg, removed.Code, removed.DataCount], [0, 'locked', 1, 1]);
      assert.deepEqual(await items(), ['i1 pen ["Update","item","Client"]']);
      assert.deepEqual((await notes()).slice(0, 2), ['FormSubmitAfter Delete i2', 'FormSubmitAfter Insert i1']);
    });

    it('go over the rows of a read, one cache for all of them', async (t) => {
      const host = await openPatternHost(t, urlOf, { 'calls.js': SCRIPT }, TABLES);
      const call = async (...calls: unknown[]) => (await run(host, 'calls', { Calls: calls })).Data;
      await call(
        ['AddFormData', { Id: 'i1', Name: 'a', Secret: 's' }],
        ['AddFormData', { Id: 'i2', Name: 'b', Secret: 's' }],
      );
      const [list, one, server] = await call(
        ['GetTableData', { _OrderBy: 'Id', ...CLIENT }],
        ['GetFormData', { Id: 'i2', ...CLIENT }],
        ['GetFormData', { Id: 'i2' }],
      );
      assert.deepEqual(
        list.Data.map(({ Id, Shown, Secret }: Record<string, unknown>) => [Id, Shown, Secret]),
        [
          ['i1', '0:1', undefined],
          ['i2', '1:2', undefined],
        ],
      );
      assert.deepEqual([list.Code, list.DataCount, one.Data.Shown, 'Secret' in one.Data], [1, 2, '0:1', false]);
      assert.deepEqual([server.Data.Secret, server.Data.Shown], ['s', undefined]);
    });
  });
}
