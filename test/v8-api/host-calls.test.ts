import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/core/errors.ts';
import type { TableStore } from '../../src/ports/table-store.ts';
import { HOST_CALL_NAMES } from '../../src/protocol/host-call-names.ts';
import { HOST_CALLS } from '../../src/v8-api/host-calls.ts';
import { ScriptRun } from '../support/script-run.ts';

/** A store whose every statement fails in the same way. */
function failing(error: Error): TableStore {
  const reject = () => Promise.reject(error);
  const [describe, select, count, insert] = [reject, reject, reject, reject];
  return { describe, select, count, insert, update: reject, delete: reject, allOrNothing: reject };
}

describe('the host-call table', () => {
  it('has a handler for every name and no other', () => {
    assert.deepEqual(Object.keys(HOST_CALLS).sort(), [...HOST_CALL_NAMES].sort());
  });

  it('cannot be changed', () => {
    assert.equal(Object.isFrozen(HOST_CALLS), true);
  });
});

describe('failures of a host call', () => {
  it('answers an expected failure as Code 0 with its code in both languages', async () => {
    const tables = failing(new AppError('DB_BUSY'));
    const zh = await new ScriptRun({ tables }).result('FormEngine.GetTableData', 't');
    const en = await new ScriptRun({ tables, lang: 'en' }).result('FormEngine.GetTableData', 't');
    assert.deepEqual([zh.Code, zh.Data, zh.ReasonCode], [0, null, 'DB_BUSY']);
    assert.match(String(zh.Msg), /数据库忙/);
    assert.match(String(en.Msg), /The database is busy/);
  });

  it('lets an unexpected error through, so that it is logged and not shown', async () => {
    const tables = failing(new TypeError('a bug'));
    await assert.rejects(new ScriptRun({ tables }).call('FormEngine.GetTableData', 't'), TypeError);
    const internal = failing(new AppError('INTERNAL'));
    await assert.rejects(new ScriptRun({ tables: internal }).call('FormEngine.GetTableData', 't'), AppError);
  });

  it('prefers the language of the call to that of the run', async () => {
    const tables = failing(new AppError('DB_BUSY'));
    const run = new ScriptRun({ tables, lang: 'en' });
    assert.match(String((await run.result('FormEngine.GetTableData', 't', { _Lang: 'cn' })).Msg), /数据库忙/);
    assert.match(String((await run.result('FormEngine.GetTableData', 't', { _Lang: '' })).Msg), /busy/);
    const says = async (param: Record<string, string>) =>
      String((await run.result('FormEngine.GetTableData', 't', param)).Msg);
    assert.match(await says({ lang: 'zh-CN' }), /数据库忙/);
    assert.match(await says({ lang: 'zh-CN', _Lang: 'en' }), /busy/, '_Lang goes before lang');
    assert.match(await says({ lang: 'de' }), /busy/, 'a column of that name says nothing');
  });
});
