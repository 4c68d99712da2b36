import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../src/core/errors.ts';
import type { AmqpSettings } from '../../../src/core/mq-settings.ts';
import type { Queue } from '../../../src/ports/queue.ts';
import { DeliveryInbox } from '../../contract/delivery-inbox.ts';
import { eventually } from '../../support/eventually.ts';
import { ownPort } from '../../support/own-port.ts';
import { freshVhost } from '../../support/services/fresh-vhost.ts';
import { managementApi } from '../../support/services/rabbitmq.ts';
import { message, openQueue, QUEUE, settingsOf, TENANT } from './amqp-client.ts';

interface Refusal {
  readonly change: (settings: AmqpSettings) => Promise<Partial<AmqpSettings>>;
  readonly code: string;
  /** What the operator reads. */
  readonly says: RegExp;
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'a port where nobody listens': {
    change: async () => ({ port: await ownPort() }),
    code: 'QUEUE_BROKER_UNREACHABLE',
    says: /amqp:\/\/127\.0\.0\.1:\d+\/\w+ cannot be reached \(ECONNREFUSED\): check MQHost, MQPort/,
  },
  'a host that no name server knows': {
    change: async () => ({ hosts: ['broker.invalid'] }),
    code: 'QUEUE_BROKER_UNREACHABLE',
    says: /broker\.invalid:\d+\/\w+ cannot be reached \((ENOTFOUND|EAI_AGAIN)\)/,
  },
  'a wrong password': {
    change: async () => ({ password: 'wrong-password' }),
    code: 'QUEUE_LOGIN_REFUSED',
    says: /refused the login: check MQUserName and MQPassword/,
  },
  'a virtual host that does not exist': {
    change: async () => ({ vhost: 'no/such vhost' }),
    code: 'QUEUE_VHOST_REFUSED',
    says: /\/no%2Fsuch%20vhost does not open the virtual host no\/such vhost: create it/,
  },
  'TLS at a port without it': {
    change: async () => ({ tls: true }),
    code: 'QUEUE_TLS_FAILED',
    says: /^TLS with RabbitMQ at amqps:.* failed \(ERR_SSL_WRONG_VERSION_NUMBER\): check that MQPort is the TLS port/,
  },
};

for (const [what, { change, code, says }] of Object.entries(REFUSALS)) {
  test(`${what} is told clearly, in time, without credentials`, async (t) => {
    const right = settingsOf(await freshVhost());
    const settings = { ...right, ...(await change(right)) };
    const { queue, log } = await openQueue(t, settings);
    const told = (error: Error) => {
      const cause = error.cause as AppError;
      assert.equal((error as AppError).code, 'QUEUE_UNAVAILABLE');
      assert.equal(cause.code, code);
      assert.match(cause.message, says);
      return true;
    };
    await assert.rejects(
      queue.consume(TENANT, QUEUE, { prefetch: 1 }, () => undefined),
      told,
    );
    await assert.rejects(queue.depth(TENANT, QUEUE), told);
    await assert.rejects(queue.publish(TENANT, [message('a')]), told);
    assert.equal(queue.status().tenants[0]?.trouble?.code, code);
    const written = JSON.stringify(
      log.lines.map(({ event, fields }) => [event, { ...fields, err: String(fields.err) }]),
    );
    for (const secret of [settings.user, settings.password]) assert.ok(!written.includes(secret), written);
  });
}

test('settings that are missing are told as they are, once, and read again at the next use', async (t) => {
  const vhost = await freshVhost();
  let known = false;
  const { queue, log } = await openQueue(t, async () => {
    if (!known) throw new AppError('QUEUE_IDENTITY_MISSING', { tenant: TENANT, field: 'MQPassword' });
    return settingsOf(vhost);
  });
  for (const use of [() => queue.publish(TENANT, [message('a')]), () => queue.depth(TENANT, QUEUE)]) {
    await assert.rejects(use(), (error: Error) => {
      assert.equal((error.cause as AppError).code, 'QUEUE_IDENTITY_MISSING');
      assert.match((error.cause as Error).message, /Factory-A lack MQPassword/);
      return true;
    });
  }
  assert.equal(log.of('queue.settings_refused').length, 1);
  known = true;
  await queue.publish(TENANT, [message('a')]);
});

test("one tenant's trouble is nobody else's", async (t) => {
  const right = settingsOf(await freshVhost());
  const { queue } = await openQueue(t, right, {
    settingsOf: async (tenant) => (tenant === 'bad' ? { ...right, password: 'wrong-password' } : right),
  });
  const refused = assert.rejects(queue.publish('bad', [message('a', 'microi.bad.orders')]));
  await queue.publish(TENANT, [message('a')]);
  await refused;
});

test('a broker that was away is used when it is there, without a new attempt by the caller', async (t) => {
  const vhost = await freshVhost();
  const { queue, log } = await openQueue(t, { ...settingsOf(vhost), vhost: `${vhost.vhost}-later` });
  await assert.rejects(queue.publish(TENANT, [message('a')]), { code: 'QUEUE_UNAVAILABLE' });
  const later = `${vhost.vhost}-later`;
  t.after(() => managementApi(vhost.apiUrl, 'DELETE', `/api/vhosts/${later}`));
  await managementApi(vhost.apiUrl, 'PUT', `/api/vhosts/${later}`, {});
  const everything = { configure: '.*', write: '.*', read: '.*' };
  await managementApi(vhost.apiUrl, 'PUT', `/api/permissions/${later}/${vhost.user}`, everything);
  await eventually(() => assert.equal(queue.status().tenants[0]?.publisher, 'up'));
  assert.equal(log.of('queue.connect_failed').length, 1);
  await queue.publish(TENANT, [message('a')]);
});

test('changed settings move the tenant to the new place, its consumers too; unchanged ones leave it alone', async (t) => {
  const [before, behind] = [await freshVhost(), await freshVhost()];
  let place = before;
  const { queue, log } = await openQueue(t, async () => settingsOf(place));
  const inbox = new DeliveryInbox();
  await queue.consume(TENANT, QUEUE, { prefetch: 5 }, inbox.take);
  await queue.publish(TENANT, [message('before')]);
  await inbox.until(1);
  await queue.refreshTenant(TENANT);
  await delay(50);
  assert.equal(log.of('queue.connected').length, 2);
  place = behind;
  await queue.refreshTenant('factory-a');
  await queue.publish(TENANT, [message('behind')]);
  await inbox.until(2);
  assert.deepEqual(inbox.texts(), ['before', 'behind']);
  // What was handed out is still settled where it came from.
  await inbox.at(0).ack();
  assert.equal(queue.status().staleSettlements, 0);
  const { queue: observer } = await openQueue(t, settingsOf(before));
  await eventually(async () => assert.deepEqual(await observer.depth(TENANT, QUEUE), { ready: 0, unsettled: 0 }));
});

test('settings that are refused now close the connections made with the old ones', async (t) => {
  const vhost = await freshVhost();
  let shared = false;
  const { queue } = await openQueue(t, async () => {
    if (shared) throw new AppError('QUEUE_IDENTITY_SHARED', { tenant: TENANT, field: 'MQUserName' });
    return settingsOf(vhost);
  });
  await queue.publish(TENANT, [message('a')]);
  shared = true;
  await queue.refreshTenant(TENANT);
  assert.equal(queue.status().tenants[0]?.publisher, undefined);
  assert.equal(queue.status().tenants[0]?.trouble?.code, 'QUEUE_IDENTITY_SHARED');
  await assert.rejects(queue.publish(TENANT, [message('b')]), { code: 'QUEUE_UNAVAILABLE' });
});

test('a closed tenant gives its messages back and may be used again', async (t) => {
  const { queue } = await openQueue(t, settingsOf(await freshVhost()));
  const inbox = new DeliveryInbox();
  await queue.consume(TENANT, QUEUE, { prefetch: 1 }, inbox.take);
  await queue.publish(TENANT, [message('a')]);
  await inbox.until(1);
  await queue.closeTenant(TENANT);
  assert.deepEqual(queue.status().tenants, []);
  await inbox.at(0).ack();
  assert.equal(queue.status().staleSettlements, 1);
  assert.deepEqual(await queue.depth(TENANT, QUEUE), { ready: 1, unsettled: 0 });
});

test('closing does not wait for a broker that accepts connections and says nothing', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const settings = { hosts: ['127.0.0.1'], port, user: 'u', password: 'p', vhost: 'v', tls: false };
  const cleanups: (() => unknown)[] = [];
  const { queue }: { queue: Queue } = await openQueue(
    { after: (fn) => void cleanups.push(fn as () => void) },
    settings,
  );
  const began = performance.now();
  const refused = assert.rejects(queue.publish(TENANT, [message('a')]), { code: 'QUEUE_UNAVAILABLE' });
  await queue.close();
  await refused;
  assert.ok(performance.now() - began < 13_000);
  silent.close();
});
