import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCacheUrl } from '../../src/core/cache-url.ts';
import { accepted, refused } from '../support/parsed.ts';

const PLAIN = { tls: false, port: 6379, username: undefined, password: undefined, db: 0 };

for (const [text, expected] of [
  ['redis://cache', { ...PLAIN, host: 'cache', loggable: 'redis://cache:6379/0' }],
  ['redis://cache/', { ...PLAIN, host: 'cache', loggable: 'redis://cache:6379/0' }],
  [
    ' redis://127.0.0.1:6380/3 ',
    { ...PLAIN, host: '127.0.0.1', port: 6380, db: 3, loggable: 'redis://127.0.0.1:6380/3' },
  ],
  ['redis://[::1]:6379', { ...PLAIN, host: '::1', loggable: 'redis://[::1]:6379/0' }],
  ['redis://:pw@cache', { ...PLAIN, host: 'cache', password: 'pw', loggable: 'redis://cache:6379/0' }],
  ['redis://u@cache', { ...PLAIN, host: 'cache', username: 'u', loggable: 'redis://cache:6379/0' }],
  [
    'rediss://us%3Aer:p%40ss%2F%23%25@cache.example:6390/1',
    {
      tls: true,
      host: 'cache.example',
      port: 6390,
      username: 'us:er',
      password: 'p@ss/#%',
      db: 1,
      loggable: 'rediss://cache.example:6390/1',
    },
  ],
  [
    'redis://u:p@ss@cache',
    { ...PLAIN, host: 'cache', username: 'u', password: 'p@ss', loggable: 'redis://cache:6379/0' },
  ],
] as const) {
  test(`${text} is read`, () => {
    assert.deepEqual(accepted(parseCacheUrl(text)), expected);
  });
}

for (const text of [
  '',
  'cache:6379',
  'http://cache',
  'redis:',
  'redis://',
  'redis://:canary@',
  'redis://cache:0',
  'redis://cache:70000',
  'redis://cache/x',
  'redis://cache/0/1',
  'redis://cache/-1',
  'redis://cache/1000000',
  'redis://cache?db=1',
  'redis://u:can#ary@cache',
  'redis://u:canary#@cache',
  'redis://cache#',
  'redis://u:can/ary@cache',
  'redis://u:can?ary@cache',
  'redis://u:canary%zz@cache',
]) {
  test(`${JSON.stringify(text)} is refused without repeating it`, () => {
    const error = refused(parseCacheUrl(text));
    assert.equal(error.code, 'CACHE_URL_INVALID');
    assert.doesNotMatch(JSON.stringify(error), /can/);
  });
}
