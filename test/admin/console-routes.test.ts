/** The console's files as the host serves them. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createAdminServer } from '../../src/admin/server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { FakeServices, MemoryLog } from './fake-services.ts';
import { NO_IDENTITY } from './no-identity.ts';

const SCRIPT = 'export const a = 1;';

function serve(consoleDirectory: string) {
  const parts = { services: new FakeServices(), log: new MemoryLog(), token: 'secret-token-of-the-test' };
  return createAdminServer({
    ...parts,
    identity: NO_IDENTITY,
    lang: 'zh',
    timezone: 'Asia/Shanghai',
    consoleDirectory,
  });
}

function built(t: TestContext): string {
  const directory = tempDir(t);
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>console</title>');
  writeFileSync(join(directory, 'assets/main-1.js'), SCRIPT);
  writeFileSync(join(directory, 'assets/main-1.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(directory, 'secret.txt'), 'not for the browser');
  return directory;
}

describe('the console', () => {
  it('is served at / without a token, and may run only scripts of its own', async (t) => {
    const { statusCode, headers, body } = await serve(built(t)).inject({ method: 'GET', url: '/' });
    assert.equal(statusCode, 200);
    assert.ok(body.includes('console'));
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-frame-options'], 'DENY');
    const policy = String(headers['content-security-policy']);
    assert.ok(policy.includes("default-src 'none'; script-src 'self';"), policy);
  });

  it('has assets that browsers keep, compressed for those that take it', async (t) => {
    const server = serve(built(t));
    const plain = await server.inject({ method: 'GET', url: '/assets/main-1.js' });
    assert.deepEqual([plain.body, plain.headers['content-encoding']], [SCRIPT, undefined]);
    assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    const headers = { 'accept-encoding': 'br, gzip' };
    const packed = await server.inject({ method: 'GET', url: '/assets/main-1.js', headers });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(packed.rawPayload).toString(), SCRIPT);
  });

  it('gives nothing outside the build', async (t) => {
    const server = serve(built(t));
    for (const name of ['nothing.js', '../index.html', '..%2Fsecret.txt', '%2e%2e/secret.txt', 'main-1.js.gz', '']) {
      const { statusCode, headers } = await server.inject({ method: 'GET', url: `/assets/${name}` });
      assert.equal(statusCode, 404, name);
      assert.notEqual(headers['cache-control'], 'public, max-age=31536000, immutable');
    }
  });

  it('says what to run when it was not built, and the API works', async (t) => {
    const server = serve(join(tempDir(t), 'dist'));
    const page = await server.inject({ method: 'GET', url: '/' });
    assert.equal(page.statusCode, 503);
    assert.ok(page.body.includes('npm ci'));
    assert.equal((await server.inject({ method: 'GET', url: '/livez' })).statusCode, 200);
  });
});
