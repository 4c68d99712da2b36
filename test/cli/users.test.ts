import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { listen } from '../../src/admin/listen.ts';
import { createAdminServer } from '../../src/admin/server.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { FakeServices, MemoryLog } from '../admin/fake-services.ts';
import { openIdentity } from '../support/test-identity.ts';
import { TOKEN, temporaryDirectory } from './cli-process.ts';

/** No command of users and keys is the host itself. */
async function never(): Promise<never> {
  throw new Error('not here');
}

it('makes, changes and removes users and keys', async (t) => {
  const identity = await openIdentity();
  const parts = { services: new FakeServices(), identity: identity.admin, log: new MemoryLog() };
  const server = createAdminServer({ ...parts, token: TOKEN, lang: 'zh', timezone: 'Asia/Shanghai' });
  t.after(async () => {
    await server.close();
    await identity.close();
  });
  const { url } = await listen(server, { bind: '127.0.0.1', port: 0, portConfigured: true });
  const cwd = temporaryDirectory(t);
  const cli = async (...args: string[]) => {
    const lines = { out: '', err: '' };
    const code = await runCli([...args, '--tenant', 'shop'], {
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
      loginFile: join(cwd, 'logins.json'),
      readEnvironment: () => ({ url, token: TOKEN, tenant: 'demo', namedTenant: undefined, dataDir: cwd }),
    });
    return { code, ...lines };
  };
  const passwordFile = join(cwd, 'anna.pw');
  writeFileSync(passwordFile, 'a long password\n');

  const added = await cli('user', 'add', 'anna', '--role', 'developer', '--password-file', passwordFile);
  assert.deepEqual([added.code, added.err.includes('anna was made')], [0, true], added.err);
  const typed = { tenant: 'shop', account: 'anna', password: 'a long password' };
  const { token } = await identity.admin.logIn(typed, '192.0.2.1');
  assert.equal((await cli('user', 'change', 'ANNA', '--role', 'operator')).code, 0);
  await assert.rejects(identity.admin.identify(token), 'a new role ends the login');
  assert.match((await cli('user', 'list')).out, /anna +operator +\*/);
  assert.equal((await cli('user', 'remove', 'nobody')).code, 4);
  assert.equal((await cli('user', 'remove', 'anna')).code, 0);

  const key = await cli('key', 'add', 'ci', '--role', 'developer', '--scopes', 'engine.push', '--days', '9');
  const text = key.out.trim();
  assert.match(text, /^v8k\.shop\.[\w-]{43}$/);
  const listed = (await cli('key', 'list')).out;
  assert.match(listed, /ci +developer +engine\.push +\d{4}-/);
  assert.ok(!listed.includes(text.slice(-20)));
  const [id = ''] = /[0-9A-Z]{26}/.exec(listed) ?? [];
  assert.equal((await cli('key', 'remove', id)).code, 0);
  await assert.rejects(identity.admin.identify(text));
  assert.equal((await cli('key', 'add', 'ci', '--role', 'developer', '--days', 'many')).code, 2);
});
