import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Config, loadConfig } from '../../src/config/load-config.ts';
import { mqttListeners } from '../../src/host/mqtt-listeners.ts';
import { tempDir } from '../support/temp-dir.ts';

const dir = tempDir({ after });
const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
execFileSync('openssl', ['req', ...made, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });

function config(env: Record<string, string> = {}): Config {
  return loadConfig({ cores: 2, source: { env, cwd: dir, readFile: () => undefined } });
}

const TLS = { V8HOST_MQTT_TLS_CERT_FILE: certFile, V8HOST_MQTT_TLS_KEY_FILE: keyFile };
const ports = (env: Record<string, string>, row: Record<string, unknown>) =>
  mqttListeners(config(env), row).map(({ kind, port }) => `${kind} ${port}`);

for (const MqttTlsPort of [undefined, null, '', ' ', '0', 0, 'x', 70_000]) {
  test(`MqttTlsPort ${JSON.stringify(MqttTlsPort)} means 8883, never a port of the system's choice`, () => {
    assert.deepEqual(ports(TLS, { MqttTlsPort }), ['mqtt 1883', 'mqtts 8883']);
  });
}

test('ports of the row count where the configuration names none', () => {
  const row = { MqttPort: '2883', MqttWsPort: 2884, MqttTlsPort: '9883' };
  assert.deepEqual(ports(TLS, row), ['mqtt 2883', 'ws 2884', 'mqtts 9883']);
});

for (const [what, MqttCertPath] of [
  ['no certificate', ''],
  ['a file that is not there', join(dir, 'nothing.pfx')],
  ['a file that is no PFX', keyFile],
] as const) {
  test(`TLS asked for with ${what} opens nothing in clear text`, () => {
    assert.throws(() => ports({}, { MqttUseTls: 1, MqttCertPath }), { code: 'MQTT_TLS_INVALID' });
  });
}
