/** One engine through the API: saved, compared, rolled back, switched, over a real host. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DosResult } from '../../src/core/dos-result.ts';
import { type ApiHost, openApi } from '../support/api-host.ts';
import { outside, tenantFile } from '../support/outside.ts';

interface Saved {
  readonly key: string;
  readonly version: string;
  readonly no: number;
  readonly changed: readonly string[];
}

describe('an engine through the API', { concurrency: false }, () => {
  const ends: (() => Promise<void> | void)[] = [];
  let api: ApiHost;
  let developer: string;

  before(async () => {
    api = await openApi({ after: (end) => void ends.unshift(end) });
    await api.host.host.start();
    developer = await api.login('developer');
  });

  after(async () => {
    for (const end of ends) await end();
  });

  const save = (key: string, source: string, base?: string | null) =>
    api.ask('PUT', `tenants/demo/engines/${key}`, { source, ...(base === undefined ? {} : { base }) }, developer);
  const saved = ({ status, body }: { status: number; body: DosResult }): Saved => {
    assert.equal(status, 200, JSON.stringify(body));
    return body.Data as unknown as Saved;
  };
  const run = (key: string) => api.data('POST', `tenants/demo/engines/${key}/run`, {});
  const numbers = async (key: string) =>
    (
      await api.data<{ no: number; origin: string; author: string; restoredFrom: number | null }[]>(
        'GET',
        `tenants/demo/engines/${key}/versions`,
      )
    ).map(({ no, origin, author, restoredFrom }) => [no, origin, author, restoredFrom]);

  it('tells who gives no number in words of people', async () => {
    for (const [query, field] of [
      ['diff?from=first', 'query.from'],
      ['versions?limit=x', 'query.limit'],
    ]) {
      const { status, body } = await api.ask('GET', `tenants/demo/engines/price/${query}`);
      assert.deepEqual([status, body.DataAppend], [400, { field, rule: 'must be a number' }]);
    }
    const { body } = await api.ask('GET', 'tenants/demo/engines/price/diff?_Lang=zh-CN');
    assert.deepEqual(body.DataAppend, { field: 'query.from', rule: '须为数字' });
  });

  it('is made, changed and runs as it was saved last, with the queue that its header names', async () => {
    const first = saved(await save('price', '/** @queue prices */\nreturn { Code: 1, Data: 1 };', null));
    assert.deepEqual([first.key, first.no], ['price', 1]);
    const bindings = await api.data<{ queue: string }[]>('GET', 'tenants/demo/bindings');
    assert.deepEqual(
      bindings.map(({ queue }) => queue),
      ['prices'],
    );
    assert.equal(await run('price'), 1);
    const second = saved(await save('PRICE', '/** @queue prices */\nreturn { Code: 1, Data: 2 };', first.version));
    assert.deepEqual([second.key, second.no, second.changed], ['price', 2, ['engine price']]);
    assert.equal(await run('price'), 2);
    assert.deepEqual(await numbers('price'), [
      [2, 'save', 'developer.demo', null],
      [1, 'save', 'developer.demo', null],
    ]);
  });

  it('is not saved over a change that its author has not seen, and says so in both languages', async () => {
    const first = saved(await save('seen', 'return 1;'));
    saved(await save('seen', 'return 2;', first.version));
    const { status, body } = await save('seen', 'return 3;', first.version);
    assert.deepEqual([status, body.ReasonCode], [409, 'ENGINE_CHANGED']);
    assert.match(body.Msg ?? '', /^Engine seen was changed after you opened it/);
    const zh = await api.ask('PUT', 'tenants/demo/engines/seen?_Lang=zh', { source: 'return 3;', base: null });
    assert.match(zh.body.Msg ?? '', /^接口引擎 seen 在你打开之后已被修改/);
    assert.equal((await numbers('seen')).length, 2);
  });

  it('is refused with its place when it does not compile or names another engine, and nothing is stored', async () => {
    const broken = await save('broken', 'return (;', null);
    assert.deepEqual([broken.status, broken.body.ReasonCode], [422, 'PUSH_REFUSED']);
    const { refusals } = broken.body.Data as { refusals: { code: string; line: number }[] };
    assert.deepEqual([refusals[0]?.code, refusals[0]?.line], ['SCRIPT_SYNTAX', 1]);
    const other = await save('broken', '/** @engineKey another */\nreturn 1;');
    assert.match(JSON.stringify(other.body.Data), /@engineKey must be broken/);
    for (const key of ['broken', 'another'])
      assert.equal((await api.ask('GET', `tenants/demo/engines/${key}`)).status, 404);
    const typo = await api.ask('PUT', 'tenants/demo/engines/x', { source: 'return 1;', bas: null });
    assert.deepEqual([typo.status, typo.body.ReasonCode], [400, 'REQUEST_INVALID']);
    assert.equal((await save('-x', 'return 1;')).body.ReasonCode, 'ENGINE_KEY_INVALID');
  });

  it('shows what changed, and goes back to an older source as a new version', async () => {
    saved(await save('back', '// a\n// b\nreturn { Code: 1, Data: "old" };'));
    saved(await save('back', '// a\n// c\nreturn { Code: 1, Data: "new" };'));
    const { lines } = await api.data<{ lines: ({ sign: string; text: string } | null)[] }>(
      'GET',
      'tenants/demo/engines/back/diff?from=1&to=2&around=0',
    );
    assert.deepEqual(lines.map((line) => line?.sign).sort(), ['+', '+', '-', '-']);
    const same = await api.data<{ lines: unknown[] }>('GET', 'tenants/demo/engines/back/diff?from=2&around=0');
    assert.deepEqual(same.lines, []);
    const older = await api.data<{ source: string }>('GET', 'tenants/demo/engines/back/versions/1');
    assert.match(older.source, /"old"/);
    const back = saved(await api.ask('POST', 'tenants/demo/engines/back/rollback', { no: 1 }, developer));
    assert.equal(back.no, 3);
    assert.equal(await run('back'), 'old');
    assert.deepEqual((await numbers('back'))[0], [3, 'rollback', 'developer.demo', 1]);
    for (const missing of ['versions/9', 'versions/x', 'diff?from=9']) {
      assert.equal((await api.ask('GET', `tenants/demo/engines/back/${missing}`)).status, 404, missing);
    }
    assert.equal((await api.ask('POST', 'tenants/demo/engines/back/rollback', { no: 9 })).status, 404);
    assert.equal((await api.ask('GET', 'tenants/demo/engines/nobody/versions')).body.ReasonCode, 'ENGINE_MISSING');
  });

  it('that was changed in the table is told from its versions, and keeps its name when it is saved', async () => {
    saved(await save('hand', 'return 1;'));
    const sql = "update sys_apiengine set ApiName = '手工', ApiV8Code = 'return 2;' where ApiEngineKey = 'hand'";
    await outside(api.dataDir, tenantFile('demo'), sql);
    const listed = await api.ask('GET', 'tenants/demo/engines/hand/versions');
    const [known] = listed.body.Data as unknown as { version: string }[];
    const { Current } = listed.body.DataAppend as { Current: { version: string } };
    assert.notEqual(Current.version, known?.version);
    saved(await save('hand', 'return 3;', Current.version));
    assert.deepEqual(
      (await numbers('hand')).map(([no, origin]) => [no, origin]),
      [
        [3, 'save'],
        [2, 'found'],
        [1, 'save'],
      ],
    );
    assert.equal((await api.data<{ name: string }>('GET', 'tenants/demo/engines/hand')).name, '手工');
  });

  it('is switched off and on at once by an operator, who may not save', async () => {
    saved(await save('switch', 'return 1;'));
    assert.equal(await run('switch'), 1);
    const operator = await api.login('operator');
    const off = await api.ask('PATCH', 'tenants/demo/engines/switch', { enabled: false }, operator);
    assert.deepEqual([off.status, (off.body.Data as { enabled: boolean }).enabled], [200, false]);
    assert.equal((await api.ask('POST', 'tenants/demo/engines/switch/run', {})).body.ReasonCode, 'ENGINE_DISABLED');
    const denied = await api.ask('PUT', 'tenants/demo/engines/switch', { source: 'return 2;' }, operator);
    assert.equal(denied.body.ReasonCode, 'ROLE_DENIED');
    await api.data('PATCH', 'tenants/demo/engines/switch', { enabled: true }, operator);
    assert.equal(await run('switch'), 1);
    const missing = await api.ask('PATCH', 'tenants/demo/engines/nobody', { enabled: true });
    assert.equal(missing.body.ReasonCode, 'ENGINE_MISSING');
  });
});
