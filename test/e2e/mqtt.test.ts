/** The broker of the real host, with the clients that people have: mosquitto_pub and mosquitto_sub, and mqtt.js over TLS. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { connectClient } from '../support/mqtt-broker.ts';
import { ownPort } from '../support/own-port.ts';
import { ensurePrograms, PROGRAM_PATH } from '../support/services/packages.ts';
import { paste, StartedProduct } from '../support/started-product.ts';
import { tempDir } from '../support/temp-dir.ts';

const run = promisify(execFile);
const LIMIT = { timeout: 240_000 };
const LOGIN = { account: 'device', password: 'device-password' } as const;

const GATE = `
if (V8.EventName !== 'MessageReceived') return { Code: 1 };
return V8.FormEngine.AddFormData('effect', { EventId: String(V8.MQTT.Payload.n), Note: V8.MQTT.Topic });
`;
const TABLES = JSON.stringify([
  {
    Name: 'effect',
    Fields: [
      { Name: 'EventId', Type: 'varchar(50)' },
      { Name: 'Note', Type: 'varchar(200)' },
    ],
  },
]);

async function startHost(
  t: TestContext,
  mqtt: Record<string, unknown> = {},
): Promise<{ host: HostProcess; port: number }> {
  await ensurePrograms('mosquitto');
  const port = await ownPort();
  const config = { mqtt: { enabled: true, port, ...LOGIN, ...mqtt }, sandbox: { lanes: 1 } };
  const host = await HostProcess.create(tempDir(t), config);
  t.after(() => host.kill());
  await host.start();
  return { host, port };
}

async function pushGate(host: HostProcess): Promise<void> {
  const dir = join(host.dataDir, 'scripts');
  const { mkdirSync } = await import('node:fs');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'gate.js'), GATE);
  writeFileSync(join(dir, 'tables.json'), TABLES);
  assert.equal((await host.cli('push', dir)).code, 0);
}

function publish(port: number, topic: string, payload: string, ...more: string[]) {
  const login = ['-h', '127.0.0.1', '-p', String(port), '-u', 'demo:device', '-P', LOGIN.password];
  const args = [...login, '-q', '1', '-t', topic, '-m', payload, ...more];
  return run('mosquitto_pub', args, { env: { PATH: PROGRAM_PATH }, timeout: 30_000 });
}

for (const version of ['31', '311', '5']) {
  it(`mosquitto_pub and mosquitto_sub, version ${version}`, LIMIT, async (t) => {
    const { port } = await startHost(t);
    const login = [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-u',
      'demo:device',
      '-P',
      LOGIN.password,
      '-V',
      `mqttv${version}`,
    ];
    const subscriber = spawn('mosquitto_sub', [...login, '-q', '1', '-t', 'sensor/#', '-v'], {
      env: { PATH: PROGRAM_PATH },
    });
    t.after(() => subscriber.kill());
    let seen = '';
    subscriber.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
    await eventually(async () => {
      await publish(port, 'sensor/t', '21.5', '-V', `mqttv${version}`);
      assert.match(seen, /tenant\/demo\/sensor\/t 21\.5/);
    }, 60_000);
    await assert.rejects(
      run('mosquitto_pub', ['-h', '127.0.0.1', '-p', String(port), '-t', 'x', '-m', 'y'], { timeout: 30_000 }),
    );
  });
}

it('kill -9 right after the acknowledgement: the row of the script is there', LIMIT, async (t) => {
  const { host, port } = await startHost(t, { engine: 'gate' });
  await pushGate(host);
  const device = await connectClient(t, `mqtt://127.0.0.1:${port}`, {
    username: 'demo:device',
    password: LOGIN.password,
  });
  for (let n = 1; n <= 20; n++) await device.publishAsync('x', JSON.stringify({ n }), { qos: 1 });
  await host.kill();
  const rows = host.sql('demo', 'SELECT EventId, Note FROM effect');
  assert.deepEqual(
    rows.map((row) => Number(row.EventId)),
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
});

it('kill -9, and a start: wills come once, none of a device that had said goodbye', LIMIT, async (t) => {
  const { host, port } = await startHost(t, { engine: 'gate' });
  await pushGate(host);
  const url = `mqtt://127.0.0.1:${port}`;
  const login = { username: 'demo:device', password: LOGIN.password };
  const reader = { ...login, clientId: 'reader', clean: false } as const;
  const device = (clientId: string, n: number) =>
    connectClient(t, url, {
      ...login,
      clientId,
      will: { topic: `wills/${clientId}`, payload: Buffer.from(JSON.stringify({ n })), qos: 1, retain: false },
    });
  const first = await connectClient(t, url, reader);
  await first.subscribeAsync('wills/#', { qos: 1 });
  const polite = await device('polite', 1);
  await polite.endAsync();
  const there = await device('there', 2);
  // Its acknowledgement waits for what was written before it.
  await there.publishAsync('x', JSON.stringify({ n: 3 }), { qos: 1 });
  for (let round = 0; round < 2; round++) {
    await host.kill();
    await host.start();
    const messages: string[] = [];
    const again = await connectClient(t, url, reader, messages);
    if (round === 0) await eventually(() => assert.deepEqual(messages, ['tenant/demo/wills/there {"n":2}']));
    await again.publishAsync('x', JSON.stringify({ n: 10 + round }), { qos: 1 });
    await again.endAsync();
    assert.equal(messages.length, round === 0 ? 1 : 0);
  }
  const rows = host.sql('demo', 'SELECT EventId FROM effect ORDER BY CAST(EventId AS INTEGER)');
  assert.deepEqual(
    rows.map((row) => Number(row.EventId)),
    [2, 3, 10, 11],
    'the gate has seen it once',
  );
  await host.kill();
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(join(host.dataDir, 'host.db'), { readOnly: true });
  assert.equal(db.prepare('SELECT count(*) AS Wills FROM mqtt_will').get()?.Wills, 0, 'none is left for another start');
  db.close();
});

it('the command line lists clients and publishes to them', LIMIT, async (t) => {
  const { host, port } = await startHost(t);
  const messages: string[] = [];
  const options = { username: 'demo:device', password: LOGIN.password, clientId: 'meter-1' };
  const device = await connectClient(t, `mqtt://127.0.0.1:${port}`, options, messages);
  await device.subscribeAsync('cmd/meter-1', { qos: 1 });
  assert.match((await host.cli('mqtt', 'clients')).out, /meter-1\s+✓\s+127\.0\.0\.1/);
  const sent = await host.cli('mqtt', 'pub', 'cmd/meter-1', 'restart', '--qos', '1');
  assert.deepEqual([sent.code, sent.err.trim()], [0, 'Published; sessions that have subscribed: 1']);
  await eventually(() => assert.deepEqual(messages, ['tenant/demo/cmd/meter-1 restart']));
  const refused = await host.cli('mqtt', 'pub', 'a/#', 'x');
  assert.match(refused.err, /TOPIC_INVALID/);
});

it('TLS only: with a certificate it is the only way in; with a bad one the host does not start', LIMIT, async (t) => {
  const dir = tempDir(t);
  const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...subject,
    '-keyout',
    keyFile,
    '-out',
    certFile,
  ]);
  const [port, tlsPort, wssPort] = [await ownPort(), await ownPort(), await ownPort()];
  const tls = { port: tlsPort, wssPort, only: true, certFile, keyFile };
  await startHost(t, { port, tls });
  const login = { username: 'demo:device', password: LOGIN.password, rejectUnauthorized: false };
  for (const url of [`mqtts://127.0.0.1:${tlsPort}`, `wss://127.0.0.1:${wssPort}/mqtt`]) {
    const device = await connectClient(t, url, login);
    await device.publishAsync('x', 'y', { qos: 1 });
  }
  await assert.rejects(connectClient(t, `mqtt://127.0.0.1:${port}`, login));

  writeFileSync(certFile, 'no certificate');
  const broken = await HostProcess.create(tempDir(t), { mqtt: { enabled: true, ...LOGIN, tls } });
  t.after(() => broken.kill());
  broken.spawn();
  await eventually(
    () => assert.match(broken.output, /The TLS certificate of MQTT cannot be used \(mqtt\.tls\.certFile/),
    60_000,
  );
  assert.ok(!broken.output.includes(LOGIN.password));
});

it('a configured port that is taken ends the start and says what to do', LIMIT, async (t) => {
  const { port } = await startHost(t);
  const second = await HostProcess.create(tempDir(t), { mqtt: { enabled: true, port, ...LOGIN } });
  t.after(() => second.kill());
  const child = second.spawn();
  const code = await new Promise((resolve) => child.once('exit', resolve));
  assert.equal(code, 1);
  assert.match(
    second.output,
    new RegExp(`MQTT cannot listen on 127\\.0\\.0\\.1:${port} \\(EADDRINUSE, mqtt\\.port\\)`),
  );
});

it('the line that a first start prints works as it is pasted', LIMIT, async (t) => {
  await ensurePrograms('mosquitto');
  const cwd = tempDir(t);
  const product = new StartedProduct(t, cwd);
  const banner = await product.banner();
  const line = banner.find((text) => text.includes('mosquitto_pub ')) ?? '';
  const { code, err } = await paste(line.trim(), cwd);
  assert.deepEqual([code, err], [0, '']);
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(join(cwd, 'data/tenants/demo.db'), { readOnly: true });
  assert.equal(Number(db.prepare('SELECT Temp FROM device_reading').get()?.Temp), 21.5);
  db.close();
  await product.stop();
});
