/**
 * Every kind of secret that the host stores goes in by API and command line; then its raw bytes are looked for in every
 * file and table, in the log at its most talkative and in all answers.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newSecretKey } from '../../src/adapters/system/secret-box.ts';
import { HostProcess } from '../support/host-process.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { tempDir } from '../support/temp-dir.ts';

const CANARY = {
  MQPassword: 'canary_queue_password_17f',
  MqttPwd: 'canary_mqtt_password_5ac',
  DbMongoConnection: 'mongodb://shop:canary_mongo_password_e03@127.0.0.1:1/',
  user: 'canary user password 9d1 with words',
  laterUser: 'canary later password 77c with words',
} as const;

const LOG = { level: 'debug', format: 'json' } as const;

/** What the API gave, which must be stored nowhere. */
interface Given {
  readonly secrets: readonly string[];
  /** Everything that was answered but the answers that hand out a secret once. */
  readonly answers: string;
}

async function giveEverySecret(host: HostProcess): Promise<Given> {
  const answers: unknown[] = [];
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await host.api(method, path, body);
    assert.ok(answer.status < 300, JSON.stringify(answer));
    return answer.body;
  };
  const asked = async (...call: Parameters<typeof ask>) => answers.push(await ask(...call));
  await asked('POST', 'tenants', { tenant: 'shop' });
  const { MQPassword, MqttPwd, DbMongoConnection } = CANARY;
  await asked('PATCH', 'tenants/shop/settings', { MQPassword, MqttPwd, DbMongoConnection });
  await asked('POST', 'tenants/shop/users', { account: 'anna', password: CANARY.user, role: 'admin' });
  const login = await ask('POST', 'login', { tenant: 'shop', account: 'anna', password: CANARY.user });
  const key = await ask('POST', 'tenants/shop/keys', { name: 'CI', role: 'developer' });
  writeFileSync(join(host.dataDir, 'anna.pw'), CANARY.laterUser);
  const changed = await host.cli('user', 'change', 'anna', '--password-file', 'anna.pw', '--tenant', 'shop');
  assert.equal(changed.code, 0, changed.err);
  rmSync(join(host.dataDir, 'anna.pw'));
  answers.push(changed);
  await asked('POST', 'signing-keys/rotate', {});
  answers.push(await host.api('PATCH', 'tenants/shop/settings', { MQPassword: `${MQPassword}${'x'.repeat(60)}` }));
  for (const path of ['secrets', 'tenants', 'tenants/shop/settings', 'tenants/shop/users', 'tenants/shop/keys']) {
    await asked('GET', path);
  }
  for (const tenant of ['demo', 'shop']) await asked('GET', `tenants/${tenant}/audit`);
  answers.push(await host.cli('secrets', 'status'));
  return { secrets: [...Object.values(CANARY), login.Data.token, key.Data.key], answers: JSON.stringify(answers) };
}

/** Parts of secrets are found as well. */
function foundIn(text: string, secrets: readonly string[]): string[] {
  const parts = [...secrets, ...Object.values(CANARY).flatMap((value) => /canary[ _]\w+[ _]\w+/.exec(value) ?? [])];
  return parts.filter((part) => text.includes(part));
}

function bytesBelow(dir: string, isWanted: (path: string) => boolean): string {
  const paths = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((path) => join(dir, path));
  return paths
    .filter((path) => statSync(path).isFile() && isWanted(path))
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

test('no file of an embedded host holds a secret but those readable by its owner alone; a backup has the key', async (t) => {
  const dir = tempDir(t);
  const host = await HostProcess.create(dir, { log: LOG, lang: 'en' });
  t.after(() => host.kill());
  await host.start();
  const { secrets, answers } = await giveEverySecret(host);
  const backup = join(tempDir(t), 'copy');
  assert.equal((await host.cli('backup', '--to', backup)).code, 0);
  const rotated = await host.cli('secrets', 'rotate', '--json');
  assert.equal(rotated.code, 0, rotated.err);
  const report = JSON.parse(rotated.out).Data;
  assert.deepEqual([report.keys.length, report.unreadable.length, report.plain.length], [2, 0, 0]);
  assert.deepEqual(Object.keys(report.sealed), [report.keys[0]]);
  assert.ok(report.resealed >= 5, rotated.out);
  assert.equal(await host.stop(), 0);

  assert.deepEqual(foundIn(answers + rotated.out, secrets), [], 'answers');
  assert.deepEqual(foundIn(host.output, secrets), [], 'the log');
  assert.match(host.output, /"level":"debug"/);
  for (const place of [dir, backup]) {
    const bytes = bytesBelow(place, (path) => !path.endsWith('v8host.config.json'));
    assert.ok(bytes.includes('v8host:sealed'), 'the registry was read');
    assert.deepEqual(foundIn(bytes, secrets), [], place);
    assert.equal(statSync(join(place, 'secrets.key')).mode & 0o777, 0o600);
  }
  const other = await HostProcess.create(tempDir(t), { lang: 'en' });
  t.after(() => other.kill());
  const restored = await other.cli('restore', backup, '--config', join(other.dataDir, 'v8host.config.json'));
  assert.equal(restored.code, 0, restored.err);
  await other.start();
  const { body } = await other.api('GET', 'secrets');
  assert.deepEqual([body.Data.unreadable, body.Data.plain], [[], []], JSON.stringify(body));
});

test('no row on a server holds a secret when there is a key; with another key the host says what to do', async (t) => {
  const schema = await freshDatabase();
  const databaseUrl = `${schema.adminUrl.replace(/\/$/, '')}/${schema.name}`;
  const config = { databaseUrl, log: LOG, lang: 'en', secrets: { keys: newSecretKey() } };
  const host = await HostProcess.create(tempDir(t), config);
  t.after(() => host.kill());
  t.after(() => sqlAsAdmin(schema.adminUrl, `drop database if exists ${schema.name}_shop`));
  await host.start();
  const { secrets, answers } = await giveEverySecret(host);
  assert.equal(await host.stop(), 0);
  assert.deepEqual(foundIn(answers, secrets), [], 'answers');
  assert.deepEqual(foundIn(host.output, [...secrets, config.secrets.keys]), [], 'the log');
  const dump = await dumpOf(schema.adminUrl, [schema.name, `${schema.name}_shop`]);
  assert.ok(dump.includes('v8host:sealed') && dump.includes('anna'), 'the tables were read');
  assert.deepEqual(foundIn(dump, secrets), [], 'tables');
  assert.doesNotMatch(dump, /password=/i, 'the connection of a tenant whose schema the host made');

  const stranger = await HostProcess.create(tempDir(t), { ...config, secrets: { keys: newSecretKey() } });
  t.after(() => stranger.kill());
  await stranger.start();
  const { body } = await stranger.api('GET', 'tenants');
  const states = (body.Data as { tenant: string; state: string; reason: string | null }[]).map(
    ({ tenant, state, reason }) => [tenant, state, /secrets\.keys/.test(reason ?? '')],
  );
  assert.deepEqual(states, [
    ['demo', 'open', false],
    ['shop', 'unavailable', true],
  ]);
  assert.match(stranger.output, /"event":"secret.unreadable"/);
});

/** Every cell of every table. */
async function dumpOf(adminUrl: string, schemas: readonly string[]): Promise<string> {
  const tables = await sqlAsAdmin(
    adminUrl,
    `select table_schema as s, table_name as t from information_schema.tables
     where table_schema in (${schemas.map((name) => `'${name}'`).join(', ')})`,
  );
  const rows: unknown[] = [];
  for (const { s, t } of tables) rows.push(await sqlAsAdmin(adminUrl, `select * from \`${s}\`.\`${t}\``));
  return JSON.stringify(rows);
}
