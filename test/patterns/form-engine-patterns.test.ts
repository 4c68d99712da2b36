/** Scripts as people write them against FormEngine, on the real host and on both databases. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const TABLES = [
  {
    Name: 'lab_sample',
    Fields: [
      { Name: 'Code', Type: 'varchar(50)', Unique: true },
      { Name: 'Kind', Type: 'varchar(50)' },
      { Name: 'Plant', Type: 'varchar(50)' },
      { Name: 'Temp', Type: 'int' },
      { Name: 'Alarm', Type: 'int' },
    ],
    Rows: [
      { Id: 's1', Code: 'C-1', Kind: 'water', Plant: 'A1', Temp: 20, Alarm: 0 },
      { Id: 's2', Code: 'C-2', Kind: 'water', Plant: 'A1', Temp: 90, Alarm: 0 },
      { Id: 's3', Code: 'C-3', Kind: 'oil', Plant: 'A1', Temp: 30, Alarm: 1 },
      { Id: 's4', Code: 'C-4', Kind: 'oil', Plant: 'B1', Temp: 95, Alarm: 1 },
    ],
  },
  {
    Name: 'lab_note',
    Fields: [
      { Name: 'SampleId', Type: 'varchar(36)' },
      { Name: 'Text', Type: 'varchar(200)' },
    ],
  },
];

const DATABASES: readonly (readonly [string, () => Promise<string | undefined>])[] = [
  ['SQLite', async () => undefined],
  ['MariaDB', async () => (await freshDatabase()).url],
];

/** These are tests of results: a busy machine must not end them. */
const UNHURRIED = { wallMs: 120_000, cpuMs: 60_000 };

// biome-ignore lint/suspicious/noExplicitAny: results of any script
type Answer = any;

for (const [name, urlOf] of DATABASES) {
  const open = async (t: TestContext, scripts: Record<string, string>): Promise<TestHost> => {
    const databaseUrl = await urlOf();
    const host = await TestHost.open(tempDir(t), {
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      limits: UNHURRIED,
    });
    t.after(() => host.close());
    await host.push(scripts, TABLES);
    return host;
  };
  const run = async (host: TestHost, engine: string, param = {}): Promise<Answer> =>
    host.host.services.run('demo', engine, param, 'en');
  const codes = async (host: TestHost) => (await host.rows('lab_sample')).map(({ Code }) => Code).join(' ');

  describe(`patterns of FormEngine on ${name}`, () => {
    it('lists with conditions built as needed, by pages, some columns only', async (t) => {
      const host = await open(t, {
        'list.js': `
          var where = [];
          if (V8.Param.Keyword) {
            where.push(['(', 'Code', 'Like', V8.Param.Keyword]);
            where.push(['OR', 'Kind', 'Like', V8.Param.Keyword, ')']);
          }
          if (V8.Param.Plant) where.push(['Plant', '=', V8.Param.Plant]);
          if (V8.Param.Hot) {
            where.push(['AND', '(', 'Temp', '>', 80]);
            where.push(['OR', 'Alarm', '=', 1, ')']);
          }
          return V8.FormEngine.GetTableData('lab_sample', {
            _Where: where, _SelectFields: ['Code'], _OrderBy: 'Code', _OrderByType: 'DESC',
            _PageIndex: V8.Param._PageIndex || 1, _PageSize: V8.Param._PageSize || 10
          });
        `,
      });
      const list = async (param: object) => {
        const { Code, Data, DataCount } = await run(host, 'list', param);
        assert.equal(Code, 1);
        return `${Data.map((row: Answer) => row.Code).join(' ')} of ${DataCount}`;
      };
      assert.equal(await list({}), 'C-4 C-3 C-2 C-1 of 4');
      assert.equal(await list({ Plant: 'A1', Hot: true }), 'C-3 C-2 of 2');
      assert.equal(await list({ Keyword: 'oil', Plant: 'B1' }), 'C-4 of 1');
      assert.equal(await list({ Keyword: 'C-', Plant: 'A1', Hot: 1 }), 'C-3 C-2 of 2');
      assert.equal(await list({ _PageIndex: 2, _PageSize: '3' }), 'C-1 of 4');
      assert.equal(await list({ Plant: "A1' or '1'='1" }), ' of 0');
    });

    it('adds a row after it looked for it', async (t) => {
      const host = await open(t, {
        'add.js': `
          var known = V8.FormEngine.GetFormData('lab_sample', { _Where: [['Code', '=', V8.Param.Code]] });
          if (known.Code === 1) return { Code: 0, Msg: 'known', Data: known.Data.Id };
          if (known.Code !== 2) return known;
          return V8.FormEngine.AddFormData('lab_sample', { Code: V8.Param.Code, Kind: 'new' });
        `,
      });
      const added = await run(host, 'add', { Code: 'C-9' });
      assert.equal(added.Code, 1);
      for (const column of ['Id', 'CreateTime', 'UpdateTime']) assert.ok(added.Data[column], column);
      assert.equal(typeof added.Data.UserId, 'string');
      assert.deepEqual(await run(host, 'add', { Code: 'c-9' }), { Code: 0, Msg: 'known', Data: added.Data.Id });
    });

    it('writes many rows of several tables, all or none', async (t) => {
      const host = await open(t, {
        'batch.js': `
          var rows = [{ FormEngineKey: 'lab_sample', Id: 'b1', Code: 'B-1' }, { FormEngineKey: 'lab_note', SampleId: 'b1', Text: 'one' }];
          if (V8.Param.Bad) rows.push({ FormEngineKey: 'lab_sample', Code: 'C-1' });
          var added = V8.FormEngine.AddTableData(rows);
          if (added.Code !== 1) return { Code: 1, Refused: added };
          var updated = V8.FormEngine.UptTableData([{ FormEngineKey: 'lab_sample', Id: 'b1', Temp: 5 }, { FormEngineKey: 'lab_sample', Id: 's1', Temp: 6 }]);
          var deleted = V8.FormEngine.DelTableData([{ FormEngineKey: 'lab_sample', Id: 's4' }, { FormEngineKey: 'lab_note', Id: added.Data[1] }]);
          return { Code: 1, Data: [added.DataCount, updated.DataCount, deleted.DataCount] };
        `,
      });
      const refused = await run(host, 'batch', { Bad: true });
      assert.equal(refused.Refused.ReasonCode, 'ROW_NOT_UNIQUE');
      assert.deepEqual(refused.Refused.DataAppend, { RowIndex: 2 });
      assert.match(refused.Refused.Msg, /^row 3: /);
      assert.equal(await codes(host), 'C-1 C-2 C-3 C-4');
      assert.deepEqual(await host.rows('lab_note'), []);
      assert.deepEqual((await run(host, 'batch')).Data, [2, 2, 2]);
      assert.equal(await codes(host).then((text) => text.split(' ').sort().join(' ')), 'B-1 C-1 C-2 C-3');
    });

    it('undoes a chain in one transaction when its last step fails', async (t) => {
      const host = await open(t, {
        'chain.js': `
          var row = V8.FormEngine.GetFormData('lab_sample', { Id: 's1' }, V8.DbTrans);
          if (row.Code !== 1) return row;
          var updated = V8.FormEngine.UptFormData('lab_sample', { Id: row.Data.Id, Temp: row.Data.Temp + 1 }, V8.DbTrans);
          if (updated.Code !== 1) return updated;
          var none = V8.FormEngine.GetTableData('lab_sample', { _Where: [['Temp', 'In', '(1, 2, 3)']] }, V8.DbTrans);
          if (none.DataCount !== 0) return { Code: 0, Msg: 'text that is no list matched ' + none.DataCount };
          var deleted = V8.FormEngine.DelFormData('lab_sample', { Ids: ['s2', 's3'] }, V8.DbTrans);
          if (deleted.DataCount !== 2) return { Code: 0, Msg: 'deleted ' + deleted.DataCount };
          var last = V8.ApiEngine.Run('last', { Fail: V8.Param.Fail }, V8.DbTrans);
          if (last.Code !== 1) return last;
          return { Code: 1 };
        `,
        'last.js': `
          V8.FormEngine.AddFormData('lab_note', { SampleId: 's1', Text: 'last' }, V8.DbTrans);
          return V8.Param.Fail ? { Code: 0, Msg: 'the last step' } : { Code: 1 };
        `,
      });
      assert.deepEqual(await run(host, 'chain', { Fail: true }), { Code: 0, Msg: 'the last step' });
      assert.equal(await codes(host), 'C-1 C-2 C-3 C-4');
      assert.deepEqual(await host.rows('lab_note'), []);
      assert.deepEqual(await run(host, 'chain'), { Code: 1 });
      assert.equal(await codes(host), 'C-1 C-4');
      assert.equal((await host.rows('lab_note')).length, 1);
    });

    it('reads older conditions as it reads their arrays, also those that ParseWhere makes', async (t) => {
      const host = await open(t, {
        'older.js': `
          var arrays = [['(', 'Plant', '=', 'A1'], ['OR', 'Temp', '>', 90, ')'], ['Alarm', '=', 1]];
          var objects = [
            { Name: 'Plant', Value: 'A1', Type: '=', GroupStart: true },
            { Name: 'Temp', Value: 90, Type: '>', AndOr: 'Or', GroupEnd: true },
            { Name: 'Alarm', Value: 1, Type: 'Equal' }
          ];
          var forms = [arrays, objects, V8.Method.ParseWhere(arrays), JSON.stringify(objects)];
          var found = [];
          for (var i = 0; i < forms.length; i++) {
            var list = V8.FormEngine.GetTableData('lab_sample', { _Where: forms[i], _OrderBy: 'Code' });
            found.push(list.Code === 1 ? list.Data.map(function (row) { return row.Code; }).join(' ') : list.Msg);
          }
          var wrong = V8.FormEngine.GetTableData('lab_sample', { _Where: [arrays[0], { Name: 'Colour', Value: 1, Type: '=' }] });
          return { Code: 1, Data: found, Wrong: wrong.ReasonCode };
        `,
      });
      const answer = await run(host, 'older');
      assert.deepEqual(answer.Data, ['C-3 C-4', 'C-3 C-4', 'C-3 C-4', 'C-3 C-4']);
      assert.equal(answer.Wrong, 'WHERE_INVALID');
    });

    it('answers missing rows, no rows and affected rows as numbers and lists', async (t) => {
      const host = await open(t, {
        'basics.js': `
          var miss = V8.FormEngine.GetFormData('lab_sample', { Id: 'x' });
          var none = V8.FormEngine.GetTableData('lab_sample', { _Where: [['Code', '=', 'x']] });
          var n = V8.FormEngine.UptFormDataByWhere('lab_sample', { Alarm: 1, _Where: [['Plant', '=', 'A1']] }).DataCount;
          return { Code: 1, Data: [miss.Code, miss.Data, Array.isArray(none.Data), none.Data.length, n] };
        `,
      });
      assert.deepEqual((await run(host, 'basics')).Data, [2, null, true, 0, 3]);
    });

    it('waits for its Async members in turn and together', async (t) => {
      const host = await open(t, {
        'async.js': `
          var one = await V8.FormEngine.GetFormDataAsync('lab_sample', { Id: 's1' });
          var both = await Promise.all([
            V8.FormEngine.AddFormDataAsync('lab_note', { SampleId: one.Data.Id, Text: 'a' }, V8.DbTrans),
            V8.FormEngine.AddTableDataAsync([{ FormEngineKey: 'lab_note', SampleId: 's2', Text: 'b' }], V8.DbTrans)
          ]);
          var count = await V8.FormEngine.GetTableDataCountAsync('lab_note', {}, V8.DbTrans);
          return { Code: V8.Param.Code, Data: [both[0].Code, both[1].Code, count.DataCount] };
        `,
      });
      assert.deepEqual((await run(host, 'async', { Code: 0 })).Data, [1, 1, 2]);
      assert.deepEqual(await host.rows('lab_note'), []);
      assert.equal((await run(host, 'async', { Code: 1 })).Code, 1);
      assert.equal((await host.rows('lab_note')).length, 2);
    });

    it('commits or rolls back by what the script ends with', async (t) => {
      const note = `V8.FormEngine.AddFormData('lab_note', { Text: V8.ApiEngineKey }, V8.DbTrans);`;
      const scripts = Object.fromEntries(OUTCOMES.map(({ key, end }) => [`${key}.js`, `${note}\n${end}`]));
      const host = await open(t, { ...scripts, 'throws.js': `${note}\nthrow new Error('no');` });
      const noted = async () => (await host.rows('lab_note')).map(({ Text }) => Text);
      for (const { key, answer } of OUTCOMES) assert.deepEqual(await run(host, key), answer, key);
      await assert.rejects(run(host, 'throws'), /no \[行:2, 列:\d+\]/);
      assert.deepEqual(
        (await noted()).sort(),
        OUTCOMES.filter(({ commits }) => commits)
          .map(({ key }) => key)
          .sort(),
      );
    });
  });
}

/** v8-surface.md 5.4: how a script ends, what its caller gets, and whether its writes stay. */
const OUTCOMES: readonly { key: string; end: string; answer: Answer; commits: boolean }[] = [
  { key: 'code-1', end: 'return { Code: 1, Data: 5 };', answer: { Code: 1, Data: 5 }, commits: true },
  { key: 'code-0', end: `return { Code: 0, Msg: 'x' };`, answer: { Code: 0, Msg: 'x' }, commits: false },
  { key: 'code-2', end: 'return { Code: 2 };', answer: { Code: 2 }, commits: false },
  { key: 'without-code', end: 'return { a: 1 };', answer: { a: 1 }, commits: false },
  { key: 'lower-case-code', end: 'return { code: 1 };', answer: { code: 1 }, commits: false },
  { key: 'text', end: `return 'success';`, answer: 'success', commits: true },
  { key: 'number', end: 'return 0;', answer: 0, commits: true },
  { key: 'boolean', end: 'return false;', answer: false, commits: true },
  { key: 'list', end: 'return [1];', answer: [1], commits: true },
  { key: 'null', end: 'return null;', answer: null, commits: true },
  { key: 'nothing', end: '', answer: null, commits: true },
  { key: 'older-result', end: 'V8.Result = { Code: 1 };', answer: { Code: 1 }, commits: true },
  { key: 'older-failure', end: 'V8.Result = { Code: 0 }; return;', answer: { Code: 0 }, commits: false },
];
