/**
 * MQTT 5 statement by statement, against our listener, or with MQTT_TARGET=host:port against another server.
 * Numbers are those of the OASIS standard.
 */
import { type TestContext, test } from 'node:test';
import { TestBroker } from '../../../support/mqtt-broker.ts';
import { CONNACK_STATEMENTS } from './connack-statements.ts';
import { CONNECT_STATEMENTS } from './connect-statements.ts';
import { DELIVERY_STATEMENTS } from './delivery-statements.ts';
import { FLOW_STATEMENTS } from './flow-statements.ts';
import { ILLEGAL_STATEMENTS } from './illegal-statements.ts';
import { PUBLISH_STATEMENTS } from './publish-statements.ts';
import { SESSION_STATEMENTS } from './session-statements.ts';
import { type Statement, type Target, Trial } from './statement.ts';
import { SUBSCRIBE_STATEMENTS } from './subscribe-statements.ts';
import { WILL_STATEMENTS } from './will-statements.ts';

const STATEMENTS: readonly Statement[] = [
  ...CONNECT_STATEMENTS,
  ...CONNACK_STATEMENTS,
  ...WILL_STATEMENTS,
  ...SESSION_STATEMENTS,
  ...PUBLISH_STATEMENTS,
  ...DELIVERY_STATEMENTS,
  ...FLOW_STATEMENTS,
  ...SUBSCRIBE_STATEMENTS,
  ...ILLEGAL_STATEMENTS,
];

async function targetOf(t: TestContext): Promise<Target> {
  const [host = '', port] = process.env.MQTT_TARGET?.split(':') ?? [];
  if (port !== undefined) return { host, port: Number(port), waitMs: 3_000, userName: 'short1' };
  const broker = await TestBroker.start(t);
  return { host: '127.0.0.1', port: broker.port, waitMs: 20_000, userName: 'short1' };
}

test('MQTT 5', { timeout: 300_000, concurrency: 16 }, async (t) => {
  const target = await targetOf(t);
  const tried = STATEMENTS.map(([number, what, trial]) =>
    t.test(`[${number}] ${what}`, async () => {
      const mqtt = new Trial(target);
      try {
        await trial(mqtt);
      } finally {
        mqtt.end();
      }
    }),
  );
  await Promise.all(tried);
});
