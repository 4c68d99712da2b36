/** A broker that was killed says nothing any more: the next one publishes the wills of the connections that ended so. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IClientOptions } from 'mqtt';
import { BROKER_STORES } from '../../support/broker-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { OpenRules, TestBroker } from '../../support/mqtt-broker.ts';

const READER = { clientId: 'reader', clean: false } as const;

function will(clientId: string, more: { delay?: number; retain?: boolean } = {}): Pick<IClientOptions, 'will'> {
  const { delay, retain = false } = more;
  const properties = { userProperties: { unit: 'K' }, ...(delay === undefined ? {} : { willDelayInterval: delay }) };
  return { will: { topic: `wills/${clientId}`, payload: Buffer.from('gone'), qos: 1, retain, properties } };
}

const stays = (seconds: number) =>
  ({ protocolVersion: 5, clean: false, properties: { sessionExpiryInterval: seconds } }) as const;

for (const [name, prepare] of Object.entries(BROKER_STORES)) {
  test(`${name}: wills of connections that ended with their broker come once, none of who said goodbye`, async (t) => {
    const open = await prepare(t);
    const first = await TestBroker.start(t, { store: await open() });
    const reader = await first.client(READER);
    await reader.subscribeAsync('wills/#', { qos: 1 });
    await reader.endAsync();
    await first.client({ clientId: 'leaves', ...will('leaves') });
    await first.client({ clientId: 'stays', clean: false, ...will('stays', { retain: true }) });
    await first.client({ clientId: 'five', ...stays(600), ...will('five') });
    await first.client({ clientId: 'none' });
    const polite = await first.client({ clientId: 'polite', ...will('polite') });
    await polite.endAsync();
    await eventually(() => assert.equal(first.broker.connectionCount(), 4));
    await first.store.flushed();

    const rules = new OpenRules();
    const next = await TestBroker.start(t, { store: await open(), rules });
    const got: string[] = [];
    const again = await next.client(READER, got);
    const expected = ['five', 'leaves', 'stays'].map((device) => `tenant/ta/wills/${device}`);
    await eventually(() =>
      assert.deepEqual(
        [...got].sort(),
        expected.map((topic) => `${topic} gone`),
      ),
    );
    assert.deepEqual([...rules.published].sort(), expected, 'each went through the gate once');
    assert.deepEqual(rules.retained, ['tenant/ta/wills/stays']);
    await again.endAsync();
    await eventually(() => assert.equal(next.store.isDirty, false));
    assert.deepEqual((await open()).load().wills, [], 'none is left for a third');
  });

  test(`${name}: a delay goes on, ends with the session, and with the client that is back`, async (t) => {
    const open = await prepare(t);
    const first = await TestBroker.start(t, { store: await open() });
    const reader = await first.client(READER);
    await reader.subscribeAsync('wills/#', { qos: 1 });
    await reader.endAsync();
    await first.client({ clientId: 'waits', ...stays(600), ...will('waits', { delay: 500 }) });
    await first.client({ clientId: 'back', ...stays(600), ...will('back', { delay: 500 }) });
    await first.client({ clientId: 'short', ...stays(1), ...will('short', { delay: 500 }) });
    const lost = await first.client({ clientId: 'lost', ...stays(600), ...will('lost', { delay: 500 }) });
    lost.stream.destroy();
    await eventually(() => assert.equal(first.broker.connectionCount(), 3));
    const lostAt = Date.now();
    await first.store.flushed();

    const next = await TestBroker.start(t, { store: await open() });
    await next.client({ clientId: 'back', ...stays(600) });
    const got: string[] = [];
    await next.client(READER, got);
    await eventually(() => assert.deepEqual(got, ['tenant/ta/wills/short gone']));
    await eventually(() => assert.equal(next.store.isDirty, false));
    const { wills } = (await open()).load();
    assert.deepEqual(wills.map(({ clientId }) => clientId).sort(), ['lost', 'waits']);
    const [ofLost, ofWaits] = ['lost', 'waits'].map((id) => wills.find(({ clientId }) => clientId === id));
    assert.ok((ofLost?.dueAt ?? Number.NaN) <= lostAt + 500_000, 'from the loss on');
    assert.ok((ofWaits?.dueAt ?? Number.NaN) > lostAt + 500_000, 'from the next start on');
    assert.deepEqual(ofWaits?.message.properties.userProperties, [['unit', 'K']]);
  });

  test(`${name}: a client that is back at once comes after its will`, async (t) => {
    const open = await prepare(t);
    const first = await TestBroker.start(t, { store: await open() });
    const reader = await first.client(READER);
    await reader.subscribeAsync('wills/#', { qos: 1 });
    await reader.endAsync();
    const devices = ['a', 'b', 'c'].map((clientId) => ({ clientId, clean: clientId === 'a', ...will(clientId) }));
    for (const device of devices) await first.client(device);
    await first.store.flushed();

    const next = await TestBroker.start(t, { store: await open() });
    for (const { clientId, clean } of devices) {
      const device = await next.client({ clientId, clean });
      await device.publishAsync(`wills/${clientId}`, 'back', { qos: 1 });
    }
    const got: string[] = [];
    await next.client(READER, got);
    await eventually(() => assert.equal(got.length, 6));
    for (const { clientId } of devices) {
      const own = got.filter((text) => text.includes(`/${clientId} `));
      assert.deepEqual(own, [`tenant/ta/wills/${clientId} gone`, `tenant/ta/wills/${clientId} back`]);
    }
  });

  test(`${name}: a broker that stops by itself leaves the wills that wait, and none of its devices`, async (t) => {
    const open = await prepare(t);
    const store = await open();
    const broker = await TestBroker.start(t, { store });
    await broker.client({ clientId: 'there', ...stays(600), ...will('there') });
    const lost = await broker.client({ clientId: 'lost', ...stays(600), ...will('lost', { delay: 500 }) });
    lost.stream.destroy();
    await eventually(() => assert.equal(broker.broker.connectionCount(), 1));
    await broker.stop();
    assert.deepEqual(
      (await open()).load().wills.map(({ clientId }) => clientId),
      ['lost'],
    );
  });
}
