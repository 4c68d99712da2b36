/** Scripts that answer over HTTP (patterns 23, 27 to 29, 31 to 33), on the real host and on both databases. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { DATABASES, openEntry, openOutside, openPatternHost, run, scriptFiles, tableOf } from './pattern-host.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const PDF = Buffer.from('%PDF-1.4 small');
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

const TABLES = [
  tableOf('account', [], ['Balance'], [{ Id: 'a1', Balance: 10 }]),
  tableOf('visitor', ['Account'], ['Stars']),
  tableOf('upload', ['Name', 'Url'], ['Size']),
  tableOf('member', ['Name', 'Token'], [], [{ Id: 'm1', Name: 'Li', Token: sha256('t-1') }]),
  tableOf(
    'dept_paper',
    ['DeptId', 'Title'],
    [],
    [
      { Id: 'p1', DeptId: 'developer', Title: 'ours' },
      { Id: 'p2', DeptId: 'hall', Title: 'theirs' },
    ],
  ),
];

const SCRIPTS = scriptFiles(
  ...['debit', 'pay', 'oauth-start', 'oauth-callback', 'file-download', 'upload-receiver', 'sms-code'],
  ...['member-token', 'role-gate'],
);

const KEYS = (['admin', 'developer'] as const).map((role) => ({
  ...{ tenant: 'demo', role, sha256: sha256(`token-of-${role}`), expiresAt: undefined },
}));

/** The provider of logins, a server of files and a store of files. */
const outsideOf = (t: TestContext) =>
  openOutside(t, ({ path, authorization, body }) => {
    if (path === '/token')
      return body.includes('code=good') ? { body: '{"access_token":"at"}' } : { status: 401, body: '' };
    if (path === '/profile') return { body: JSON.stringify({ login: authorization.slice(7), stars: 3 }) };
    if (path === '/files') return { body: '{"url":"https://store/1"}' };
    if (path === '/doc.pdf') return { body: PDF };
    return path === '/pic.png' ? { body: PNG } : { status: 404, body: 'gone' };
  });

for (const [name, urlOf] of DATABASES) {
  const open = async (t: TestContext) => {
    const outside = await outsideOf(t);
    const host = await openPatternHost(t, urlOf, SCRIPTS, TABLES, outside.options);
    const ask = openEntry(t, host, KEYS);
    const get = (path: string, headers = {}) =>
      ask({ method: 'GET', url: `/apiengine/${path}`, headers: { osclient: 'demo', ...headers } });
    return { host, outside, ask, get };
  };

  describe(`patterns of the HTTP entry on ${name}`, () => {
    it('an engine that only engines reach: its refusal stands in Data, its callers reach it', async (t) => {
      const { host, ask, get } = await open(t);
      const request = { method: 'POST', url: '/apiengine/debit', payload: { AccountId: 'a1', Amount: 1 } } as const;
      const headers = { osclient: 'demo', authorization: 'Bearer token-of-admin' };
      const refused = (await ask({ ...request, headers })).json();
      assert.deepEqual([refused.Code, /StopHttp/.test(refused.Data)], [0, true]);
      assert.deepEqual((await get('pay?AccountId=a1&Amount=7')).json(), { Code: 1 });
      assert.deepEqual((await get('pay?AccountId=a1&Amount=7')).json(), { Code: 0, Msg: 'not enough' });
      assert.equal((await host.rows('account'))[0]?.Balance, 3);
      assert.deepEqual(await run(host, 'debit', { AccountId: 'a1', Amount: 3 }), { Code: 1 });
    });

    it('a login at a provider: a bare return keeps V8.Result, a state counts once, a page is the answer', async (t) => {
      const { host, outside, get } = await open(t);
      const missing = await get('oauth-start');
      assert.deepEqual(
        [missing.headers['content-type'], missing.body],
        ['text/html; charset=utf-8', '<h1>Provider is missing</h1>'],
      );
      const started = await get(`oauth-start?Provider=${outside.url}`);
      assert.equal(started.statusCode, 302);
      const state = new URL(String(started.headers.location)).searchParams.get('state');
      assert.match(String(state), /^[0-9a-f]{32}$/);
      const callback = (query: string) => get(`oauth-callback?provider=${outside.url}&${query}`);
      assert.equal((await callback(`state=${state}&code=good`)).body, '<h1>Hello at</h1>');
      assert.equal((await callback(`state=${state}&code=good`)).body, '<h1>expired</h1>');
      assert.equal(outside.calls[0]?.body, 'grant_type=authorization_code&code=good');
      const second = new URL(String((await get(`oauth-start?Provider=${outside.url}`)).headers.location));
      assert.equal(
        (await callback(`state=${second.searchParams.get('state')}&code=bad`)).body,
        '<h1>refused: 401</h1>',
      );
      assert.deepEqual(
        (await host.rows('visitor')).map(({ Account, Stars }) => [Account, Stars]),
        [['at', 3]],
      );
    });

    it('a file handed on: to look at, to save, and refused where its bytes are something else', async (t) => {
      const { outside, get } = await open(t);
      const file = (path: string, name: string, type: string) =>
        get(`file-download?Url=${outside.url}${path}&Name=${name}&Type=${encodeURIComponent(type)}`);
      const pdf = await file('/doc.pdf', 'a.pdf', 'application/pdf');
      assert.match(String(pdf.headers['content-disposition']), /^inline/);
      assert.deepEqual(pdf.rawPayload, PDF);
      const saved = await file('/doc.pdf', 'a.zip', 'application/zip');
      assert.match(String(saved.headers['content-disposition']), /^attachment/);
      const wrong = (await file('/pic.png', 'a.pdf', 'application/pdf')).json();
      assert.deepEqual([wrong.Code, wrong.ReasonCode], [0, 'ENTRY_FILE_INVALID']);
      assert.deepEqual((await file('/none', 'a', 'text/plain')).json(), { Code: 0, Msg: 'no file: 404' });
    });

    it('uploads: a map of names and Base64, each sent on and noted', async (t) => {
      const { host, outside, ask } = await open(t);
      const form = new FormData();
      form.append('Store', outside.url);
      form.append('Folder', '/2026');
      form.append('one', new File(['hello'], '发票.txt'));
      form.append('two', new File([new Uint8Array([0, 255])], 'b.bin'));
      const request = new Request('http://x', { method: 'POST', body: form });
      const sent = await ask({
        method: 'POST',
        url: '/apiengine/upload-receiver',
        payload: Buffer.from(await request.arrayBuffer()),
        headers: { osclient: 'demo', 'content-type': String(request.headers.get('content-type')) },
      });
      assert.deepEqual(sent.json(), { Code: 1, DataCount: 2 });
      const rows = (await host.rows('upload')).map(({ Name, Size, Url }) => `${Name} ${Size} ${Url}`).sort();
      assert.deepEqual(rows, ['b.bin 2 https://store/1', '发票.txt 5 https://store/1']);
      assert.equal(outside.calls.length, 2);
      const none = await ask({ method: 'POST', url: '/apiengine/upload-receiver', payload: {} });
      assert.deepEqual(none.json(), { Code: 0, Msg: 'no file' });
    });

    it('a code by SMS: anybody, a checked number, once a minute', async (t) => {
      const { get } = await open(t);
      assert.deepEqual((await get('sms-code?Phone=13812345678')).json().Data, { Anonymous: true, Digits: 6 });
      assert.equal((await get('sms-code?Phone=13812345678')).json().Msg, 'once a minute');
      assert.equal((await get('sms-code?Phone=13987654321')).json().Code, 1);
      assert.equal((await get('sms-code?Phone=1381234')).json().Msg, 'no telephone number');
    });

    it('a member’s token: parameters before headers, whatever their case, with or without Bearer', async (t) => {
      const { get } = await open(t);
      const who = async (query: string, headers = {}) => (await get(`member-token${query}`, headers)).json();
      assert.equal((await who('?MemberToken=t-1', { 'member-token': 'wrong' })).Data, 'Li');
      assert.equal((await who('', { 'Member-Token': 'Bearer t-1' })).Data, 'Li');
      assert.equal((await who('', { MEMBERTOKEN: 't-1' })).Data, 'Li');
      assert.equal((await who('?MemberToken=t-2')).Code, 1001);
      assert.equal((await who('')).Code, 1001);
    });

    it('a gate by role: nobody without a login, the own rows, all rows for administrators', async (t) => {
      const { get } = await open(t);
      const seen = async (headers = {}) => (await get('role-gate', headers)).json();
      assert.equal((await seen()).Code, 1001);
      const titles = async (role: string) =>
        (await seen({ authorization: `Bearer token-of-${role}` })).Data.map((row: { Title: string }) => row.Title);
      assert.deepEqual(await titles('developer'), ['ours']);
      assert.deepEqual(await titles('admin'), ['ours', 'theirs']);
    });
  });
}
