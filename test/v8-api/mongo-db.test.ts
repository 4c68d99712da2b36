import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { AppError } from '../../src/core/errors.ts';
import type { DocumentStore } from '../../src/ports/documents.ts';
import type { HostCallName } from '../../src/protocol/host-call-names.ts';
import { openSqlitePlace } from '../adapters/sql/sqlite-place.ts';
import { intercept } from '../support/intercept.ts';
import { NOW_MS, NOW_TEXT, ScriptRun } from '../support/script-run.ts';

const IN = { DbName: 'sys_log_2026', TableName: 'log_2026_08' };
const ID = '64b000000000000000000001';

async function open(t: TestContext): Promise<{ run: ScriptRun; documents: DocumentStore }> {
  const { documents } = (await openSqlitePlace(t)).store;
  return { run: new ScriptRun({ documents, lang: 'en' }), documents };
}

const call = (run: ScriptRun, member: string, param: unknown) => run.result(`MongoDb.${member}` as HostCallName, param);

describe('V8.MongoDb (v8-surface.md 6.4)', () => {
  it('makes ids of 24 hexadecimal digits that rise with time', async () => {
    const id = await new ScriptRun().call('MongoDb.NewId');
    assert.match(String(id), /^[0-9a-f]{24}$/);
    assert.equal(Number.parseInt(String(id).slice(0, 8), 16), Math.floor(NOW_MS / 1000));
  });

  it('adds a document with an id and the time, nested values kept', async (t) => {
    const { run } = await open(t);
    const fields = { Device: 'pump-1', Value: { t: 21.5, list: [1, null, 'x'] }, CreateTime: 'mine' };
    const added = await call(run, 'AddFormData', { ...IN, _FormData: fields });
    assert.equal(added.Code, 1);
    const data = added.Data as { _id: string };
    assert.match(data._id, /^[0-9a-f]{24}$/);
    assert.deepEqual(data, { _id: data._id, Device: 'pump-1', Value: fields.Value, CreateTime: NOW_TEXT });
    const found = await call(run, 'GetFormData', { ...IN, Id: data._id });
    assert.deepEqual([found.Code, found.Data], [1, data]);
    assert.deepEqual(run.touched, ['sys_log_2026/log_2026_08', 'sys_log_2026/log_2026_08']);
  });

  it('takes the id from Id, or from _FormData._id', async (t) => {
    const { run } = await open(t);
    const one = await call(run, 'AddFormData', { ...IN, Id: ID.toUpperCase(), _FormData: { A: 1 } });
    const two = await call(run, 'AddFormData', { ...IN, _FormData: { _id: 'event-2', A: 1 } });
    assert.deepEqual(
      [one, two].map(({ Data }) => (Data as { _id: string })._id),
      [ID, 'event-2'],
    );
    const again = await call(run, 'AddFormData', { ...IN, Id: ID, _FormData: { A: 2 } });
    assert.deepEqual([again.Code, again.ReasonCode], [0, 'DOCUMENT_EXISTS']);
  });

  it('an update is Code 1 only when it modified something', async (t) => {
    const { run } = await open(t);
    await call(run, 'AddFormData', { ...IN, Id: ID, _FormData: { A: 1, B: 2 } });
    const changed = await call(run, 'UptFormData', { ...IN, Id: ID, _FormData: { _id: 'x', CreateTime: 'y', A: 3 } });
    assert.deepEqual([changed.Code, changed.Data], [1, { _id: ID, A: 3 }]);
    const same = await call(run, 'UptFormData', { ...IN, Id: ID, _FormData: { A: 3 } });
    assert.deepEqual([same.Code, same.ReasonCode], [0, 'DOCUMENT_UNCHANGED']);
    const missing = await call(run, 'UptFormData', { ...IN, Id: 'none', _FormData: { A: 3 } });
    assert.deepEqual([missing.Code, missing.ReasonCode], [0, 'DOCUMENT_MISSING']);
    const found = await call(run, 'GetFormData', { ...IN, Id: ID });
    assert.deepEqual(found.Data, { _id: ID, A: 3, B: 2, CreateTime: NOW_TEXT });
  });

  it('a delete is Code 1 once, and a document that is gone Code 2', async (t) => {
    const { run } = await open(t);
    await call(run, 'AddFormData', { ...IN, Id: ID, _FormData: { A: 1 } });
    assert.equal((await call(run, 'DelFormData', { ...IN, Id: ID })).Code, 1);
    assert.equal((await call(run, 'DelFormData', { ...IN, Id: ID })).ReasonCode, 'DOCUMENT_MISSING');
    const gone = await call(run, 'GetFormData', { ...IN, Id: ID });
    assert.deepEqual([gone.Code, gone.Data, gone.Msg], [2, null, `There is no document with the Id ${ID}.`]);
  });

  it('lists 1,000 unless told otherwise, with the total', async (t) => {
    const { run } = await open(t);
    for (let n = 0; n < 1_005; n += 1) {
      await call(run, 'AddFormData', { ...IN, Id: String(n).padStart(4, '0'), _FormData: { n } });
    }
    const pages: readonly [param: object, first: number | undefined, length: number][] = [
      [{}, 1_004, 1_000],
      [{ _Top: 2 }, 1_004, 2],
      [{ _PageIndex: 2 }, 4, 5],
      [{ _PageSize: 3 }, 1_004, 3],
      [{ _PageIndex: 2, _PageSize: 3, _Top: 1 }, 1_001, 3],
      [{ _PageIndex: '3', _PageSize: '2' }, 1_000, 2],
      [{ _PageIndex: 999_999_999, _PageSize: 10_000 }, undefined, 0],
    ];
    for (const [param, first, length] of pages) {
      const { Code, Data, DataCount } = await call(run, 'GetTableData', { ...IN, ...param });
      const rows = Data as readonly { n: number }[];
      assert.deepEqual([Code, rows[0]?.n, rows.length, DataCount], [1, first, length, 1_005], JSON.stringify(param));
    }
    const matching = await call(run, 'GetTableData', { ...IN, _Where: [['n', '<', '7']], _Top: 2 });
    assert.deepEqual([(matching.Data as []).length, matching.DataCount], [2, 7]);
  });

  it('tells the author once what the platform’s rules made of a condition', async (t) => {
    const { run } = await open(t);
    for (let n = 0; n < 2; n += 1) {
      const found = await call(run, 'GetTableData', { ...IN, _Where: [['A', 'Contains', 1], ['B']] });
      assert.equal(found.Code, 1);
    }
    await call(run, 'GetFormData', { ...IN, Id: ID, _Where: [['A', '=', 1]] });
    assert.deepEqual(run.consoleLines, [
      'warn: Condition 1 of a _Where of V8.MongoDb: the operator Contains does not exist and was taken for =.',
      'warn: Condition 2 of a _Where of V8.MongoDb: it has fewer than three parts and was left out: write [field, operator, value].',
      'warn: V8.MongoDb.GetFormData reads by Id and ignores _Where: use GetTableData for conditions.',
    ]);
  });

  const refused: readonly [member: string, param: unknown, refusal: RegExp][] = [
    ['AddFormData', undefined, /PARAM_INVALID.*param/],
    ['AddFormData', { TableName: 't', _FormData: { A: 1 } }, /PARAM_MISSING.*DbName/],
    ['AddFormData', { DbName: 'd', _FormData: { A: 1 } }, /PARAM_MISSING.*TableName/],
    ['AddFormData', IN, /PARAM_MISSING.*_FormData/],
    ['AddFormData', { ...IN, _FormData: 'text' }, /PARAM_INVALID.*_FormData/],
    ['AddFormData', { ...IN, _FormData: { 'a.b': 1 } }, /PARAM_INVALID.*_FormData.*a\.b/],
    ['AddFormData', { ...IN, Id: { $gt: '' }, _FormData: { A: 1 } }, /PARAM_INVALID.*Id/],
    ['AddFormData', { ...IN, OsClient: 'other', _FormData: { A: 1 } }, /TENANT_MISMATCH/],
    ['AddFormData', { ...IN, DbName: 'admin', _FormData: { A: 1 } }, /PARAM_INVALID.*DbName/],
    ['UptFormData', { ...IN, _FormData: { A: 1 } }, /PARAM_MISSING.*Id/],
    ['UptFormData', { ...IN, Id: ID, _FormData: { _id: ID } }, /PARAM_MISSING.*_FormData/],
    ['UptFormData', { ...IN, Id: ID, _FormData: { $inc: 1 } }, /PARAM_INVALID.*\$inc/],
    ['DelFormData', IN, /PARAM_MISSING.*Id/],
    ['GetFormData', { ...IN, _Where: [['A', '=', 1]] }, /PARAM_MISSING.*Id/],
    ['GetTableData', { ...IN, _Where: [['$where', '=', '1']] }, /WHERE_INVALID.*condition 1/],
    ['GetTableData', { ...IN, _PageIndex: 0 }, /PARAM_INVALID.*_PageIndex/],
    ['GetTableData', { ...IN, _PageSize: 10_001 }, /DOCUMENTS_TOO_MANY.*10000/],
    ['GetTableData', { ...IN, _OrderBy: 'A' }, /PARAM_INVALID.*_OrderBy/],
  ];
  for (const [member, param, refusal] of refused) {
    it(`${member} refuses ${JSON.stringify(param)?.slice(0, 80)}`, async (t) => {
      const { run } = await open(t);
      const answer = await call(run, member, param);
      assert.equal(answer.Code, 0);
      assert.match(`${answer.ReasonCode}: ${answer.Msg}`, refusal);
    });
  }

  it('refuses in 中文 where nothing else is asked for', async (t) => {
    const { documents } = (await openSqlitePlace(t)).store;
    const answer = await call(new ScriptRun({ documents }), 'GetFormData', { ...IN, Id: 'x'.repeat(65) });
    assert.match(String(answer.Msg), /参数 Id 不合法/);
  });

  it('a store that is away is Code 0 and not the message’s fault', async (t) => {
    const { documents } = await open(t);
    const away = intercept(documents, 'insert', async () => {
      throw new AppError('DOCUMENTS_UNAVAILABLE', { reason: 'gone' });
    });
    const run = new ScriptRun({ documents: away, lang: 'en' });
    const answer = await call(run, 'AddFormData', { ...IN, _FormData: { A: 1 } });
    assert.deepEqual([answer.Code, answer.ReasonCode, run.dependencyFailures], [0, 'DOCUMENTS_UNAVAILABLE', 1]);
  });
});
