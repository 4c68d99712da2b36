import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { listen } from '../../src/admin/listen.ts';
import { createAdminServer } from '../../src/admin/server.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { loginFileOf, readCliEnvironment } from '../../src/config/cli-environment.ts';
import { FakeServices, MemoryLog } from '../admin/fake-services.ts';
import { runCli as runProcess } from '../support/command-line.ts';
import { openIdentity, PASSWORD } from '../support/test-identity.ts';
import { TOKEN, temporaryDirectory } from './cli-process.ts';

async function never(): Promise<never> {
  throw new Error('not here');
}

it('keeps a login for its host, renews it and ends it', async (t) => {
  const identity = await openIdentity();
  const parts = { services: new FakeServices(), identity: identity.admin, log: new MemoryLog() };
  const server = createAdminServer({ ...parts, token: TOKEN, lang: 'zh', timezone: 'Asia/Shanghai' });
  t.after(async () => {
    await server.close();
    await identity.close();
  });
  await identity.login('shop', 'admin', 'anna');
  const { url } = await listen(server, { bind: '127.0.0.1', port: 0, portConfigured: true });
  const cwd = temporaryDirectory(t);
  const env = { V8HOST_URL: url, XDG_CONFIG_HOME: cwd };
  const cli = async (...args: string[]) => {
    const lines = { out: '', err: '' };
    const code = await runCli(args, {
      terminal: {
        out: (line) => {
          lines.out += `${line}\n`;
        },
        err: (line) => {
          lines.err += `${line}\n`;
        },
      },
      lang: 'en',
      version: '0.0.0',
      hostCommands: {
        startHost: never,
        migrateData: never,
        restoreData: never,
        testScripts: never,
        examineHost: never,
        openMqttLink: never,
      },
      loginFile: loginFileOf(env),
      readEnvironment: (file) => readCliEnvironment(file, { env, cwd, readFile: () => undefined }),
    });
    return { code, ...lines };
  };
  const file = join(cwd, 'v8host', 'logins.json');
  const saved = () => JSON.parse(readFileSync(file, 'utf8'));
  const passwordFile = join(cwd, 'anna.pw');

  const unknown = await cli('user', 'list');
  assert.deepEqual([unknown.code, /v8host login/.test(unknown.err)], [1, true], unknown.err);
  const typed = ['login', 'anna', '--tenant', 'shop', '--password-file', passwordFile];
  writeFileSync(passwordFile, 'a wrong password\n');
  assert.match((await cli(...typed)).err, /LOGIN_FAILED/);
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  const unasked = await runProcess(['login', 'anna', '--tenant', 'shop'], { cwd, env });
  assert.deepEqual([unasked.code, /--password-file/.test(unasked.err)], [2, true], 'nobody to ask');

  const { code, out, err } = await cli(...typed, '--json');
  assert.equal(code, 0, err);
  const { token } = saved()[url];
  assert.ok(token.length > 50 && !out.includes(token) && !err.includes(token), 'the token is in its file alone');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual((await cli('login')).out.trim().split('\t'), ['anna', 'shop', 'admin']);
  assert.match((await cli('user', 'list')).out, /anna +admin/, 'the tenant is that of the login');
  assert.equal((await cli('login', '--token', TOKEN)).out.trim().split('\t')[2], 'host', 'an option goes first');

  identity.pass(7 * 3_600_000);
  assert.equal((await cli('user', 'list')).code, 0);
  const renewed = saved()[url].token;
  assert.notEqual(renewed, token, 'past half of its life the token is replaced');

  assert.equal((await cli('logout')).code, 0);
  assert.deepEqual(saved(), {});
  await assert.rejects(identity.admin.identify(renewed), 'the host ended it, too');
  assert.match((await cli('logout')).err, /no login/);
});
