/** TLS of the broker with real clients: certificates as PEM and PFX, versions of TLS, certificates of devices. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { IClientOptions } from 'mqtt';
import { loadConfig } from '../../src/config/load-config.ts';
import { mqttListeners } from '../../src/host/mqtt-listeners.ts';
import { eventually } from '../support/eventually.ts';
import { TestBroker } from '../support/mqtt-broker.ts';
import { tempDir } from '../support/temp-dir.ts';

const dir = tempDir({ after });
const PASSWORD = 'pfx-password';
const file = (name: string): string => join(dir, name);

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore', cwd: dir });
}

function makeAuthority(name: string): void {
  const self = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl('req', ...self, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.pem`);
}

function makeCertificate(name: string, authority: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
  writeFileSync(file(`${name}.ext`), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const by = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial', '-extfile', `${name}.ext`];
  openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-days', '2', '-out', `${name}.pem`);
}

makeAuthority('plant');
makeAuthority('stranger');
makeCertificate('server', 'plant');
makeCertificate('device', 'plant');
makeCertificate('intruder', 'stranger');
openssl(
  ...['pkcs12', '-export', '-inkey', 'server.key', '-in', 'server.pem', '-certfile', 'plant.pem'],
  ...['-out', 'server.pfx', '-passout', `pass:${PASSWORD}`],
);

type Row = Record<string, unknown>;

function listeners(tls: Record<string, unknown>, row: Row = {}) {
  const text = JSON.stringify({ mqtt: { tls } });
  const source = { env: {}, cwd: '/srv', readFile: () => text };
  return mqttListeners(loadConfig({ cores: 2, source, configFile: '/srv/v8host.config.json' }), row);
}

/** A broker with the first listener of a kind that the settings ask for. */
async function broker(t: TestContext, kind: 'mqtts' | 'wss', tls: Record<string, unknown>, row?: Row) {
  const listener = listeners(tls, row).find((each) => each.kind === kind);
  assert.ok(listener !== undefined, `there is a listener of ${kind}`);
  const started = await TestBroker.start(t, { listener: { ...listener, port: 0 } });
  const connect = (options: IClientOptions = {}) =>
    started.client({
      url: `${kind}://127.0.0.1:${started.port}`,
      ca: readFileSync(file('plant.pem')),
      protocolVersion: 5,
      clientId: 'device',
      ...options,
    });
  return { started, connect };
}

async function assertServes({ connect }: { connect(options?: IClientOptions): ReturnType<TestBroker['client']> }) {
  const client = await connect();
  const messages: string[] = [];
  client.on('message', (topic, payload) => messages.push(`${topic} ${payload}`));
  await client.subscribeAsync('x', { qos: 1 });
  await client.publishAsync('x', 'm', { qos: 1 });
  await eventually(() => assert.deepEqual(messages, ['tenant/ta/x m']));
}

const PEM = { certFile: file('server.pem'), keyFile: file('server.key') };
const PFX = { pfxFile: file('server.pfx'), password: PASSWORD };

for (const [what, tls, row] of [
  ['PEM', PEM, {}],
  ['PFX', PFX, {}],
  ["the main tenant's PFX", {}, { MqttUseTls: 1, MqttCertPath: file('server.pfx'), MqttCertPassword: PASSWORD }],
] as const) {
  test(`mqtts and wss with ${what}: a client that trusts the authority is served, one that does not refuses`, async (t) => {
    const plain = await broker(t, 'mqtts', tls, row);
    await assertServes(plain);
    const stranger = readFileSync(file('stranger.pem'));
    await assert.rejects(plain.connect({ ca: stranger }), /certificate/);
    await assertServes(await broker(t, 'wss', { ...tls, wssPort: 1 }, row));
  });
}

test('a PFX with a wrong password, or none, ends the start and names the field', () => {
  for (const tls of [{ ...PFX, password: 'wrong' }, { pfxFile: PFX.pfxFile }]) {
    assert.throws(
      () => listeners(tls),
      (error: { code: string; params: { field: string } }) =>
        error.code === 'MQTT_TLS_INVALID' && error.params.field === 'mqtt.tls.pfxFile',
    );
  }
});

test('TLS 1.2 and 1.3 are spoken, 1.1 is not', async (t) => {
  const { started } = await broker(t, 'mqtts', PEM);
  const handshake = (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'): Promise<string> =>
    new Promise((resolve) => {
      const range = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' };
      const ca = readFileSync(file('plant.pem'));
      const socket = connectTls({ port: started.port, host: '127.0.0.1', ca, ...range }, () => {
        resolve(String(socket.getProtocol()));
        socket.destroy();
      });
      socket.on('error', () => resolve('refused'));
    });
  assert.deepEqual(
    [await handshake('TLSv1.1'), await handshake('TLSv1.2'), await handshake('TLSv1.3')],
    ['refused', 'TLSv1.2', 'TLSv1.3'],
  );
});

test('with an authority of devices only its certificates get in', async (t) => {
  const guarded = await broker(t, 'mqtts', { ...PEM, clientCaFile: file('plant.pem') });
  const withCertificate = (name: string) =>
    guarded.connect({ cert: readFileSync(file(`${name}.pem`)), key: readFileSync(file(`${name}.key`)) });
  await assertServes({ connect: () => withCertificate('device') });
  await assert.rejects(guarded.connect());
  await assert.rejects(withCertificate('intruder'));
});
