/*
 * Engines by key, Id and address (v8-surface.md 8.1, 8.2), responses that they describe themselves, and FormEngine's
 * twins with the events of their tables, over both databases.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { DATABASES, openEntry, run, tableOf } from '../patterns/pattern-host.ts';
import { eventually } from '../support/eventually.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const DEVELOPER = {
  tenant: 'demo',
  role: 'developer',
  sha256: createHash('sha256').update('token-of-developer').digest('hex'),
  expiresAt: undefined,
} as const;

const callee = (word: string, address = '/names/one') =>
  `/** @anonymous\n * @address ${address} */\nreturn { Code: 1, Data: [V8.ApiEngineKey, '${word}'] };`;

const SCRIPTS = {
  'callee.js': callee('first'),
  'caller.js': 'return { Code: 1, Data: V8.ApiEngine.Run(V8.Param.Name) };',
  'by-object.js': 'return { Code: 1, Data: V8.ApiEngine.Run(V8.Param.Object) };',
  'worker.js': `/** @queue names */
    return V8.FormEngine.AddFormData('noted', { Text: V8.ApiEngineKey });`,
  'respond.js': '/** @anonymous */\nreturn { Code: V8.Param.Code, DataAppend: { HttpResponse: V8.Param.Response } };',
};

const EVENTS = {
  Id: 't1',
  Name: 'paper',
  SubmitBeforeServerV8: `if (V8.Form.Title === 'no') return { Code: 0, Msg: 'no such title' };
    V8.Form.Title = V8.FormSubmitAction + ' ' + V8.Form.Title + ' ' + V8.InvokeType;`,
  SubmitAfterServerV8: `return V8.FormEngine.AddFormData('noted', { Text: V8.EventName + ' ' + V8.Form.Title }, V8.DbTrans);`,
  ServerDataV8: 'delete V8.Form.Pages;',
};

const longtext = (Name: string) => ({ Name, Type: 'longtext' });
const TABLES = [
  tableOf('paper', ['Title'], ['Pages']),
  tableOf('noted', ['Text']),
  {
    Name: 'diy_table',
    Fields: ['Name', 'SubmitBeforeServerV8', 'SubmitAfterServerV8', 'ServerDataV8'].map(longtext),
    Rows: [EVENTS],
  },
];

for (const [name, urlOf] of DATABASES) {
  async function open(t: TestContext) {
    const [databaseUrl, dir] = [await urlOf(), tempDir(t)];
    const host = await TestHost.open(dir, databaseUrl === undefined ? {} : { databaseUrl });
    t.after(() => host.close());
    await host.push(SCRIPTS, TABLES);
    const byHand = async (sql: string): Promise<Record<string, unknown>[]> => {
      if (databaseUrl !== undefined) return sqlAsAdmin(databaseUrl, sql);
      using db = new DatabaseSync(join(dir, 'tenants/demo.db'));
      return db.prepare(sql).all();
    };
    const idOf = async (key: string) =>
      String((await byHand(`select Id from sys_apiengine where ApiEngineKey = '${key}'`))[0]?.Id);
    return { host, byHand, idOf, databaseUrl, ask: openEntry(t, host, [DEVELOPER]) };
  }

  describe(`names of engines on ${name}`, () => {
    it('are further paths, whose parts are parameters', async (t) => {
      const { host, byHand, ask } = await open(t);
      const source = 'return { Code: 1, Data: [V8.ApiEngineKey, V8.Param.Id, V8.Param.Line, V8.Param.ApiAddress] };';
      await host.push({ 'routed.js': `/** @anonymous */\n${source}`, 'callee.js': callee('first', '/names/7') });
      const routes = '/names/{Id};/names/{Id}/lines/{Line}/;/apiengine/old/{ApiEngineKey}';
      await byHand(`update sys_apiengine set ApiRoutes = '${routes}' where ApiEngineKey = 'routed'`);
      const answers: readonly (readonly [url: string, data: readonly unknown[]])[] = [
        ['/Names/A%207?Id=query', ['routed', 'A 7', undefined, '/Names/A 7']],
        ['/names/8/LINES/2', ['routed', '8', '2', '/names/8/LINES/2']],
        ['/names/7', ['callee', 'first']],
        ['/apiengine/old/forged', ['routed', undefined, undefined, '/apiengine/old/forged']],
      ];
      for (const [url, data] of answers) {
        const expected = data.map((value) => value ?? null);
        await eventually(async () => assert.deepEqual((await ask({ method: 'GET', url })).json().Data, expected, url));
      }
      assert.equal((await ask({ method: 'GET', url: '/names/8/lines' })).statusCode, 404);
      const named = await run(host, 'caller', { Name: '/names/9' });
      assert.equal(named.Data.Data[0], 'routed');
    });

    it('are keys, Ids and addresses, for scripts and over HTTP', async (t) => {
      const { host, idOf, ask } = await open(t);
      const id = await idOf('callee');
      for (const Name of ['callee', 'CALLEE', id, '/names/one', '/NAMES/one']) {
        assert.deepEqual((await run(host, 'caller', { Name })).Data.Data, ['callee', 'first'], Name);
      }
      for (const named of [{ ApiEngineKey: id }, { ApiAddress: '/names/one' }, { Id: id }]) {
        assert.deepEqual((await run(host, 'by-object', { Object: named })).Data.Data, ['callee', 'first']);
      }
      const missing = await run(host, 'by-object', { Object: { ApiEngineKey: 'none', Id: id } });
      assert.equal(missing.Data.ReasonCode, 'ENGINE_MISSING', 'an Id beside a key is a parameter');
      for (const Name of ['/names/none', '01JDX0000000000000000000RN']) {
        assert.equal((await run(host, 'caller', { Name })).Data.ReasonCode, 'ENGINE_MISSING');
      }
      assert.equal((await run(host, 'caller', { Name: '../x' })).Data.ReasonCode, 'ENGINE_KEY_INVALID');
      for (const url of [`/apiengine/${id}`, '/names/one', '/apiengine/callee']) {
        assert.deepEqual((await ask({ method: 'GET', url })).json().Data, ['callee', 'first'], url);
      }
    });

    it('lead to the new version at once after a push, by every name', async (t) => {
      const { host, idOf } = await open(t);
      const id = await idOf('callee');
      const wordBy = async (Name: string) => (await run(host, 'caller', { Name })).Data.Data?.[1];
      for (const by of [id, 'callee', '/names/one']) assert.equal(await wordBy(by), 'first');
      await host.push({ 'callee.js': callee('second', '/names/two') }, TABLES);
      for (const by of [id, 'callee', '/names/two']) assert.equal(await wordBy(by), 'second', by);
      assert.equal((await run(host, 'caller', { Name: '/names/one' })).Data.ReasonCode, 'ENGINE_MISSING');
    });

    it('serve a binding that has an Id, and source in Base64', async (t) => {
      const { host, byHand, idOf } = await open(t);
      const source = "return V8.FormEngine.AddFormData('noted', { Text: 'base64 ' + V8.ApiEngineKey });";
      await byHand(`update sys_apiengine set ApiV8Code = '${btoa(source)}' where ApiEngineKey = 'worker'`);
      await byHand(`update diy_queue_receive set ApiEngineKey = '${await idOf('worker')}' where QueueName = 'names'`);
      await host.host.start();
      await host.send('names', 'e1', {});
      await eventually(async () =>
        assert.deepEqual(
          (await host.rows('noted')).map(({ Text }) => Text),
          ['base64 worker'],
        ),
      );
    });
  });

  describe(`responses and events over HTTP on ${name}`, () => {
    it('DataAppend.HttpResponse decides status, type, headers and body, and nothing of what is the host’s', async (t) => {
      const { ask } = await open(t);
      const respond = (Response: unknown, Code = 1) =>
        ask({ method: 'POST', url: '/apiengine/respond', payload: { Response, Code } });
      const made = await respond({
        StatusCode: 201,
        Body: { Id: 7 },
        Headers: { 'X-Total': 3, Location: '/papers/7' },
      });
      assert.deepEqual([made.statusCode, made.json()], [201, { Id: 7 }]);
      assert.deepEqual([made.headers['x-total'], made.headers.location], ['3', '/papers/7']);
      assert.match(String(made.headers['content-type']), /^application\/json/);
      assert.match(String(made.headers['content-security-policy']), /^sandbox/);
      const gone = await respond({ StatusCode: '404', ContentType: 'text/xml', Body: '<gone/>' }, 0);
      assert.deepEqual([gone.statusCode, gone.headers['content-type'], gone.body], [404, 'text/xml', '<gone/>']);
      const bytes = await respond({ BodyBase64: 'AAEC' });
      assert.deepEqual([bytes.statusCode, [...bytes.rawPayload]], [200, [0, 1, 2]]);
      const refused = [
        { StatusCode: 99 },
        { StatusCode: 1.5 },
        { BodyBase64: '***' },
        { ContentType: 'text/javascript', Body: 'x' },
        { ContentType: 'no type' },
        ...[
          'Set-Cookie',
          'Content-Length',
          'Access-Control-Allow-Origin',
          'X-Frame-Options',
          'Content-Security-Policy',
        ].map((header) => ({ Headers: { [header]: '1' } })),
        { Headers: { 'X-A': 'two\r\nlines' } },
        { Headers: { Location: '//evil.example' } },
        { Headers: { Location: 'javascript:alert(1)' } },
      ];
      for (const response of refused) {
        const { Code, ReasonCode } = (await respond(response)).json();
        assert.deepEqual([Code, ReasonCode], [0, 'ENTRY_RESPONSE_INVALID'], JSON.stringify(response));
      }
      assert.deepEqual((await respond('no object')).json().DataAppend, { HttpResponse: 'no object' });
    });

    it('the twins of FormEngine fire the events of their table, in the transaction of the write', async (t) => {
      const { host, ask } = await open(t);
      const headers = { osclient: 'demo', authorization: 'Bearer token-of-developer' };
      const call = async (method: string, payload: object) =>
        (await ask({ method: 'POST', url: `/api/formengine/${method}`, headers, payload })).json();
      const paper = (row: object) => ({ FormEngineKey: 'paper', ...row });
      const added = await call('AddFormData', paper({ Id: 'p1', Title: 'one', Pages: 3, _InvokeType: 'Server' }));
      assert.deepEqual([added.Code, added.Data.Title], [1, 'Insert one Client'], JSON.stringify(added));
      assert.equal((await call('UptFormData', paper({ Id: 'p1', Title: 'two', _RunV8Event: '0' }))).DataCount, 1);
      const read = await call('GetFormData', paper({ Id: 'p1' }));
      assert.deepEqual([read.Data.Title, 'Pages' in read.Data], ['Update two Client', false], 'the row filter');
      const refused = await call('AddFormData', paper({ Id: 'p2', Title: 'no' }));
      assert.deepEqual([refused.Code, refused.Msg], [0, 'no such title']);
      assert.equal((await call('DelFormData', paper({ Id: 'p1' }))).Code, 1);
      assert.deepEqual(await host.rows('paper'), []);
      const notes = (await host.rows('noted')).map(({ Text }) => String(Text)).sort();
      const updated = 'FormSubmitAfter Update two Client';
      // The last one is of the delete, whose Form is the row as it was.
      assert.deepEqual(notes, ['FormSubmitAfter Insert one Client', updated, updated]);
    });
  });
}
