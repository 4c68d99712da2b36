/** Calls that a script makes while an engine that it started by an `Async` call has not ended. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DATABASES, openPatternHost, run, tableOf } from './pattern-host.ts';

const SCRIPTS = {
  'inner.js': `V8.FormEngine.AddFormData('note', { Name: 'a' }, V8.DbTrans);
setTimeout(function () { V8.FormEngine.AddFormData('note', { Name: 'b' }, V8.DbTrans); }, 30);
return { Code: 1, Data: 'inner' };`,
  'undone.js': `V8.Inbox.Once('k', function () {
  V8.FormEngine.AddFormData('note', { Name: 'undone' });
  return { Code: 0 };
});
return { Code: 1 };`,
  'outer.js': `var answer = V8.ApiEngine.RunAsync('inner', {}, V8.DbTrans);
await V8.Cache.GetAsync('k');
var read = V8.Cache.Get('k');
var written = V8.FormEngine.AddFormData('note', { Name: 'c' }, V8.DbTrans);
var rows = V8.FormEngine.GetTableData('note', { _OrderBy: 'Name' }, V8.DbTrans).Data;
return { Code: written.Code, Data: [read, (await answer).Data, rows.map(function (row) { return row.Name; }).join('')] };`,
  'beside.js': `var answer = V8.ApiEngine.RunAsync('undone', {}, V8.DbTrans);
await V8.Cache.GetAsync('k');
var written = V8.FormEngine.AddFormData('note', { Name: 'kept' }, V8.DbTrans);
await answer;
return written;`,
};

for (const [name, urlOf] of DATABASES) {
  describe(`a call beside an engine under way, on ${name}`, () => {
    it('is answered when that has ended, and sees what it did', async (t) => {
      const host = await openPatternHost(t, urlOf, SCRIPTS, [tableOf('note', ['Name'])]);
      for (let round = 1; round <= 5; round += 1) {
        const { Code, Data, Msg } = await run(host, 'outer');
        assert.equal(Code, 1, Msg);
        assert.deepEqual(Data.slice(0, 2), [null, 'inner']);
        assert.equal(Data[2].length, 3 * round);
      }
    });

    it('is not undone with what that engine undoes', async (t) => {
      const host = await openPatternHost(t, urlOf, SCRIPTS, [tableOf('note', ['Name'])]);
      for (let round = 1; round <= 5; round += 1) assert.equal((await run(host, 'beside')).Code, 1);
      assert.deepEqual(
        (await host.rows('note')).map((row) => row.Name),
        Array(5).fill('kept'),
      );
    });
  });
}
