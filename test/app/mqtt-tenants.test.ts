import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignFilters, foreignTopics, WIDE_FILTERS } from '../../src/core/mqtt-isolation.ts';
import { eventually } from '../support/eventually.ts';
import { ACCOUNT } from '../support/mqtt-host.ts';
import { CHILD, setColumns, twoTenants } from '../support/mqtt-two-tenants.ts';

const LIMIT = { timeout: 120_000 };

test('credentials: wrong ones, none, and a tenant that loses MQTT', LIMIT, async (t) => {
  const { dir, host } = await twoTenants(t);
  const wrong = [
    { password: 'x' },
    { username: 'demo:other' },
    { username: '', password: '' },
    { username: 'no:device' },
  ];
  for (const options of wrong) await assert.rejects(host.client({ clientId: 'd', ...options }));
  const device = await host.client({ clientId: 'b', ...CHILD });
  const gone = new Promise<void>((resolve) => device.once('close', () => resolve()));
  setColumns(dir, 'plant-b', { MqttEnable: 0 });
  await gone;
  await assert.rejects(host.client({ clientId: 'b', ...CHILD }));
});

test(
  'a child that copies the main credentials, or shares another child’s, stays out; the main tenant does not',
  LIMIT,
  async (t) => {
    const { dir, host } = await twoTenants(t);
    setColumns(dir, 'plant-b', { MqttPwd: ACCOUNT.password });
    await eventually(
      () => assert.rejects(host.client({ clientId: 'b', username: 'plant-b:b-device', password: ACCOUNT.password })),
      30_000,
    );
    await host.client({ clientId: 'd' });
  },
);

test('the isolation matrix: nothing of one tenant reaches the other', LIMIT, async (t) => {
  const { host } = await twoTenants(t);
  const atB: string[] = [];
  const b = await host.client({ clientId: 'same', clean: false, protocolVersion: 5, ...CHILD }, atB);
  const atA: string[] = [];
  const a = await host.client({ clientId: 'same', clean: false, protocolVersion: 5 }, atA);
  for (const filter of foreignFilters('demo')) {
    const refused = await b.subscribeAsync(filter, { qos: 1 }).then(
      () => false,
      () => true,
    );
    assert.ok(refused, filter);
  }
  for (const filter of WIDE_FILTERS) await b.subscribeAsync(filter, { qos: 1 });
  await a.subscribeAsync('#', { qos: 1 });
  await b.publishAsync('kept', 'of b', { qos: 1, retain: true });
  await a.publishAsync('x', 'of a', { qos: 1, retain: true, properties: { responseTopic: 'answer' } });
  for (const topic of foreignTopics('plant-b')) {
    await a.publishAsync(topic, 'foreign', { qos: 1 }).catch(() => undefined);
  }
  await a
    .publishAsync('x2', 'foreign answer', { qos: 1, properties: { responseTopic: 'tenant/plant-b/answer' } })
    .catch(() => undefined);
  const will = (topic: string) => ({ topic, payload: Buffer.from('will'), qos: 1, retain: true }) as const;
  for (const topic of ['tenant/plant-b/w', 'plant-b/w', '$SYS/w', '']) {
    await assert.rejects(host.client({ clientId: 'w', will: will(topic) }), topic);
  }
  const lost = await host.client({ clientId: 'w', will: will('w') });
  lost.stream.destroy();
  await b.unsubscribeAsync(['#', 'tenant/demo/#']);
  const late: string[] = [];
  const newcomer = await host.client({ clientId: 'late', ...CHILD }, late);
  await newcomer.subscribeAsync('#', { qos: 1 });
  await eventually(() => assert.ok(atA.includes('tenant/demo/w will')));
  await eventually(() => assert.deepEqual(late, ['tenant/plant-b/kept of b']));
  const own = (messages: string[], prefix: string) => messages.filter((message) => !message.startsWith(prefix));
  assert.deepEqual([own(atA, 'tenant/demo/'), own(atB, 'tenant/plant-b/')], [[], []]);
  assert.ok(!atA.some((message) => message.includes('foreign')));
  assert.ok(a.connected && b.connected);
  const { mqtt } = host.host.host;
  assert.deepEqual(
    (await mqtt.broker.retained('plant-b')).map(({ topic }) => topic),
    ['tenant/plant-b/kept'],
  );
  assert.deepEqual((await mqtt.broker.sessions('plant-b')).map(({ clientId }) => clientId).sort(), ['late', 'same']);
});
