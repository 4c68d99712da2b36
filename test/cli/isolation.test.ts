import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runCli } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { connectClient, OpenRules, TestBroker } from '../support/mqtt-broker.ts';
import { ownPort } from '../support/own-port.ts';
import { tempDir } from '../support/temp-dir.ts';

const LIMIT = { timeout: 180_000 };
const DEMO = { username: 'demo:device', password: 'device-password' } as const;
const OTHER = { username: 'plant-b:b-device', password: 'b-password' } as const;

async function hostWithTwoTenants(t: TestContext): Promise<{ host: HostProcess; port: number }> {
  const port = await ownPort();
  const mqtt = { enabled: true, port, account: 'device', password: DEMO.password };
  const host = await HostProcess.create(tempDir(t), { mqtt, sandbox: { lanes: 1 } });
  t.after(() => host.kill());
  await host.start();
  assert.equal((await host.api('POST', 'tenants', { tenant: 'plant-b' })).status, 201);
  const columns = "MqttEnable = 1, MqttAccount = 'b-device', MqttPwd = 'b-password'";
  host.sql('demo', `UPDATE sys_osclients SET ${columns} WHERE OsClient = 'plant-b'`);
  writeFileSync(join(host.dataDir, 'a.txt'), `${DEMO.password}\n`);
  writeFileSync(join(host.dataDir, 'b.txt'), `${OTHER.password}\n`);
  await eventually(async () => {
    const probe = await connectClient(t, `mqtt://127.0.0.1:${port}`, { ...OTHER, clientId: 'probe' });
    await probe.endAsync();
  }, 30_000);
  return { host, port };
}

const FILES = ['--first-password-file', 'a.txt', '--second-password-file', 'b.txt'];

describe('v8host selftest isolation', LIMIT, () => {
  it('finds the tenants of a host apart in every way, and leaves nothing behind', async (t) => {
    const { host } = await hostWithTwoTenants(t);
    const { code, out, err } = await host.cli('selftest', 'isolation', DEMO.username, OTHER.username, ...FILES);
    assert.deepEqual([code, out.match(/^BREACH.*$/gm) ?? []], [0, []], out + err);
    const ways = new Set(out.split('\n').map((line) => line.slice(8).split('  ')[0]));
    for (const way of [
      'connect',
      'publish',
      'subscribe',
      'wildcard',
      'will',
      'retained',
      'response topic',
      'unsubscribe',
    ]) {
      assert.ok(ways.has(way), way);
    }
    assert.match(out, /ok {6}subscribe {2}demo: \$share\/g\/x\n/);
    assert.match(out, /ok {6}publish {2}plant-b: tenant\/demo\/x\n/);
    assert.match(err, /^\d\d ways tried, 0 breaches\n$/);
    for (const tenant of ['demo', 'plant-b']) {
      assert.equal((await host.api('GET', `tenants/${tenant}/mqtt/retained`)).body.DataCount, 0, tenant);
      const { body } = await host.api('GET', `tenants/${tenant}/mqtt/clients`);
      assert.deepEqual(body.Data, [], tenant);
    }
  });

  it('finds what is open at a broker that keeps nobody apart', async (t) => {
    class OneTenant extends OpenRules {
      override connect(request: Parameters<OpenRules['connect']>[0]): ReturnType<OpenRules['connect']> {
        return super.connect({ ...request, userName: 'ta' });
      }
    }
    const broker = await TestBroker.start(t, { rules: new OneTenant() });
    const dir = tempDir(t);
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(dir, name), 'x\n');
    const args = [
      'selftest',
      'isolation',
      'ta:x',
      'tb:y',
      ...FILES,
      '--broker',
      `mqtt://127.0.0.1:${broker.port}`,
      '--json',
    ];
    const { code, out, err } = await runCli(args, { cwd: dir });
    assert.equal(code, 1, out + err);
    const { Code, Data } = JSON.parse(out) as {
      Code: number;
      Data: { way: string; what: string; isolated: boolean }[];
    };
    assert.equal(Code, 0);
    const open = Data.filter(({ isolated }) => !isolated).map(({ way, what }) => `${way} ${what}`);
    for (const found of [
      'connect same client id',
      'publish tb: tenant/ta/x',
      'subscribe tb: tenant/ta/#',
      'wildcard tb:',
    ]) {
      assert.ok(
        open.some((row) => row.startsWith(found)),
        `${found} in ${open.join(', ')}`,
      );
    }
    for (const way of ['retained', 'will', 'response topic'])
      assert.ok(
        open.some((row) => row.startsWith(way)),
        way,
      );
    assert.ok(!open.includes('subscribe tb: $SYS/#'));
  });

  it('says which account is not let in, and refuses two of one tenant', async (t) => {
    const { host } = await hostWithTwoTenants(t);
    writeFileSync(join(host.dataDir, 'b.txt'), 'wrong-password\n');
    const wrong = await host.cli('selftest', 'isolation', DEMO.username, OTHER.username, ...FILES);
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /LOGIN_FAILED/);
    assert.doesNotMatch(wrong.err, /wrong-password/);
    const same = await host.cli('selftest', 'isolation', DEMO.username, 'DEMO:other', ...FILES);
    assert.deepEqual([same.code, /different tenants/.test(same.err)], [2, true]);
  });
});

describe('v8host mqtt sub', LIMIT, () => {
  it('shows messages as a device gets them, as text and as JSON', async (t) => {
    const { host, port } = await hostWithTwoTenants(t);
    const device = await connectClient(t, `mqtt://127.0.0.1:${port}`, { ...DEMO, clientId: 'meter' });
    const login = ['--user', DEMO.username, '--password-file', 'a.txt', '--count', '2'];
    const text = host.cli('mqtt', 'sub', 'sensor/#', ...login);
    const json = host.cli('mqtt', 'sub', 'sensor/+', ...login, '--json');
    await eventually(async () => {
      const { body } = await host.api('GET', 'tenants/demo/mqtt/clients');
      const ready = (body.Data as { subscriptions: unknown[] }[]).filter(
        ({ subscriptions }) => subscriptions.length > 0,
      );
      assert.equal(ready.length, 2);
    }, 30_000);
    await device.publishAsync('sensor/a', '温度 21\u001b[31m', { qos: 1 });
    await device.publishAsync('sensor/b', Buffer.from([0xff, 0x00]), { qos: 0 });
    const shown = await text;
    assert.equal(shown.code, 0);
    assert.match(shown.err, /Subscribed to sensor\/#; Ctrl-C ends/);
    assert.match(shown.out, /^tenant\/demo\/sensor\/a {2}温度 21.*\ntenant\/demo\/sensor\/b {2}\(2 bytes\)\n$/);
    assert.ok(!shown.out.includes('\u001b'), 'a device writes to the terminal');
    assert.deepEqual(
      (await json).out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [
        { topic: 'tenant/demo/sensor/a', qos: 1, retain: false, payload: '温度 21\u001b[31m' },
        { topic: 'tenant/demo/sensor/b', qos: 0, retain: false, payloadBase64: '/wA=' },
      ],
    );
  });

  it('tells what the broker refuses, and when it is gone', async (t) => {
    const { host } = await hostWithTwoTenants(t);
    const as = (file: string) => ['--user', DEMO.username, '--password-file', file];
    const foreign = await host.cli('mqtt', 'sub', 'tenant/plant-b/#', ...as('a.txt'));
    assert.deepEqual([foreign.code, /refuses the filter/.test(foreign.err)], [1, true]);
    const wrong = await host.cli('mqtt', 'sub', '#', ...as('b.txt'));
    assert.deepEqual([wrong.code, /refuses this user or password/.test(wrong.err)], [1, true]);
    const nowhere = await host.cli(
      'mqtt',
      'sub',
      '#',
      ...as('a.txt'),
      '--broker',
      `mqtt://127.0.0.1:${await ownPort()}`,
    );
    assert.deepEqual([nowhere.code, /HOST_UNREACHABLE/.test(nowhere.err)], [3, true]);
    assert.equal((await host.cli('mqtt', 'sub', '#')).code, 2);
  });
});
