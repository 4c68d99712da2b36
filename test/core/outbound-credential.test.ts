import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basicAuthorization, isHeaderName, isHeaderValue, mayCarry } from '../../src/core/outbound-credential.ts';
import { parseAllowedTarget } from '../../src/core/outbound-target.ts';

describe('where a credential may go', () => {
  const cases: readonly [hosts: string, url: string, may: boolean][] = [
    ['erp.example.com', 'https://erp.example.com/orders', true],
    ['erp.example.com', 'https://ERP.example.com.:8443/', true],
    ['erp.example.com', 'http://erp.example.com/', false],
    ['erp.example.com', 'https://evil.example.com/', false],
    ['erp.example.com', 'https://erp.example.com.evil.com/', false],
    ['erp.example.com:8080', 'http://erp.example.com:8080/', true],
    ['erp.example.com:8080', 'https://erp.example.com/', false],
    ['erp.example.com:443', 'https://erp.example.com/', true],
    ['erp.example.com:80', 'http://erp.example.com/', true],
    ['[::1]:8080', 'http://[::1]:8080/', true],
    ['10.0.0.1:8080', 'http://10.0.0.1:8080/', true],
    ['10.0.0.1:8080', 'http://10.0.0.1:8081/', false],
  ];
  for (const [hosts, url, may] of cases) {
    it(`${hosts} ${may ? 'allows' : 'refuses'} ${url}`, () => {
      const target = parseAllowedTarget(hosts) ?? assert.fail();
      assert.equal(mayCarry({ hosts: [target], headers: {} }, new URL(url)), may);
    });
  }
});

describe('header text', () => {
  it('writes Basic in UTF-8 (RFC 7617 2.1)', () => {
    assert.equal(basicAuthorization('Aladdin', 'open sesame'), 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==');
    assert.equal(basicAuthorization('test', '123£'), 'Basic dGVzdDoxMjPCow==');
  });

  it('takes no name or value that could start another header', () => {
    assert.deepEqual(['X-Key', "a!#$%&'*+.^_`|~-9", 'X Key', 'X:Key', '', 'X\n'].map(isHeaderName), [
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    assert.deepEqual(['Bearer abc', '\t', 'é', '中', 'a\r\nb', 'a\0'].map(isHeaderValue), [
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
