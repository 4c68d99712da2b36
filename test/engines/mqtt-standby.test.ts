/** Two hosts on one database, MQTT on for both: one broker at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConsolePage, startBrowser } from '../support/browser.ts';
import { CONSOLE_TOKEN } from '../support/console-host.ts';
import { eventually } from '../support/eventually.ts';
import { connectClient } from '../support/mqtt-broker.ts';
import { ownPort } from '../support/own-port.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { prepareHosts } from './engine-hosts.ts';

const LIMIT = { timeout: 240_000 };
const ACCOUNT = { account: 'device', password: 'device-password' } as const;
const LOGIN = { username: 'demo:device', password: ACCOUNT.password } as const;

test('the second host has no broker and says so, and takes over when the first is gone', LIMIT, async (t) => {
  const { url } = await freshDatabase();
  const ports = [await ownPort(), await ownPort()] as const;
  const hosts = [];
  for (const [n, port] of ports.entries()) {
    const mqtt = { enabled: true, port, ...ACCOUNT };
    hosts.push(...(await prepareHosts(t, [`host-${n}`], { databaseUrl: url }, { mqtt, sandbox: { lanes: 1 } })));
  }
  const [first, second] = hosts;
  assert.ok(first !== undefined && second !== undefined);
  await first.start();
  await second.start();

  await eventually(() => assert.match(second.output, /MQTT: another host on this database runs the broker/));
  assert.match(second.output, /"mqtt\.held_elsewhere".*"holder":"[^?"]/);
  const { body } = await second.api('GET', 'tenants/demo/mqtt');
  assert.deepEqual([body.Data.isRunning, body.Data.isStandby], [false, true]);
  assert.match((await second.cli('mqtt', 'pub', 'a', 'b')).err, /MQTT_STANDBY/);
  const browser = await startBrowser(t);
  const screen = { width: 1280, locale: 'en-GB' } as const;
  const person = await ConsolePage.open(browser, `http://127.0.0.1:${second.port}`, screen);
  await person.logIn(CONSOLE_TOKEN);
  await person.visit('devices');
  await person.page.getByText('The MQTT broker runs on another host').waitFor();
  await assert.rejects(connectClient(t, `mqtt://127.0.0.1:${ports[1]}`, LOGIN));
  await connectClient(t, `mqtt://127.0.0.1:${ports[0]}`, LOGIN);

  await first.kill();
  await eventually(() => assert.match(second.output, /"mqtt\.taken_over"/), 60_000);
  const device = await connectClient(t, `mqtt://127.0.0.1:${ports[1]}`, LOGIN);
  await device.publishAsync('x', 'y', { qos: 1 });
  assert.equal(await second.stop(), 0);
});
