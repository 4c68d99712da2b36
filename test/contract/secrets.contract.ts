/** Stored secrets behind the tenant directory, whatever the main tenant's database is. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSecretBox, newSecretKey } from '../../src/adapters/system/secret-box.ts';
import type { LogEvent } from '../../src/core/log-events.ts';
import { mongoUrlOf } from '../../src/core/mongo-settings.ts';
import { mqSettingsOf } from '../../src/core/mq-settings.ts';
import { findMqttTenant, mqttRegistry } from '../../src/core/mqtt-settings.ts';
import { SEALED_MARK } from '../../src/core/sealed-secret.ts';
import type { SecretBox } from '../../src/ports/secret-box.ts';
import type { TenantDirectory } from '../../src/ports/tenant-store.ts';

/** A main tenant `Demo` with a database of its own, opened as often as asked. */
export interface SecretPlaceUnderTest {
  open(box: SecretBox | undefined): Promise<{
    readonly directory: TenantDirectory;
    readonly log: { readonly lines: readonly { event: LogEvent; fields?: unknown }[] };
  }>;
  /** A statement or query at the main tenant's database, beside every host. */
  outside(statement: string): Promise<readonly Record<string, unknown>[]>;
}

export type OpenSecretPlace = (t: TestContext) => Promise<SecretPlaceUnderTest>;

const MQ = { MQHost: 'rabbit', MQPort: '5672', MQUserName: 'user-of-b', MQVitrualHost: 'vhost-of-b' };
const SECRETS = {
  MQPassword: 'canary-queue-password-密',
  MqttPwd: 'canary-mqtt-password',
  DbMongoConnection: 'mongodb://b:canary-mongo-password@mongo',
};
const MAIN_MQTT = { tenant: 'Demo', enabled: true, account: 'main', password: 'main-password', engine: '' };

const box = (...keys: string[]) => createSecretBox(keys.length === 0 ? [newSecretKey()] : keys);

async function withTwoTenants(place: SecretPlaceUnderTest, keys: SecretBox | undefined) {
  const opened = await place.open(keys);
  // Without databases, which take their time: it is the registry that counts here.
  for (const tenant of ['Factory-B', 'Factory-C']) {
    await place.outside(
      `insert into sys_osclients (Id, OsClient, IsEnable, DbType) values ('${tenant}', '${tenant}', 1, 'none')`,
    );
  }
  await opened.directory.saveSettings('factory-b', { ...MQ, ...SECRETS, MqttEnable: 1, MqttAccount: 'b' });
  const other = { MQUserName: 'user-of-c', MQVitrualHost: 'vhost-of-c', MQPassword: 'canary-of-c' };
  await opened.directory.saveSettings('factory-c', { ...MQ, ...other });
  return opened;
}

const columnsOf = async (place: SecretPlaceUnderTest, tenant: string) => {
  const [row] = await place.outside(
    `select MQPassword, MqttPwd, DbMongoConnection, MQUserName from sys_osclients where OsClient = '${tenant}'`,
  );
  return { ...row };
};

async function rowOf(directory: TenantDirectory, tenant: string) {
  const found = (await directory.settings()).find((entry) => entry.tenant === tenant);
  assert.ok(found);
  return found;
}

const amqpOf = async (directory: TenantDirectory, tenant: string) => {
  const settings = mqSettingsOf(tenant, { mainTenant: 'Demo', rows: await directory.settings() });
  return settings.ok ? settings.value.password : settings.error.code;
};

export function describeSecrets(name: string, open: OpenSecretPlace): void {
  describe(`stored secrets: ${name}`, () => {
    it('stand sealed in the database and are read as they were given, also after a restart and without case', async (t) => {
      const place = await open(t);
      const key = newSecretKey();
      const { directory } = await withTwoTenants(place, box(key));
      const marked = { MQPassword: SEALED_MARK, MqttPwd: SEALED_MARK, DbMongoConnection: SEALED_MARK };
      assert.deepEqual(await columnsOf(place, 'Factory-B'), { ...marked, MQUserName: 'user-of-b' });
      const stored = JSON.stringify(await place.outside('select * from v8host_secret'));
      assert.ok(!stored.includes('canary'), stored);
      for (const each of [directory, (await place.open(box(key))).directory]) {
        const { row } = await rowOf(each, 'Factory-B');
        assert.deepEqual([row.MQPassword, row.MqttPwd, row.DbMongoConnection], Object.values(SECRETS));
      }
    });

    it('of the original platform are read as they are, and one that it writes over a sealed one counts', async (t) => {
      const place = await open(t);
      const { directory } = await withTwoTenants(place, box());
      await place.outside("update sys_osclients set MQPassword = 'by hand' where OsClient = 'Factory-B'");
      assert.equal((await rowOf(directory, 'Factory-B')).row.MQPassword, 'by hand');
      assert.deepEqual((await directory.secrets.status()).plain, [{ tenant: 'Factory-B', name: 'MQPassword' }]);
    });

    it('are stored as they are without a key, and one that looks like the mark is refused', async (t) => {
      const place = await open(t);
      const { directory } = await withTwoTenants(place, undefined);
      assert.equal((await columnsOf(place, 'Factory-B')).MQPassword, SECRETS.MQPassword);
      await assert.rejects(directory.saveSettings('Factory-B', { MqttPwd: SEALED_MARK }), { code: 'SECRET_RESERVED' });
      await assert.rejects(directory.secrets.rotate({ sealPlain: true }), { code: 'SECRET_KEYS_NONE' });
      await directory.saveSettings('Factory-B', { MQPassword: '' });
      assert.equal((await columnsOf(place, 'Factory-B')).MQPassword, '');
    });

    it('that are taken away leave nothing behind', async (t) => {
      const place = await open(t);
      const { directory } = await withTwoTenants(place, box());
      await directory.saveSettings('Factory-B', { MQPassword: '', MqttPwd: '', DbMongoConnection: '' });
      const left = await place.outside(
        "select Name from v8host_secret where TenantLower = 'factory-b' and Name <> 'DbConn'",
      );
      assert.equal(left.length, 0);
    });

    it('whose key is missing refuse what needs them, by a name of the key and of no tenant else', async (t) => {
      const place = await open(t);
      await withTwoTenants(place, box());
      const { directory, log } = await place.open(box());
      await directory.saveSettings('Factory-C', { MQPassword: 'canary-new-of-c' });
      assert.equal(await amqpOf(directory, 'Factory-B'), 'SECRET_KEY_MISSING');
      assert.equal(await amqpOf(directory, 'Factory-C'), 'canary-new-of-c');
      const rows = await directory.settings();
      const mongo = mongoUrlOf('factory-b', { mainTenant: 'Demo', rows });
      assert.equal(mongo.ok ? '' : mongo.error.code, 'SECRET_KEY_MISSING');
      const device = findMqttTenant(mqttRegistry(rows, MAIN_MQTT), 'factory-b');
      assert.deepEqual([device?.account, device?.password], ['b', ''], 'no device takes the mark for its password');
      const told = log.lines.filter(({ event }) => event === 'secret.unreadable').length;
      await directory.settings();
      assert.equal(log.lines.filter(({ event }) => event === 'secret.unreadable').length, told, 'told once each');
      assert.ok(told >= 3);
      await directory.saveSettings('Factory-B', { MQPassword: 'canary-given-again' });
      assert.equal(await amqpOf(directory, 'Factory-B'), 'canary-given-again');
    });

    it('that somebody moves from one tenant to another do not open there', async (t) => {
      const place = await open(t);
      const { directory } = await withTwoTenants(place, box());
      await place.outside("delete from v8host_secret where TenantLower = 'factory-c' and Name = 'MQPassword'");
      await place.outside(
        "update v8host_secret set TenantLower = 'factory-c' where TenantLower = 'factory-b' and Name = 'MQPassword'",
      );
      assert.equal(await amqpOf(directory, 'Factory-C'), 'SECRET_DAMAGED');
      assert.equal(await amqpOf(directory, 'Factory-B'), 'SECRET_DAMAGED');
    });

    it('let no anonymous device in while the password cannot be read, not even of the main tenant', async (t) => {
      const place = await open(t);
      const { directory } = await place.open(box());
      await directory.saveSettings('Demo', { MqttPwd: 'canary', MqttAccount: 'a', MqttAllowAnonymous: 1 });
      const later = await place.open(box());
      const main = findMqttTenant(mqttRegistry(await later.directory.settings(), MAIN_MQTT), 'demo');
      assert.deepEqual([main?.allowAnonymous, main?.password], [false, '']);
    });

    it('are sealed anew while a host reads them: every read gives the value', async (t) => {
      const place = await open(t);
      const [older, newer] = [newSecretKey(), newSecretKey()];
      await withTwoTenants(place, box(older));
      const reading = await place.open(box(older, newer));
      const { directory } = await place.open(box(newer, older));
      let isOn = true;
      const reads: unknown[] = [];
      const reader = (async () => {
        while (isOn) reads.push((await rowOf(reading.directory, 'Factory-B')).row.MQPassword);
      })();
      const report = await directory.secrets.rotate({ sealPlain: false });
      isOn = false;
      await reader;
      assert.deepEqual(new Set(reads), new Set([SECRETS.MQPassword]));
      const sealed = Object.values(report.sealed).reduce((sum, n) => sum + n, 0);
      assert.ok(report.resealed >= 4, JSON.stringify(report));
      assert.deepEqual([report.resealed, report.unreadable.length, report.isNewKey], [sealed, 0, false]);
      const after = await place.open(box(newer));
      assert.equal(await amqpOf(after.directory, 'Factory-B'), SECRETS.MQPassword);
      assert.equal((await directory.secrets.rotate({ sealPlain: false })).resealed, 0);
    });

    it('that are plain are sealed when asked for, those of the signing keys, too', async (t) => {
      const place = await open(t);
      const first = await withTwoTenants(place, undefined);
      const [main] = first.directory.open();
      await main?.identity.signingKeys.add({ kid: 'K1', secret: 'canary-signing-key', createdAt: 1 });
      const keys = box();
      const { directory } = await place.open(keys);
      await directory.open()[0]?.identity.signingKeys.add({ kid: 'K2', secret: 'canary-second-key', createdAt: 2 });
      const report = await directory.secrets.rotate({ sealPlain: true });
      assert.deepEqual([report.plain.length, report.unreadable.length], [0, 0], JSON.stringify(report));
      assert.ok(report.sealedPlain >= 5, JSON.stringify(report));
      assert.equal(await amqpOf(directory, 'Factory-B'), SECRETS.MQPassword);
      const signing = await directory.open()[0]?.identity.signingKeys.list();
      assert.deepEqual(
        signing?.map(({ kid, secret }) => [kid, secret]),
        [
          ['K2', 'canary-second-key'],
          ['K1', 'canary-signing-key'],
        ],
      );
      const stored = await place.outside('select Secret from v8host_signing_key');
      assert.deepEqual(new Set(stored.map(({ Secret }) => Secret)), new Set([SEALED_MARK]));
      await directory.open()[0]?.identity.signingKeys.remove(['K1', 'K2']);
      assert.equal((await place.outside("select 1 from v8host_secret where Name like 'signing-key %'")).length, 0);
    });

    it('of rows that are one tenant are sealed where they count, and no sealed one is lost', async (t) => {
      const place = await open(t);
      await withTwoTenants(place, undefined);
      const { directory } = await place.open(box());
      await directory.saveSettings('Factory-B', { MqttPwd: 'sealed-before' });
      await place.outside(
        "insert into sys_osclients (Id, OsClient, IsEnable, DbType, MQPassword, MqttPwd) values ('y', '  factory-b', 0, 'none', 'of-the-disabled', ''), ('z', ' factory-b', 1, 'none', 'that-counts', 'that-counts-too')",
      );
      const report = await directory.secrets.rotate({ sealPlain: true });
      assert.equal(report.sealedPlain, 2, 'MQPassword of the row that counts, and that of Factory-C');
      assert.deepEqual(report.plain.map(({ tenant, name }) => `${tenant}.${name}`).sort(), [
        'Factory-B.DbMongoConnection',
        'Factory-B.MQPassword',
        'factory-b.MQPassword',
        'factory-b.MqttPwd',
      ]);
      const read = [(await rowOf(directory, 'factory-b')).row, (await rowOf(directory, 'Factory-B')).row];
      assert.deepEqual(
        read.map(({ MqttPwd }) => MqttPwd),
        ['that-counts-too', 'sealed-before'],
      );
      assert.deepEqual(
        read.map(({ MQPassword }) => MQPassword),
        ['that-counts', SECRETS.MQPassword],
      );
      const stored = await place.outside("select MQPassword from sys_osclients where Id in ('y', 'z') order by Id");
      assert.deepEqual(
        stored.map(({ MQPassword }) => MQPassword),
        ['of-the-disabled', SEALED_MARK],
      );
      assert.equal((await directory.secrets.rotate({ sealPlain: true })).sealedPlain, 0);
    });

    it('that are set while plain ones are sealed stay as they were set', async (t) => {
      const place = await open(t);
      await withTwoTenants(place, undefined);
      const keys = [newSecretKey()];
      const { directory } = await place.open(box(...keys));
      const other = (await place.open(box(...keys))).directory;
      for (let ticks = 0; ticks < 12; ticks += 1) {
        await place.outside(
          "update sys_osclients set MqttPwd = 'plain', MQPassword = 'plain', DbMongoConnection = 'plain'",
        );
        const rotation = directory.secrets.rotate({ sealPlain: true });
        for (let tick = 0; tick < ticks; tick += 1) await nextTurn();
        const host = ticks % 2 === 0 ? directory : other;
        const password = `set-${ticks}`;
        const [report] = await Promise.all([
          rotation,
          host.changeSettingsAlone(() => host.saveSettings('Factory-C', { MqttPwd: password })),
        ]);
        assert.equal((await rowOf(other, 'Factory-C')).row.MqttPwd, password, `after ${ticks} turns`);
        assert.ok([5, 6].includes(report.sealedPlain), `${report.sealedPlain} were sealed`);
      }
    });

    it('of a signing key that is removed while plain ones are sealed leave nothing behind', async (t) => {
      const place = await open(t);
      await withTwoTenants(place, undefined);
      const { directory } = await place.open(box());
      const keys = directory.open()[0]?.identity.signingKeys;
      for (let ticks = 0; ticks < 12; ticks += 1) {
        await place.outside("insert into v8host_signing_key (Kid, Secret, CreatedAt) values ('K', 'plain', 1)");
        const rotation = directory.secrets.rotate({ sealPlain: true });
        for (let tick = 0; tick < ticks; tick += 1) await nextTurn();
        await Promise.all([rotation, keys?.remove(['K'])]);
        assert.deepEqual(await place.outside("select Name from v8host_secret where Name like 'signing-key %'"), []);
      }
    });

    it('are sealed once by two hosts that are asked at once', async (t) => {
      const place = await open(t);
      await withTwoTenants(place, undefined);
      const key = newSecretKey();
      const hosts = [await place.open(box(key)), await place.open(box(key)), await place.open(box(key))];
      const reports = await Promise.all(hosts.map(({ directory }) => directory.secrets.rotate({ sealPlain: true })));
      assert.equal(
        reports.reduce((sum, { sealedPlain }) => sum + sealedPlain, 0),
        4,
      );
      for (const { directory } of hosts) assert.equal(await amqpOf(directory, 'Factory-B'), SECRETS.MQPassword);
    });

    it('of signing keys that cannot be opened make no token valid, and another key signs', async (t) => {
      const place = await open(t);
      const first = await place.open(box());
      await first.directory.open()[0]?.identity.signingKeys.add({ kid: 'K1', secret: 'canary', createdAt: 1 });
      const { directory } = await place.open(box());
      assert.deepEqual(await directory.open()[0]?.identity.signingKeys.list(), []);
      const { unreadable } = await directory.secrets.status();
      assert.deepEqual(
        unreadable.map(({ tenant, name, code }) => [tenant, name, code]),
        [['demo', 'signing-key K1', 'SECRET_KEY_MISSING']],
      );
    });
  });
}
