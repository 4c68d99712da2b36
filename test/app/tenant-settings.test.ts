import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

/** Part of every secret that is written here. */
const CANARY = 'canary-7f3a';

const SCRIPTS = {
  'show-settings.js': 'return { Code: 1, Data: [V8.SysConfig, V8.OsClientModel, V8.ClientModel] };',
  'show-all.js': `
    var seen = new Set();
    (function walk(value) {
      if (seen.has(value)) return;
      seen.add(value);
      if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return;
      Object.getOwnPropertyNames(value).forEach(function (name) { seen.add(name); try { walk(value[name]); } catch (e) {} });
    })(globalThis);
    return { Code: 1, Data: Array.from(seen).filter(function (v) { return typeof v === 'string'; }).join(' ') };`,
  'nap.js': 'var at = Date.now(); V8.Action.Sleep(120); return { Code: 1, Data: Date.now() - at };',
  'digest.js': `
    var bytes = System.Text.Encoding.UTF8.GetBytes('what do ya want for nothing?');
    var key = System.Text.Encoding.UTF8.GetBytes('Jefe');
    return [
      System.Convert.ToBase64String(new System.Security.Cryptography.HMACSHA1(key).ComputeHash(bytes)),
      V8.Method.HmacSha1Sign('what do ya want for nothing?', 'Jefe'),
      V8.EncryptHelper.Sha256Hex('abc'), System.Guid.NewGuid().ToString('N').length
    ];`,
} as const;

async function openHost(t: TestContext): Promise<{ host: TestHost; execute: (sql: string) => void }> {
  const dir = tempDir(t);
  const host = await TestHost.open(dir);
  t.after(() => host.close());
  await host.push(SCRIPTS);
  const execute = (sql: string) => {
    const database = new DatabaseSync(join(dir, 'tenants/demo.db'));
    database.exec(sql);
    database.close();
  };
  return { host, execute };
}

test('a script sees names of the tenant row and none of its secrets, however it looks for them', async (t) => {
  const { host, execute } = await openHost(t);
  const secrets = ['DbConn', 'MQHost', 'MQUserName', 'MQPassword', 'MqttPwd', 'MqttAccount', 'MqttCertPassword'];
  execute(`INSERT INTO sys_osclients (Id, OsClient, ClientName, IsEnable, IsDeleted) VALUES ('1', 'demo', 'Demo', 1, 0);
    UPDATE sys_osclients SET ${secrets.map((name) => `${name} = '${CANARY}'`).join(', ')};
    ALTER TABLE sys_osclients ADD COLUMN WxAppId TEXT; ALTER TABLE sys_osclients ADD COLUMN WxAppSecret TEXT;
    ALTER TABLE sys_osclients ADD COLUMN Remark TEXT;
    UPDATE sys_osclients SET WxAppId = 'wx-1', WxAppSecret = '${CANARY}', Remark = 'mysql://u:${CANARY}@h/d';`);
  const run = async (key: string) => host.host.services.run('demo', key, {}, 'en');
  const { Data } = (await run('show-settings')) as { Data: Record<string, unknown>[] };
  const [, model, older] = Data;
  assert.deepEqual([model?.OsClient, model?.ClientName, model?.WxAppId], ['demo', 'Demo', 'wx-1']);
  assert.deepEqual(older, model);
  assert.doesNotMatch(JSON.stringify(Data), new RegExp(CANARY));
  const all = String(((await run('show-all')) as { Data: string }).Data);
  assert.match(all, /EncryptHelper/);
  assert.match(all, /wx-1/);
  assert.doesNotMatch(all, new RegExp(CANARY));
});

test('V8.SysConfig is the row of sys_config, with the private settings as an object', async (t) => {
  const { host, execute } = await openHost(t);
  execute(`ALTER TABLE sys_config ADD COLUMN SysTitle TEXT; ALTER TABLE sys_config ADD COLUMN ServerPrivateSettings TEXT;
    ALTER TABLE sys_config ADD COLUMN SmtpPwd TEXT;
    INSERT INTO sys_config (Id, SysTitle, SmtpPwd, ServerPrivateSettings, IsDeleted)
    VALUES ('1', 'Acme ERP', '${CANARY}', '{"Wx.Secret":"for scripts"}', 0);`);
  const answer = await host.host.services.run('demo', 'show-settings', {}, 'en');
  const config = (answer as { Data: Record<string, unknown>[] }).Data[0];
  assert.equal(config?.SysTitle, 'Acme ERP');
  assert.deepEqual(config?.ServerPrivateSettings, { 'Wx.Secret': 'for scripts' });
  assert.equal(config?.SmtpPwd, undefined);
});

test('a script can wait, and digests the same by every name', async (t) => {
  const { host } = await openHost(t);
  const nap = (await host.host.services.run('demo', 'nap', {}, 'en')) as { Data: number };
  assert.ok(nap.Data >= 110, String(nap.Data));
  assert.deepEqual(await host.host.services.run('demo', 'digest', {}, 'en'), [
    '7/zfauXrL6LSdBbV8YTfnCWafHk=',
    '7/zfauXrL6LSdBbV8YTfnCWafHk=',
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    32,
  ]);
});
