import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findHost } from '../../src/cli/host-address.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { temporaryDirectory } from './cli-process.ts';

describe('the address of the host', () => {
  it('is the default one when nothing is known', (t) => {
    const found = findHost({ url: undefined, token: undefined, dataDir: temporaryDirectory(t) });
    assert.deepEqual(found, { url: 'http://127.0.0.1:7070', token: undefined });
  });

  it('is what the host wrote, unless given', (t) => {
    const dataDir = temporaryDirectory(t);
    writeFileSync(join(dataDir, 'host.json'), '{"url":"http://127.0.0.1:7075","pid":1}');
    assert.equal(findHost({ url: undefined, token: 't', dataDir }).url, 'http://127.0.0.1:7075');
    assert.equal(findHost({ url: 'https://host.example:8443/', token: 't', dataDir }).url, 'https://host.example:8443');
  });

  it('is the default one when the host was killed while writing', (t) => {
    const dataDir = temporaryDirectory(t);
    writeFileSync(join(dataDir, 'host.json'), '{"url":"http://127');
    assert.equal(findHost({ url: undefined, token: 't', dataDir }).url, 'http://127.0.0.1:7070');
  });

  it("does not take the local host's token elsewhere", (t) => {
    const dataDir = temporaryDirectory(t);
    writeFileSync(join(dataDir, 'admin.token'), 'local-token\n');
    const tokenFor = (url: string) => findHost({ url, token: undefined, dataDir }).token;
    assert.equal(tokenFor('http://127.0.0.1:9000'), 'local-token');
    assert.equal(tokenFor('http://localhost:9000'), 'local-token');
    assert.equal(tokenFor('http://[::1]:9000'), 'local-token');
    assert.equal(tokenFor('http://host.example:7070'), undefined);
    assert.equal(tokenFor('http://127.0.0.1.example:7070'), undefined);
    writeFileSync(join(dataDir, 'host.json'), '{"url":"http://10.0.0.5:7070"}');
    assert.equal(tokenFor('http://10.0.0.5:7070'), 'local-token');
    assert.equal(tokenFor('http://10.0.0.5:7071'), undefined);
  });

  it('needs a token that a header can carry', (t) => {
    const dataDir = temporaryDirectory(t);
    assert.throws(() => findHost({ url: undefined, token: '令牌', dataDir }), UsageError);
    assert.throws(() => findHost({ url: undefined, token: 'a\nb', dataDir }), UsageError);
  });
});
