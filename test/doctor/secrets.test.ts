/** What the doctor says of stored secrets and their keys; it makes no key itself. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSqliteDirectory } from '../../src/adapters/sql/tenant-directory.ts';
import { systemClock } from '../../src/adapters/system/system-clock.ts';
import { systemIds } from '../../src/adapters/system/system-ids.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { examineKeys } from '../../src/host/doctor/examine-secrets.ts';
import { examineTenants } from '../../src/host/doctor/examine-tenants.ts';
import { KEY_FILE, provideSecretBox } from '../../src/host/secret-keys.ts';
import type { SecretBox } from '../../src/ports/secret-box.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import { tempDir } from '../support/temp-dir.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');

function configOf(t: TestContext, secrets: Record<string, string> = {}, more: Record<string, unknown> = {}) {
  const file = join(tempDir(t), 'v8host.config.json');
  writeFileSync(file, JSON.stringify({ tenant: 'demo', secrets, ...more }));
  return loadConfig({
    configFile: file,
    source: { env: {}, cwd: tempDir(t), readFile: (path) => readFileSync(path, 'utf8') },
  });
}

/** What is said of secrets, with the level. */
async function findings(config: ReturnType<typeof configOf>, dataDir: string): Promise<string[]> {
  const keys = examineKeys(config, dataDir);
  const tenants = await examineTenants(config, dataDir, keys.box);
  return [...keys.findings, ...tenants.findings]
    .filter(({ area }) => area === 'secrets')
    .map(({ level, subject, text }) => `${level} ${subject}: ${text.en}`);
}

async function withSecret(dataDir: string, box: SecretBox | undefined): Promise<void> {
  const parts = { clock: systemClock('Asia/Shanghai'), ids: systemIds(), log: SILENT_LOG };
  const directory = await createSqliteDirectory({ dataDir, mainTenant: 'demo', ...parts, box });
  await directory.saveSettings('demo', { MqttPwd: 'canary-of-the-doctor' });
  await directory.close();
}

test('the doctor names the key, secrets that are plain, and a tenant whose secret this host cannot open', async (t) => {
  const dataDir = tempDir(t);
  const config = configOf(t);
  await withSecret(dataDir, undefined);
  assert.deepEqual(await findings(config, dataDir), [
    'notice secrets.key: not there yet; the first start makes it.',
    'notice sys_osclients: stored as they are: demo.MqttPwd.',
  ]);
  assert.equal(existsSync(join(dataDir, KEY_FILE)), false);
  const box = provideSecretBox(config, dataDir);
  const [plain = ''] = (await findings(config, dataDir)).slice(1);
  assert.match(plain, /demo\.MqttPwd: v8host secrets rotate --seal, unless the original platform/);
  await withSecret(dataDir, box);
  assert.deepEqual(await findings(config, dataDir), [`ok secrets.key: key ${box.keyIds()[0]}, 1 sealed secret`]);
  writeFileSync(join(dataDir, KEY_FILE), `${KEY}\n`);
  const [, unread = ''] = await findings(config, dataDir);
  assert.match(unread, new RegExp(`^problem demo: MqttPwd of tenant demo is sealed with the key ${box.keyIds()[0]}`));
  writeFileSync(join(dataDir, KEY_FILE), 'no key\n');
  const [broken = ''] = await findings(config, dataDir);
  assert.match(broken, /^problem secrets\.key: The key file .* cannot be used: .*32 bytes as Base64/);
  assert.throws(() => provideSecretBox(config, dataDir), { code: 'SECRET_KEY_FILE_INVALID' });
});

test('configured keys come before those of the file, which still open; with a server none is made', (t) => {
  const dataDir = tempDir(t);
  const made = provideSecretBox(configOf(t), dataDir);
  const both = provideSecretBox(configOf(t, { keys: KEY }), dataDir);
  assert.equal(both.keyIds().length, 2);
  assert.equal(both.keyIds()[1], made.keyIds()[0]);
  assert.equal(both.renew(), false, 'the operator changes configured keys');
  const server = configOf(t, {}, { databaseUrl: 'mysql://a:b@127.0.0.1:1/c' });
  assert.deepEqual(provideSecretBox(server, tempDir(t)).keyIds(), []);
  assert.equal(provideSecretBox(server, dataDir).renew(), false, 'other hosts would lack it');
});

test('a key that is none is refused with the rule, without its text', (t) => {
  assert.throws(
    () => configOf(t, { keys: `${KEY},canary-no-key` }),
    (error: Error) => /secrets\.keys.*openssl rand -base64 32/.test(error.message) && !/canary/.test(error.message),
  );
});
