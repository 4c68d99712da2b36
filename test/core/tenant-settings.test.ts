import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { redactSysConfig, redactTenantModel } from '../../src/core/tenant-settings.ts';

const VISIBLE = {
  Id: '1',
  OsClient: 'acme',
  ClientName: 'Acme',
  IsEnable: 1,
  DbType: 'MySql',
  DbReadType: 'MySql',
  WxAppId: 'wx1',
  Keywords: 'a,b',
  Monkey: 'yes',
  SiteUrl: 'https://acme.test:8443/a?b=1',
  Note: null,
};

/** The columns of sys_osclients that hold credentials or addresses of infrastructure, and what tenants add. */
const HIDDEN = [
  ...['DbConn', 'DbReadConn', 'DbMongoConnection', 'MQHost', 'MQPort', 'MQUserName', 'MQPassword', 'MQVitrualHost'],
  ...['MQType', 'MqttAccount', 'MqttPwd', 'MqttApiEngine', 'MqttCertPath', 'MqttCertPassword', 'RedisHost', 'RedisPwd'],
  ...['AuthSecret', 'WxAppSecret', 'AliAccessKeyId', 'AliAccessKey', 'ApiKey', 'api_key', 'AccessToken', 'PrivateKey'],
  ...[
    'TranslateApiKey',
    'SmsKey',
    'Key',
    'key',
    'SmtpUser',
    'EmailPassword',
    'OssBucket',
    'MinioEndpoint',
    'Credential',
  ],
  ...['UserPass', 'Salt', 'LicenseCode', 'ReportConnectionString'],
];

test('the tenant model shows names and hides credentials and infrastructure', () => {
  const row = { ...VISIBLE, ...Object.fromEntries(HIDDEN.map((name) => [name, `hidden-${name}`])) };
  assert.deepEqual(redactTenantModel(row), VISIBLE);
});

for (const name of HIDDEN) {
  test(`${name} never reaches a script`, () => {
    assert.deepEqual(redactTenantModel({ [name]: 'x' }), {});
    assert.deepEqual(redactSysConfig({ [name]: 'x' }), { ServerPrivateSettings: {} });
  });
}

test('a secret under a harmless name is known by what it looks like', () => {
  for (const value of [
    'mysql://user:pw@host/db',
    'https://bot:t0ken@git.test/x',
    'Data Source=h;User Id=u;Password=p',
    'server=h;pwd=p',
    '-----BEGIN RSA PRIVATE KEY-----\nMII',
  ]) {
    assert.deepEqual(redactTenantModel({ Remark: value }), {}, value);
  }
});

test('buffers, dates and other objects of a driver are left out', () => {
  assert.deepEqual(redactTenantModel({ A: Buffer.from('x'), B: new Date(), C: { d: 1 }, D: 1n, E: true }), { E: true });
});

test('sys_config gives everything but secrets and the code, and the private settings as an object', () => {
  const row = {
    SysTitle: 'Acme ERP',
    ApiBase: 'https://api.acme.test',
    GlobalServerV8Code: 'function f() {}',
    ServerPrivateSettings: '{"Wx.AppSecret":"for scripts"}',
    SmtpPwd: 'x',
  };
  assert.deepEqual(redactSysConfig(row), {
    SysTitle: 'Acme ERP',
    ApiBase: 'https://api.acme.test',
    ServerPrivateSettings: { 'Wx.AppSecret': 'for scripts' },
  });
  for (const text of ['', 'no json', '[1]', 'null', null, undefined]) {
    assert.deepEqual(redactSysConfig({ ServerPrivateSettings: text }), { ServerPrivateSettings: {} });
  }
});

test('whatever the case and whatever stands around it, a name with password in it is hidden', () => {
  const affix = fc.stringMatching(/^[A-Za-z0-9_]{0,8}$/);
  const word = fc.constantFrom('password', 'Password', 'PWD', 'secret', 'Secret', 'token', 'TOKEN', 'credential');
  fc.assert(
    fc.property(affix, word, affix, (before, name, after) => {
      assert.deepEqual(redactTenantModel({ [before + name + after]: 'x' }), {});
    }),
  );
});
