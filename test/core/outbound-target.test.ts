import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAllowedTarget, parseAllowedTarget } from '../../src/core/outbound-target.ts';

describe('allowed outbound targets', () => {
  const read = [
    ['erp.example', { host: 'erp.example', port: undefined }],
    ['ERP.example:8080', { host: 'erp.example', port: 8080 }],
    ['erp.example.', { host: 'erp.example', port: undefined }],
    ['localhost:1', { host: 'localhost', port: 1 }],
    ['10.0.0.5:443', { host: '10.0.0.5', port: 443 }],
    ['::1', { host: '::1', port: undefined }],
    ['[::1]', { host: '::1', port: undefined }],
    ['[FD00::5]:9000', { host: 'fd00::5', port: 9000 }],
  ] as const;
  for (const [text, target] of read) {
    it(`reads ${text}`, () => assert.deepEqual(parseAllowedTarget(text), target));
  }

  for (const text of [
    '',
    '*',
    '*.example',
    'http://erp.example',
    'erp.example/path',
    'a:0',
    'a:65536',
    'a:b',
    '[x]:1',
    '-a',
    'a b',
    'u@h',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseAllowedTarget(text), undefined));
  }

  it('matches host and port, any port when none is given', () => {
    const targets = [
      { host: 'erp.example', port: 8080 },
      { host: '::1', port: undefined },
    ];
    assert.equal(isAllowedTarget(targets, 'ERP.example.', 8080), true);
    assert.equal(isAllowedTarget(targets, 'erp.example', 8081), false);
    assert.equal(isAllowedTarget(targets, 'sub.erp.example', 8080), false);
    assert.equal(isAllowedTarget(targets, '[::1]', 77), true);
  });
});
