import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { readEngineEntry } from '../../src/core/engine-entry.ts';
import { dispositionOf, entryAnswer } from '../../src/core/entry-answer.ts';
import { entryParam } from '../../src/core/entry-param.ts';
import { readEntryPath } from '../../src/core/entry-path.ts';
import { type EntryUser, entryRefusal, entryUserOf } from '../../src/core/entry-user.ts';
import { checkFile } from '../../src/core/file-type.ts';
import { entryColumns } from '../../src/core/header-entry.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { readXmlFields } from '../../src/core/xml-fields.ts';

describe('a path of the entry', () => {
  const PATHS: readonly (readonly [string, unknown, string?])[] = [
    ['/apiengine/stock-show', { kind: 'engine', key: 'stock-show', address: '/apiengine/stock-show' }],
    ['/ApiEngine/stock-show/', { kind: 'engine', key: 'stock-show', address: '/ApiEngine/stock-show' }],
    ['/apiengine/a/b', { kind: 'engine', key: undefined, address: '/apiengine/a/b' }],
    ['/apiengine/%E8%AE%A2%E5%8D%95', { kind: 'engine', key: undefined, address: '/apiengine/订单' }],
    ['/apiengine/pay--OsClient--factory-1--', { kind: 'engine', key: 'pay', address: '/apiengine/pay' }, 'factory-1'],
    ['/apiengine/pay--osclient----', { kind: 'engine', key: 'pay', address: '/apiengine/pay' }, ''],
    ['/api/ApiEngine/Run', { kind: 'run' }],
    ['/api/apiengine/run', { kind: 'run' }],
    ['/api/formengine/GetTableData', { kind: 'form', method: 'GetTableData', table: undefined }],
    ['/api/FormEngine/gettabledata-shop_order', { kind: 'form', method: 'GetTableData', table: 'shop_order' }],
    ['/api/formengine/get-formdata-A', { kind: 'form', method: 'GetFormData', table: 'A' }],
    ['/api/formengine/upt-formdata-A', { kind: 'form', method: 'UptFormData', table: 'A' }],
    ['/api/formengine/GetTableDataAnonymous', { kind: 'form-anonymous' }],
    ['/api/FormEngine/copy-table', { kind: 'engine', key: undefined, address: '/api/FormEngine/copy-table' }],
    ['/erp/orders', { kind: 'engine', key: undefined, address: '/erp/orders' }],
  ];
  for (const [path, target, tenant] of PATHS) {
    it(`is read: ${path}`, () => assert.deepEqual(readEntryPath(path), { target, tenant }));
  }
  it('that cannot be decoded is none', () => assert.equal(readEntryPath('/apiengine/%zz'), undefined));
});

test('V8.Param: query over form over body, and nothing of identity or trust comes from the request', () => {
  const forged = {
    _CurrentUser: { Id: 'x' },
    _TrustedServerInvocation: true,
    _InvokeType: 'Server',
    OsClient: 'other',
  };
  const sources = {
    body: { a: 1, b: 2, c: 3, ...forged, ApiEngineKey: 'z', _FilesByteBase64: {} },
    form: { b: 'form', c: 'form' },
    query: { c: 'query', _DeviceId: 'forged' },
  };
  const facts = {
    tenant: 'demo',
    engineKey: 'k',
    address: '/apiengine/k',
    currentUser: undefined,
    deviceId: 'd'.repeat(300),
  };
  assert.deepEqual(entryParam(sources, facts), {
    ...{ a: 1, b: 'form', c: 'query', OsClient: 'demo', ApiEngineKey: 'k', ApiAddress: '/apiengine/k' },
    ...{ _InvokeType: 'Client', _DeviceId: 'd'.repeat(256) },
  });
});

describe('who may call an engine', () => {
  const user = (parts: Partial<EntryUser>): EntryUser => ({
    ...{ id: 'u', name: 'u', current: {}, level: 0, roleIds: ['r1'], onlyGet: false },
    ...parts,
  });
  const RULES: readonly (readonly [unknown, EntryUser | undefined, string | undefined])[] = [
    [{}, undefined, 'ENTRY_LOGIN'],
    [{ AllowAnonymous: 1 }, undefined, undefined],
    [{ AllowAnonymous: '1' }, undefined, undefined],
    [{}, user({}), undefined],
    [{ ApiRole: '[]' }, user({}), undefined],
    [{ ApiRole: '["r1"]' }, user({}), undefined],
    [{ ApiRole: '[{"Id":"r1","Name":"sales"}]' }, user({}), undefined],
    [{ ApiRole: '["r2"]' }, user({}), 'ENTRY_ROLE'],
    [{ ApiRole: '["r2"]' }, user({ level: 9999 }), undefined],
    [{ ApiRole: '{"r1":1}' }, user({}), 'ENTRY_ROLE'],
    [{ ApiRole: 'r1' }, user({}), 'ENTRY_ROLE'],
    [{ ApiRole: 'r1' }, user({ level: 9999 }), undefined],
    [{}, user({ onlyGet: true }), 'ENTRY_QUERY_ONLY'],
    [{ ApiRole: '["r1"]' }, user({ onlyGet: true }), undefined],
  ];
  for (const [row, who, code] of RULES) {
    it(`${JSON.stringify(row)} for ${who === undefined ? 'nobody' : JSON.stringify(who)}: ${code ?? 'yes'}`, () => {
      assert.equal(entryRefusal(readEngineEntry(row as object), 'k', who)?.code, code);
    });
  }
  it('a token is a user whose role is its role', () => {
    const by = { kind: 'config-key', id: '', name: 'ci', level: 0 } as const;
    const { roleIds, level } = entryUserOf({ kind: 'tenant', tenant: 'demo', role: 'developer', by });
    assert.deepEqual([roleIds, level], [['developer'], 0]);
    assert.equal(entryUserOf({ kind: 'host', by: { ...by, kind: 'host' } }).current._IsAdmin, true);
  });
  it('a login is its user', () => {
    const by = { kind: 'user', id: 'u1', name: 'anna', level: 9999 } as const;
    const { id, current, level } = entryUserOf({ kind: 'tenant', tenant: 'demo', role: 'admin', by });
    assert.deepEqual([id, current.Account, current.Level, level], ['u1', 'anna', 9999, 9999]);
    const named = entryUserOf({ kind: 'tenant', tenant: 'demo', role: 'admin', by: { ...by, personName: 'Anna Li' } });
    assert.deepEqual(
      [current.Name, named.current.Name, named.current.Account, named.name],
      ['anna', 'Anna Li', 'anna', 'Anna Li'],
    );
  });
});

describe('an answer', () => {
  const answer = (result: JsonValue, mode: 'auto' | 'html' | 'file' = 'auto', jsonRequest = false) =>
    entryAnswer(result, { mode, jsonRequest });
  const file = (type: string, text: string) => ({
    Code: 1,
    Data: { FileName: 'a', ContentType: type, FileByteBase64: btoa(text) },
  });

  it('is text, a page, or JSON as it is', () => {
    assert.deepEqual(answer('ok'), { kind: 'text', html: false, text: 'ok' });
    assert.deepEqual(answer('<p>', 'html'), { kind: 'text', html: true, text: '<p>' });
    for (const value of [null, 1, true, [1], { a: 1 }, { Code: 0 }]) {
      assert.deepEqual(answer(value, 'html'), { kind: 'json', value });
    }
  });

  it('is a file where its engine answers with files, and its bytes are what it says', () => {
    assert.equal(answer(file('application/pdf', 'xx%PDF-1.4 '), 'file').kind, 'file');
    assert.equal(answer(file('application/pdf', 'xx%PDF-1.4'), 'auto').kind, 'json');
    assert.equal(answer(file('text/csv', 'a;b'), 'file').kind, 'file');
    for (const bad of [file('image/png', '<svg>'), file('application/pdf', 'MZ'), file('no type', 'a')]) {
      const refused = answer(bad, 'file');
      assert.equal(refused.kind === 'refused' && refused.error.code, 'ENTRY_FILE_INVALID');
    }
    assert.equal(answer({ Code: 1, Data: { FileName: 'a', FileByteBase64: '' } }, 'file').kind, 'json');
    assert.equal(answer({ ...file('text/csv', 'a'), Code: 0 }, 'file').kind, 'json');
  });

  it('is a redirect to a safe place, not for programs', () => {
    for (const url of ['/login', 'https://open.example.com/oauth?x=1#y', 'http://10.0.0.1:8080/']) {
      assert.deepEqual(answer({ RedirectUrl: url }), { kind: 'redirect', url });
    }
    const unsafe = ['//evil.test', '/\\evil.test', 'javascript:alert(1)', 'https://a:b@evil.test', 'https:evil.test'];
    for (const url of [...unsafe, 'data:text/html,x', '/a\r\nSet-Cookie: x', ' /a', 'relative']) {
      const refused = answer({ RedirectUrl: url });
      assert.equal(refused.kind === 'refused' && refused.error.code, 'ENTRY_REDIRECT_UNSAFE', url);
    }
    assert.equal(answer({ RedirectUrl: '/login' }, 'auto', true).kind, 'json');
  });

  it('names files so that no name breaks its header', () => {
    const text = dispositionOf({ name: '订单"\r\n(1).pdf', inline: true });
    assert.equal(text, `inline; filename="_____(1).pdf"; filename*=UTF-8''%E8%AE%A2%E5%8D%95%22%0D%0A%281%29.pdf`);
  });
});

test('kinds of files are known by their first bytes', () => {
  const signed: readonly (readonly [string, readonly number[] | string])[] = [
    ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    ['image/jpg', [0xff, 0xd8, 0xff, 0xe0]],
    ['image/gif', 'GIF89a'],
    ['image/webp', 'RIFF\0\0\0\0WEBP'],
    ['image/avif', '\0\0\0\x20ftypavif'],
    ['image/bmp', 'BM'],
    ['image/tiff', [0x49, 0x49, 0x2a, 0]],
    ['image/x-icon', [0, 0, 1, 0]],
    ['image/svg+xml', '<?xml version="1.0"?><svg xmlns="x">'],
    ['application/pdf', '\ufeff%PDF-1.7'],
  ];
  for (const [type, content] of signed) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content);
    assert.equal(checkFile(type, bytes)?.inline, true, type);
    assert.equal(checkFile(type, new TextEncoder().encode('MZ: something else')), undefined, type);
  }
  assert.equal(checkFile('application/zip', new Uint8Array([1]))?.inline, false);
});

test('XML bodies are flat, and what is not is refused without a long look', () => {
  const READ: readonly (readonly [string, object])[] = [
    ['<xml><a>1</a><b><![CDATA[x<y]]></b></xml>', { a: '1', b: 'x<y' }],
    ['\ufeff<?xml version="1.0"?>\n<xml>\n <a> 1 &amp; &#20013;&#x6587;</a>\n <e/></xml>\n', { a: ' 1 & 中文', e: '' }],
    ['<xml/>', {}],
  ];
  for (const [text, fields] of READ) assert.deepEqual(readXmlFields(text), { ok: true, value: fields });
  const attacks = ['<xml>'.repeat(100_000), `<xml>${'<a>'.repeat(100_000)}`, `<xml><a>${'&'.repeat(500_000)}`];
  const bad = ['', 'x', '<xml><a><b/></a></xml>', '<xml><a>1</b></xml>', '<xml/>x', '<!DOCTYPE a><xml/>', '<xml><!--'];
  const startedAt = performance.now();
  for (const text of [...bad, ...attacks, `<xml>${' '.repeat(500_000)}x`]) assert.equal(readXmlFields(text).ok, false);
  assert.ok(performance.now() - startedAt < 20_000, 'linear, not quadratic');
});

test('a header sets the columns that it names, and takes back what only the header before said', () => {
  assert.deepEqual(entryColumns({}), {});
  assert.deepEqual(entryColumns({ anonymous: true, roles: ['a'] }), { AllowAnonymous: 1, ApiRole: '["a"]' });
  assert.deepEqual(entryColumns({}, { anonymous: true, response: 'html', address: '/x', stopHttp: true }), {
    ...{ AllowAnonymous: 0, StopHttp: 0, ResponseType: '', ResponseFile: 0, ApiAddress: '' },
  });
});
