/**
 * `npm run conformance -- mosquitto | host:port`: our MQTT 5 conformance suite against another server, a Mosquitto
 * started for it or one that runs. It checks the suite itself: docs/mqtt-conformance.md explains every difference.
 */
import { spawnSync } from 'node:child_process';
import { startMosquitto } from '../test/support/services/mosquitto.ts';
import { withoutServices } from '../test/support/services/suite-environment.ts';

const SUITE = 'test/adapters/mqtt/conformance/conformance.test.ts';

const [asked = ''] = process.argv.slice(2);
if (asked !== 'mosquitto' && !/^[^:]+:\d+$/.test(asked)) {
  process.stderr.write('usage: npm run conformance -- mosquitto|host:port\n');
  process.exit(2);
}
const server = asked === 'mosquitto' ? await startMosquitto() : undefined;
const target = server === undefined ? asked : `127.0.0.1:${server.port}`;
const { status } = spawnSync(process.execPath, ['--test', SUITE], {
  stdio: 'inherit',
  env: { ...withoutServices(), MQTT_TARGET: target },
});
await server?.stop();
process.exit(status ?? 1);
