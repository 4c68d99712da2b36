import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languageOf, readCliEnvironment } from '../../src/config/cli-environment.ts';
import { AppError } from '../../src/core/errors.ts';

function read(env: Record<string, string>, files: Record<string, string> = {}, configFile?: string) {
  return readCliEnvironment(configFile, { env, cwd: '/work', readFile: (path) => files[path] });
}

describe('the environment of the command line', () => {
  it('has defaults for everything', () => {
    const defaults = {
      url: undefined,
      token: undefined,
      tenant: 'demo',
      namedTenant: undefined,
      dataDir: '/work/data',
    };
    assert.deepEqual(read({}), defaults);
  });

  it('is read before the configuration file', () => {
    const files = { '/work/v8host.config.json': '{"tenant":"filed","dataDir":"/srv/data","log":{"level":"bad"}}' };
    assert.deepEqual([read({}, files).tenant, read({}, files).dataDir], ['filed', '/srv/data']);
    const env = { V8HOST_TENANT: 'named', V8HOST_DATA_DIR: 'd', V8HOST_URL: 'http://h:1', V8HOST_TOKEN: 't' };
    const expected = { url: 'http://h:1', token: 't', tenant: 'named', namedTenant: 'named', dataDir: '/work/d' };
    assert.deepEqual(read(env, files), expected);
    assert.equal(read({ OsClient: 'platform' }, files).tenant, 'platform');
  });

  it('takes the token from a file too', () => {
    assert.equal(read({ V8HOST_TOKEN_FILE: 'secret' }, { '/work/secret': ' from-file\n' }).token, 'from-file');
  });

  it('fails when the configuration file that was asked for is missing or no JSON object', () => {
    const code = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        return error instanceof AppError ? error.code : error;
      }
      return undefined;
    };
    assert.equal(
      code(() => read({}, {}, 'c.json')),
      'CONFIG_INVALID',
    );
    assert.equal(
      code(() => read({ V8HOST_CONFIG: 'c.json' })),
      'CONFIG_INVALID',
    );
    assert.equal(
      code(() => read({}, { '/work/v8host.config.json': '[1' })),
      'CONFIG_INVALID',
    );
  });

  it('finds the language as POSIX does', () => {
    assert.equal(languageOf({}), 'en');
    assert.equal(languageOf({ LANG: 'zh_CN.UTF-8' }), 'zh');
    assert.equal(languageOf({ LANG: 'zh_CN.UTF-8', LC_ALL: 'en_US.UTF-8' }), 'en');
    assert.equal(languageOf({ LANG: 'C', LC_MESSAGES: 'zh_TW' }), 'zh');
    assert.equal(languageOf({ LANG: 'de_DE' }), 'en');
  });
});
