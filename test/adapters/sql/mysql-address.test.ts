import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { MysqlAddress } from '../../../src/adapters/sql/address-mysql.ts';
import { describeError } from '../../../src/core/errors.ts';
import { hasCode } from './mysql-shop.ts';

const partsOf = (text: string) => {
  const address = MysqlAddress.parse(text);
  const { host, port, user, database, tls } = address;
  return [host, port, user, database, tls, address.connectOptions().password];
};

describe('the address of a schema', () => {
  const same = ['db.example', 3307, 'app', 'erp_main', 'off', 'p@ss;w"ord'];
  const spellings = [
    'mysql://app:p%40ss%3Bw%22ord@db.example:3307/erp_main',
    'mariadb://app:p%40ss%3Bw%22ord@db.example:3307/erp_main',
    '  MySQL://app:p%40ss%3Bw%22ord@db.example:3307/erp_main?ssl-mode=DISABLED ',
    'Data Source=db.example;Port=3307;Database=erp_main;User Id=app;Password="p@ss;w""ord"',
    `server=db.example;port=3307;initial catalog=erp_main;uid=app;PWD='p@ss;w"ord';Charset=utf8mb4;Pooling=true;`,
    ' DATASOURCE = db.example ; PORT = 3307 ; DATABASE = erp_main ; USERNAME = app ; PASSWORD = "p@ss;w""ord" ; SslMode=None',
  ];
  for (const text of spellings) {
    it(`is read from ${text.slice(0, 24)}…`, () => assert.deepEqual(partsOf(text), same));
  }

  it('has the usual port, may have no password, and knows how far TLS goes', () => {
    assert.deepEqual(partsOf('mysql://app@h/s'), ['h', 3306, 'app', 's', 'off', '']);
    assert.deepEqual(partsOf('mysql://app@[::1]/s?ssl-mode=VERIFY_IDENTITY'), [
      '::1',
      3306,
      'app',
      's',
      'identified',
      '',
    ]);
    assert.equal(partsOf('Server=h;Uid=app;Database=s;SslMode=Required')[4], 'encrypted');
    assert.equal(partsOf('Server=h;Uid=app;Database=s;Ssl-Mode=VerifyCA')[4], 'verified');
    assert.deepEqual(MysqlAddress.parse('mysql://a@h/s?ssl-mode=verify_ca').connectOptions().ssl, {
      rejectUnauthorized: true,
    });
  });

  it('is written in the form of the platform and read back', () => {
    for (const password of ['', 'plain', 'p@ss;w"ord', "a'b", ' blanks ', 'a=b', '中文']) {
      const url = `mysql://app:${encodeURIComponent(password)}@h:3307/s?ssl-mode=REQUIRED`;
      const address = MysqlAddress.parse(url);
      const again = MysqlAddress.parse(address.toConnectionString());
      assert.ok(again.equals(address), password);
      assert.equal(again.connectOptions().password, password);
    }
    assert.ok(!MysqlAddress.parse('mysql://a:1@h/s').equals(MysqlAddress.parse('mysql://a:2@h/s')));
  });

  const wrong: readonly (readonly [string, RegExp])[] = [
    ['', /neither/],
    ['erp_main', /neither/],
    ['postgres://a@h/s', /neither/],
    ['mysql://', /not a URL|no host/],
    ['mysql://h/s', /no user/],
    ['mysql://app@h', /no schema/],
    ['mysql://app@h/', /no schema/],
    ['mysql://app@h/a/b', /no schema/],
    ['mysql://app:100%@h/s', /%25/],
    ['mysql://app@h:99999/s', /not a URL/],
    ['mysql://app@h/s?useSSL=true', /ssl-mode/],
    ['mysql://app@h/s?ssl-mode=maybe', /ssl-mode is one of/],
    ['Server=h;Port=x;Uid=a;Database=s', /port/],
    ['Port=3306;Uid=a;Database=s', /no host/],
    ['Server=h;Database=s', /no user/],
    ['Server=h;Uid=a', /no schema/],
  ];
  for (const [text, rule] of wrong) {
    it(`is refused with a rule: ${text}`, () => {
      assert.throws(
        () => MysqlAddress.parse(text),
        (error: unknown) => hasCode('DB_URL_INVALID')(error) && rule.test((error as Error).message),
      );
    });
  }

  it('shows its password nowhere', () => {
    const address = MysqlAddress.parse('mysql://app:topsecret@h/s');
    for (const text of [inspect(address, { depth: 9, showHidden: true }), JSON.stringify(address), String(address)]) {
      assert.doesNotMatch(text, /topsecret/);
    }
    for (const bad of ['mysql://app:topsecret%@h/s', 'Server=h;Password=topsecret', 'topsecret']) {
      assert.throws(
        () => MysqlAddress.parse(bad),
        (error: unknown) => {
          assert.ok(hasCode('DB_URL_INVALID')(error));
          const { code, params } = error as { code: 'DB_URL_INVALID'; params: Record<string, string> };
          assert.doesNotMatch(describeError({ code, params }, 'zh') + inspect(error), /topsecret/);
          return true;
        },
      );
    }
  });
});
