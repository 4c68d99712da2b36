import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loggableUrl, type MqRegistry, type MqRow, mqSettingsOf, sameSettings } from '../../src/core/mq-settings.ts';
import { accepted, refused } from '../support/parsed.ts';

const MAIN: MqRow = {
  MQHost: 'rabbit-1, rabbit-2',
  MQPort: '5672',
  MQUserName: 'main-user',
  MQPassword: 'main-password',
  MQVitrualHost: 'main-vhost',
};
const CHILD: MqRow = { MQUserName: 'child-user', MQPassword: 'child-password', MQVitrualHost: 'child-vhost' };

/** The main tenant and a child. */
function registry(main: MqRow, child: MqRow, more: Partial<MqRegistry> = {}): MqRegistry {
  return {
    mainTenant: 'Main',
    rows: [
      { tenant: 'Main', row: main },
      { tenant: 'child', row: child },
    ],
    ...more,
  };
}

test('a row is read trimmed, its hosts apart and once each', () => {
  const row = { ...MAIN, MQHost: ' a , B,,b ,A, c', MQPort: 5673, MQPassword: ' pass word ' };
  assert.deepEqual(accepted(mqSettingsOf('main', registry(row, {}))), {
    hosts: ['a', 'B', 'c'],
    port: 5673,
    user: 'main-user',
    password: 'pass word',
    vhost: 'main-vhost',
    tls: false,
  });
});

for (const field of ['MQHost', 'MQPort', 'MQUserName', 'MQPassword', 'MQVitrualHost']) {
  for (const value of [undefined, null, '', '  ']) {
    test(`${field} ${JSON.stringify(value)} is missing, and there is no default`, () => {
      const error = refused(mqSettingsOf('Main', registry({ ...MAIN, [field]: value }, {})));
      assert.deepEqual(error, { code: 'QUEUE_IDENTITY_MISSING', params: { tenant: 'Main', field } });
    });
  }
}

for (const port of ['0', '65536', '-1', '5672.5', '0x10', 'amqp', '567200000000']) {
  test(`MQPort ${port} is refused`, () => {
    const error = refused(mqSettingsOf('Main', registry({ ...MAIN, MQPort: port }, {})));
    assert.equal(error.code, 'QUEUE_IDENTITY_INVALID');
    assert.equal(error.params.field, 'MQPort');
  });
}

for (const [value, tls] of [
  [true, true],
  [1, true],
  ['1', true],
  ['TRUE', true],
  [' yes ', true],
  [false, false],
  [0, false],
  ['0', false],
  ['no', false],
  [null, false],
] as const) {
  test(`MQUseTls ${JSON.stringify(value)} means ${tls}`, () => {
    assert.equal(accepted(mqSettingsOf('Main', registry({ ...MAIN, MQUseTls: value }, {}))).tls, tls);
  });
}

test('a word for TLS that is neither yes nor no is refused: no password goes out in clear text by mistake', () => {
  const error = refused(mqSettingsOf('Main', registry({ ...MAIN, MQUseTls: 'on' }, {})));
  assert.equal(error.params.field, 'MQUseTls');
});

test('a child inherits host, port and TLS where it has none of its own', () => {
  const main = { ...MAIN, MQUseTls: '1', MQTlsServerName: 'rabbit' };
  const settings = accepted(mqSettingsOf('child', registry(main, CHILD)));
  assert.deepEqual(settings, {
    hosts: ['rabbit-1', 'rabbit-2'],
    port: 5672,
    user: 'child-user',
    password: 'child-password',
    vhost: 'child-vhost',
    tls: true,
    tlsServerName: 'rabbit',
  });
  const own = { ...CHILD, MQHost: 'mine', MQUseTls: 'false' };
  const { hosts, port, tls } = accepted(mqSettingsOf('CHILD', registry(main, own)));
  assert.deepEqual({ hosts, port, tls }, { hosts: ['mine'], port: 5672, tls: false });
});

for (const field of ['MQUserName', 'MQPassword', 'MQVitrualHost'] as const) {
  test(`a child never inherits ${field}`, () => {
    const error = refused(mqSettingsOf('child', registry(MAIN, { ...CHILD, [field]: '' })));
    assert.deepEqual(error, { code: 'QUEUE_IDENTITY_MISSING', params: { tenant: 'child', field } });
  });

  test(`a copy of the main tenant's ${field} counts as missing and refuses the child alone`, () => {
    const rows = registry(MAIN, { ...CHILD, [field]: ` ${MAIN[field]} ` });
    assert.equal(refused(mqSettingsOf('child', rows)).params.field, field);
    assert.equal(accepted(mqSettingsOf('Main', rows)).user, 'main-user');
  });

  test(`two children with the same ${field} are both refused, the others are not`, () => {
    const twin = { MQUserName: 'twin-user', MQPassword: 'twin-password', MQVitrualHost: 'twin-vhost' };
    const rows: MqRegistry = {
      mainTenant: 'Main',
      rows: [
        { tenant: 'Main', row: MAIN },
        { tenant: 'child', row: CHILD },
        { tenant: 'twin', row: { ...twin, [field]: `${CHILD[field]} ` } },
      ],
    };
    for (const tenant of ['child', 'twin']) {
      const error = refused(mqSettingsOf(tenant, rows));
      assert.deepEqual(error, { code: 'QUEUE_IDENTITY_SHARED', params: { tenant, field } });
    }
    assert.equal(accepted(mqSettingsOf('main', rows)).vhost, 'main-vhost');
  });
}

test('credentials that differ in case are different', () => {
  const rows = registry(MAIN, { ...CHILD, MQUserName: 'Main-User' });
  assert.equal(accepted(mqSettingsOf('child', rows)).user, 'Main-User');
});

test('the URL fills what the main tenant leaves blank, and children inherit from the result', () => {
  const queueUrl = 'amqps://url-user:url-password@url-host:5671/url-vhost';
  const rows = registry({ MQUserName: 'row-user' }, CHILD, { queueUrl });
  assert.deepEqual(accepted(mqSettingsOf('Main', rows)), {
    hosts: ['url-host'],
    port: 5671,
    user: 'row-user',
    password: 'url-password',
    vhost: 'url-vhost',
    tls: true,
  });
  const child = accepted(mqSettingsOf('child', rows));
  assert.deepEqual([child.hosts, child.port, child.tls, child.user], [['url-host'], 5671, true, 'child-user']);
  const copied = registry({}, { ...CHILD, MQPassword: 'url-password' }, { queueUrl });
  assert.equal(refused(mqSettingsOf('child', copied)).params.field, 'MQPassword');
});

test('the main tenant needs no row, anybody else does', () => {
  const rows: MqRegistry = { mainTenant: 'Main', queueUrl: 'amqp://u:p@h/v', rows: [] };
  assert.equal(accepted(mqSettingsOf('main', rows)).vhost, 'v');
  assert.equal(refused(mqSettingsOf('child', rows)).code, 'TENANT_UNKNOWN');
});

test('the address for logs has neither user nor password', () => {
  const settings = accepted(mqSettingsOf('Main', registry({ ...MAIN, MQHost: 'a,::1', MQVitrualHost: '/' }, {})));
  assert.equal(loggableUrl(settings), 'amqp://a,[::1]:5672/%2F');
});

test('settings are the same when they lead to the same place, whatever the order of the hosts', () => {
  const one = accepted(mqSettingsOf('Main', registry(MAIN, {})));
  assert.ok(sameSettings(one, { ...one, hosts: ['rabbit-2', 'rabbit-1'] }));
  assert.ok(!sameSettings(one, { ...one, password: 'other' }));
  assert.ok(!sameSettings(one, { ...one, tls: true }));
});

test('MQType decides nothing: the hosts of the row are all used, whatever it says', () => {
  const all = [undefined, null, '', '1', '2', 'cluster'].map((MQType) =>
    accepted(mqSettingsOf('Main', registry({ ...MAIN, MQType }, {}))),
  );
  for (const settings of all) assert.deepEqual(settings.hosts, ['rabbit-1', 'rabbit-2']);
});
