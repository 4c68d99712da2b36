/*
 * Rows of v8-surface.md 5.5 and 8.3 that stand in columns of sys_apiengine, and every twin of FormEngine, over both
 * databases. The other rows: entry.test.ts.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { DATABASES, openEntry, tableOf } from '../patterns/pattern-host.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const KEYS = (['admin', 'developer', 'viewer'] as const).map((role) => ({
  tenant: 'demo',
  role,
  sha256: createHash('sha256').update(`token-of-${role}`).digest('hex'),
  expiresAt: undefined,
}));

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const PDF = Buffer.from('junk before\n%PDF-1.4 small');

const fileOf = (type: string, bytes: Buffer) =>
  `return { Code: 1, Data: { FileName: 'f', ContentType: '${type}', FileByteBase64: '${bytes.toString('base64')}' } };`;

const SCRIPTS = {
  'plain.js': `return { Code: 1, Data: V8.CurrentUser.Id || 'nobody' };`,
  'picture.js': fileOf('image/png', PNG),
  'paper.js': fileOf('application/pdf', PDF),
  'page.js': `return '<h1>' + (V8.Param.Name || '') + '</h1>';`,
  'leave.js': `V8.Result = { RedirectUrl: '/elsewhere' };`,
};

const TABLES = [tableOf('paper', ['Title', 'ParentId'], ['Pages'])];

for (const [name, urlOf] of DATABASES) {
  const open = async (t: TestContext) => {
    const databaseUrl = await urlOf();
    const dir = tempDir(t);
    const host = await TestHost.open(dir, databaseUrl === undefined ? {} : { databaseUrl });
    t.after(() => host.close());
    await host.push(SCRIPTS, TABLES);
    const setColumns = async (key: string, columns: Columns) => {
      const sql = updateOf(key, columns);
      if (databaseUrl === undefined) {
        const byHand = new DatabaseSync(join(dir, 'tenants/demo.db'));
        byHand.exec(sql);
        byHand.close();
      } else {
        await sqlAsAdmin(databaseUrl, sql);
      }
      await host.adapters.invalidation.announce('demo', [`engine:${key}`]);
    };
    const ask = openEntry(t, host, KEYS);
    const get = (key: string, role?: string) =>
      ask({ method: 'GET', url: `/apiengine/${key}`, headers: headersOf(role) });
    const post = async (path: string, payload: object, role = 'developer') =>
      (await ask({ method: 'POST', url: path, payload, headers: headersOf(role) })).json();
    return { host, get, post, setColumns };
  };

  describe(`columns of an engine over HTTP on ${name}`, () => {
    it('IsEnable 0: Code 0 and the text in Data; NULL is enabled', async (t) => {
      const { get, setColumns } = await open(t);
      await setColumns('plain', { AllowAnonymous: 1, IsEnable: 0 });
      const { Code, Data, ReasonCode } = (await get('plain')).json();
      assert.deepEqual([Code, typeof Data, ReasonCode], [0, 'string', 'ENGINE_DISABLED']);
      await setColumns('plain', { IsEnable: null });
      assert.deepEqual((await get('plain')).json(), { Code: 1, Data: 'nobody' });
    });

    it('ResponseFile 1 and ResponseType File answer with files, pictures and PDF to look at', async (t) => {
      const { get, setColumns } = await open(t);
      await setColumns('picture', { AllowAnonymous: 1 });
      assert.equal((await get('picture')).json().Data.FileName, 'f', 'JSON without either');
      await setColumns('picture', { ResponseFile: 1 });
      assert.deepEqual((await get('picture')).rawPayload, PNG);
      await setColumns('paper', { AllowAnonymous: 1, ResponseType: 'File' });
      const paper = await get('paper');
      assert.deepEqual([paper.headers['content-type'], paper.body], ['application/pdf', '%PDF-1.4 small']);
      assert.match(String(paper.headers['content-disposition']), /^inline/);
    });

    it('ResponseType HTML makes pages of texts, and redirects as GET does', async (t) => {
      const { get, setColumns } = await open(t);
      await setColumns('page', { AllowAnonymous: 1 });
      assert.equal((await get('page')).headers['content-type'], 'text/plain; charset=utf-8');
      await setColumns('page', { ResponseType: 'HTML' });
      assert.equal((await get('page')).headers['content-type'], 'text/html; charset=utf-8');
      await setColumns('leave', { AllowAnonymous: 1, ResponseType: 'HTML' });
      const left = await get('leave');
      assert.deepEqual([left.statusCode, left.headers.location], [302, '/elsewhere']);
    });

    it('ApiRole: ids, rows of roles, everybody for an empty list, nobody for what is no list', async (t) => {
      const { get, setColumns } = await open(t);
      const codes = async (ApiRole: string | null) => {
        await setColumns('plain', { ApiRole });
        return [(await get('plain', 'developer')).json().Code, (await get('plain', 'admin')).json().Code];
      };
      assert.deepEqual(await codes('[]'), [1, 1]);
      assert.deepEqual(await codes(null), [1, 1]);
      assert.deepEqual(await codes('["developer"]'), [1, 1]);
      assert.deepEqual(await codes('[{"Id":"developer","Name":"D"}]'), [1, 1]);
      assert.deepEqual(await codes('["sales"]'), [0, 1], 'Level 9999 passes');
      assert.equal((await codes('no list'))[0], 0);
      assert.equal((await get('plain')).json().Code, 1001);
    });
  });

  describe(`twins of FormEngine over HTTP on ${name}`, () => {
    it('do what the methods of scripts do, by both spellings of the path', async (t) => {
      const { host, post } = await open(t);
      const call = (method: string, payload: object) => post(`/api/formengine/${method}`, payload);
      const rows = async () => (await host.rows('paper')).map(({ Id, Title }) => `${Id} ${Title}`).sort();
      const paper = (row: object) => ({ FormEngineKey: 'paper', ...row });

      assert.equal((await call('AddFormData', paper({ Id: 'p1', Title: 'one', Pages: 1 }))).Code, 1);
      assert.equal((await call('addformdata-paper', { Id: 'p2', Title: 'two', ParentId: 'p1' })).Code, 1);
      assert.equal((await call('add-formdata-paper', { Id: 'p3', Title: 'three' })).Code, 1);
      assert.equal((await call('AddTableData', [paper({ Id: 'p4' }), paper({ Id: 'p5' })])).Code, 1);
      assert.equal((await call('GetFormData', paper({ Id: 'p1' }))).Data.Title, 'one');
      assert.deepEqual([(await call('GetFormData', paper({ Id: 'none' }))).Code], [2]);
      assert.equal((await call('getformdata-paper', { Id: 'p2' })).Data.Title, 'two');
      assert.equal((await call('gettabledata-paper', { _PageSize: 2 })).Data.length, 2);
      assert.equal((await call('GetTableData', paper({}))).DataCount, 5);
      assert.equal((await call('GetTableDataCount', paper({ _Where: [['Title', '=', 'one']] }))).DataCount, 1);
      const [top] = (await call('GetTableDataTree', paper({ _OrderBy: 'Id' }))).Data;
      assert.equal(top._Child[0].Title, 'two');
      assert.equal((await call('UptFormData', paper({ Id: 'p1', Title: 'ONE' }))).DataCount, 1);
      assert.equal((await call('upt-formdata-paper', { Id: 'p2', Title: 'TWO' })).DataCount, 1);
      const byWhere = paper({ Title: 'same', _Where: [['Id', 'In', ['p3', 'p4']]] });
      assert.equal((await call('UptFormDataByWhere', byWhere)).DataCount, 2);
      assert.equal((await call('UptTableData', [paper({ Id: 'p5', Title: 'five' })])).DataCount, 1);
      assert.deepEqual(await rows(), ['p1 ONE', 'p2 TWO', 'p3 same', 'p4 same', 'p5 five']);
      const saved = paper({ AddList: [{ Id: 'p6', Title: 'six' }], UptList: [{ Id: 'p5', Title: 'FIVE' }] });
      assert.equal((await call('SaveBatch', saved)).Code, 1);
      assert.equal((await call('DelFormData', paper({ Id: 'p1' }))).DataCount, 1);
      assert.equal((await call('delformdata-paper', { Ids: ['p2'] })).DataCount, 1);
      assert.equal((await call('DelFormDataByWhere', paper({ _Where: [['Title', '=', 'same']] }))).DataCount, 2);
      assert.equal((await call('DelTableData', [paper({ Id: 'p5' })])).DataCount, 1);
      assert.deepEqual(await rows(), ['p6 six']);
    });

    it('refuse an Id that is no value, a condition that is missing and what is anonymous', async (t) => {
      const { host, post } = await open(t);
      const call = (method: string, payload: object) => post(`/api/formengine/${method}`, payload);
      for (const Id of [{ a: 1 }, ['p1']]) {
        assert.equal((await call('GetFormData', { FormEngineKey: 'paper', Id })).Code, 0);
      }
      for (const method of ['UptFormDataByWhere', 'DelFormDataByWhere']) {
        for (const _Where of [undefined, []]) {
          const answer = await call(method, { FormEngineKey: 'paper', Title: 'x', _Where });
          assert.deepEqual([answer.Code, answer.ReasonCode], [0, 'WHERE_REQUIRED'], method);
        }
      }
      for (const method of ['GetTableData', 'GetFormData', 'AddFormData']) {
        const answer = await call(`${method}Anonymous`, { FormEngineKey: 'paper' });
        assert.equal(answer.ReasonCode, 'ENTRY_FORM_ANONYMOUS', method);
      }
      assert.equal((await call('GetTableData', { FormEngineKey: 'no_table' })).ReasonCode, 'TABLE_UNKNOWN');
      assert.deepEqual(await host.rows('paper'), []);
    });
  });
}

function headersOf(role: string | undefined): Record<string, string> {
  return { osclient: 'demo', ...(role === undefined ? {} : { authorization: `Bearer token-of-${role}` }) };
}

type Columns = Readonly<Record<string, string | number | null>>;

/** As somebody edits the row by hand. */
function updateOf(key: string, columns: Columns): string {
  const literal = (value: string | number | null) => (typeof value === 'string' ? `'${value}'` : String(value));
  const set = Object.entries(columns).map(([column, value]) => `${column} = ${literal(value)}`);
  return `update sys_apiengine set ${set.join(', ')} where ApiEngineKey = '${key}'`;
}
