/** The check of the isolation on tenants of its own: made for it, and removed again however it ends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { probeTenants } from '../../src/core/probe-tenant.ts';
import { ulidAt } from '../../src/core/ulid-time.ts';
import { startHosts } from '../engines/engine-hosts.ts';
import { openApi } from '../support/api-host.ts';
import { endOf } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { HOST_TOKEN, HostProcess } from '../support/host-process.ts';
import { ownPort } from '../support/own-port.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { tempDir } from '../support/temp-dir.ts';

const LIMIT = { timeout: 240_000 };
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const DEVICE = { enabled: true, account: 'device', password: 'device-password' } as const;

async function embeddedHost(t: TestContext): Promise<HostProcess> {
  const mqtt = { ...DEVICE, port: await ownPort() };
  const host = await HostProcess.create(tempDir(t), { mqtt, sandbox: { lanes: 1 } });
  t.after(() => host.kill());
  await host.start();
  return host;
}

async function tenantsOf(host: HostProcess): Promise<string[]> {
  const { body } = await host.api('GET', 'tenants');
  return (body.Data as { tenant: string }[]).map(({ tenant }) => tenant);
}

/** Nothing of the check is left: no tenant, no row, no secret, no file. */
async function assertNothingLeft(host: HostProcess): Promise<void> {
  assert.deepEqual(await tenantsOf(host), ['demo']);
  assert.deepEqual(host.sql('demo', "SELECT OsClient FROM sys_osclients WHERE OsClient LIKE 'selftest%'"), []);
  assert.deepEqual(host.sql('demo', "SELECT Name FROM v8host_secret WHERE TenantLower LIKE 'selftest%'"), []);
  const files = readdirSync(join(host.dataDir, 'tenants')).filter((name) => !name.startsWith('demo'));
  assert.deepEqual(files, []);
}

describe('v8host selftest isolation without accounts', LIMIT, () => {
  it('tries every way between two tenants of its own, and removes them with all they have', async (t) => {
    const host = await embeddedHost(t);
    const { code, out, err } = await host.cli('selftest', 'isolation');
    assert.deepEqual([code, out.match(/^BREACH.*$/gm) ?? []], [0, []], out + err);
    assert.match(err, /^\d\d ways tried, 0 breaches\n$/);
    assert.match(out, /^ok {6}publish {2}selftest-\w{26}-a: tenant\/selftest-\w{26}-b\/x$/m);
    assert.ok(!out.includes('demo'), 'a real tenant was touched');
    await assertNothingLeft(host);
    const { body } = await host.api('GET', 'tenants/demo/audit?limit=50');
    const actions = (body.Data as { action: string }[]).map(({ action }) => action);
    assert.ok(actions.includes('isolation-check.begun') && actions.includes('isolation-check.ended'), actions.join());
    const json = await host.cli('selftest', 'isolation', '--json');
    assert.deepEqual([json.code, json.err], [0, '']);
    assert.equal((JSON.parse(json.out) as { Code: number }).Code, 1);
  });

  it('removes them when it fails and when Ctrl-C ends it', async (t) => {
    const host = await embeddedHost(t);
    const failed = await host.cli('selftest', 'isolation', '--broker', `mqtt://127.0.0.1:${await ownPort()}`);
    assert.deepEqual([failed.code, /HOST_UNREACHABLE/.test(failed.err)], [3, true], failed.err);
    await assertNothingLeft(host);

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const env = { V8HOST_URL: `http://127.0.0.1:${host.port}`, V8HOST_TOKEN: HOST_TOKEN, LANG: 'C' };
      const child = spawn(process.execPath, [MAIN, 'selftest', 'isolation'], { cwd: host.dataDir, env });
      const ending = endOf(child);
      await eventually(async () => assert.ok((await tenantsOf(host)).length > 1), 60_000);
      child.kill(signal);
      const { code } = await ending;
      assert.equal(code, 130);
      await assertNothingLeft(host);
    }
  });

  it('needs the token of the whole host, and a broker', async (t) => {
    const host = await HostProcess.create(tempDir(t), { mqtt: { enabled: false } });
    t.after(() => host.kill());
    await host.start();
    const silent = await host.cli('selftest', 'isolation');
    assert.deepEqual([silent.code, /--broker/.test(silent.err)], [2, true]);
    const args = ['selftest', 'isolation', '--broker', 'mqtt://127.0.0.1:1', '--token', 'nobody-0123456789abcdef'];
    const stranger = await host.cli(...args);
    assert.deepEqual([stranger.code, /UNAUTHORIZED/.test(stranger.err)], [1, true], stranger.err);
    await assertNothingLeft(host);
  });

  it('does the same with tenants on MariaDB, a queue on RabbitMQ and hosts side by side', async (t) => {
    const [database, vhost] = [await freshDatabase(), await freshVhost()];
    const children = `\`${database.name.replaceAll('_', '\\_')}\\_%\`.*`;
    await sqlAsAdmin(
      database.adminUrl,
      `grant all privileges on ${children} to '${database.user}'@'%' with grant option`,
    );
    await sqlAsAdmin(database.adminUrl, `grant create user on *.* to '${database.user}'@'%'`);
    const urls = { databaseUrl: database.url, queueUrl: vhost.url };
    const mqtt = { ...DEVICE, port: await ownPort() };
    const [host] = await startHosts(t, ['one', 'two'], urls, { mqtt });
    assert.ok(host !== undefined);
    const { code, out, err } = await host.cli('selftest', 'isolation');
    assert.deepEqual([code, out.match(/^BREACH.*$/gm) ?? []], [0, []], out + err);
    const count = async (sql: string) => (await sqlAsAdmin(database.adminUrl, sql)).length;
    assert.equal(await count(`show databases like '${database.name}\\_%'`), 0);
    assert.equal(await count("select user from mysql.user where user like 'v8\\_selftest%'"), 0);
    assert.equal(await count(`select Id from ${database.name}.sys_osclients where OsClient like 'selftest%'`), 0);
    assert.equal(await count(`select Name from ${database.name}.v8host_secret where TenantLower like 'selftest%'`), 0);
    await eventually(async () => assert.deepEqual(await tenantsOf(host), ['demo']));
  });
});

describe('tenants of a check that was killed', LIMIT, () => {
  it('go when their time is over, and those of a check that runs stay', async (t) => {
    const { host } = await openApi(t);
    const { directory, clock } = host.adapters;
    const old = probeTenants(ulidAt(clock.now() - 16 * 60_000));
    const young = probeTenants(ulidAt(clock.now() - 60_000));
    for (const tenant of [...old, ...young]) await directory.add(tenant, undefined);
    await host.host.start();
    await eventually(async () => {
      const names = (await directory.list()).map(({ tenant }) => tenant);
      assert.deepEqual(names.sort(), ['demo', ...young].sort());
    });
  });

  it('are nobody else’s: such a name cannot be taken, and no other tenant can be removed this way', async (t) => {
    const api = await openApi(t);
    const [name] = probeTenants(ulidAt(0));
    const taken = await api.ask('POST', 'tenants', { tenant: name });
    assert.deepEqual([taken.status, taken.body.ReasonCode], [400, 'REQUEST_INVALID']);
    for (const id of ['demo', '01jd0000000000000000000000', '../demo']) {
      const { status } = await api.ask('DELETE', `isolation-checks/${encodeURIComponent(id)}`);
      assert.equal(status, 404, id);
    }
    await assert.rejects(api.host.adapters.directory.removeProbe('demo'), { code: 'TENANT_INVALID' });
    assert.equal((await api.ask('GET', 'tenants')).body.DataCount, 1);
  });
});
