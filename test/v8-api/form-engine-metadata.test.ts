import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptRun } from '../support/script-run.ts';
import { SqliteTables } from '../support/sqlite-tables.ts';

const open = () =>
  new ScriptRun({
    tables: new SqliteTables({
      diy_table: { columns: { Name: 'text', IsTree: 'integer' }, rows: [{ Id: 't1', Name: 'dept', IsTree: 1 }] },
      dept: { columns: { Title: 'text' } },
      plain: { columns: { Title: 'text' } },
    }).store,
  });

describe('what the designer stored', () => {
  it('gives the designer’s row by name and by Id, and to the own tenant alone', async () => {
    const run = open();
    for (const key of ['DEPT', 't1']) {
      const { Code, Data } = await run.result('FormEngine.GetDiyTable', key, 'acme', 'cn');
      const { Id, Name, IsTree } = Data as Record<string, unknown>;
      assert.deepEqual([Code, Id, Name, IsTree], [1, 't1', 'dept', 1]);
    }
    assert.deepEqual((await run.result('FormEngine.GetDiyTableModel', 'plain')).Data, { Name: 'plain' });
    assert.equal((await run.result('FormEngine.GetDiyTable', 'dept', 'other')).ReasonCode, 'TENANT_MISMATCH');
    assert.equal((await run.result('FormEngine.GetDiyTable', 'none')).ReasonCode, 'TABLE_UNKNOWN');
    assert.equal((await run.result('FormEngine.GetDiyTable')).ReasonCode, 'PARAM_MISSING');
  });

  it('gives the settings that V8.SysConfig has', async () => {
    assert.deepEqual((await open().result('FormEngine.GetSysConfig', 'Acme')).Data, { SysTitle: 'Acme ERP' });
  });
});
