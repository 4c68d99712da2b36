/** Topics bound to queues, with a real store, broker and device. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MqttClient } from 'mqtt';
import {
  addTopicBinding,
  changeTopicBinding,
  listTopicBindings,
  removeTopicBinding,
  type TopicBindingPlace,
} from '../../src/app/manage-topic-bindings.ts';
import type { ErrorCode } from '../../src/core/error-table.ts';
import type { AppError } from '../../src/core/errors.ts';
import { MAX_TOPIC_BINDINGS } from '../../src/core/topic-binding.ts';
import { eventually } from '../support/eventually.ts';
import { MqttHost } from '../support/mqtt-host.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';

const LIMIT = { timeout: 120_000 };
const ORIGIN = { by: { kind: 'user', id: 'u1', name: 'lin', level: 1 }, address: '192.0.2.7' } as const;
const METERS = `/** @queue meters */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId, Note: V8.Param.Message.Message.Topic });`;

const placeOf = ({ host }: MqttHost): TopicBindingPlace => ({
  store: host.store,
  scope: host.host.mqtt.topicScope('demo'),
  origin: ORIGIN,
  changed: () => host.host.mqtt.handOver.forget('demo'),
});

const refused = (work: Promise<unknown>, code: ErrorCode, says = /./) =>
  assert.rejects(work, (thrown: AppError) => {
    assert.equal(thrown.code, code);
    assert.match(JSON.stringify(thrown.params), says);
    return true;
  });

const send = (device: MqttClient, id: string) =>
  device.publishAsync('meters/m/value', JSON.stringify({ head: { id } }), { qos: 1 });

test('a topic is handed over from the moment it is bound until it is switched off', LIMIT, async (t) => {
  const mqtt = await MqttHost.start(t);
  const place = placeOf(mqtt);
  const gated = async () => (await mqtt.events('MessageReceived')).length;
  const device = await mqtt.client({ clientId: 'm' });
  await send(device, 'before');
  assert.equal(await gated(), 1);

  const draft = { filter: '/meters/+/value', queue: 'microi.demo.meters', eventIdPath: 'head.id' };
  const added = await addTopicBinding(place, draft);
  assert.deepEqual(
    { ...added, id: '' },
    {
      id: '',
      filter: 'tenant/demo/meters/+/value',
      queue: 'meters',
      engineKey: null,
      eventIdPath: 'head.id',
      enabled: true,
      refusal: undefined,
    },
  );
  await mqtt.host.push({ 'meters.js': METERS });
  assert.equal((await listTopicBindings(place))[0]?.engineKey, 'meters');
  await send(device, 'h-1');
  await send(device, 'h-1');
  await eventually(async () => assert.deepEqual(await mqtt.host.effects('onward'), ['h-1']), 60_000);
  assert.equal(await gated(), 1);

  await changeTopicBinding(place, added.id, { enabled: false });
  await send(device, 'off');
  assert.equal(await gated(), 2);
  await changeTopicBinding(place, added.id, { enabled: true, filter: 'meters/#' });
  await send(device, 'h-2');
  await eventually(async () => assert.equal((await mqtt.host.effects('onward')).length, 2), 60_000);
  await removeTopicBinding(place, added.id);
  await send(device, 'gone');
  assert.equal(await gated(), 3);

  const entries = (await mqtt.host.store.identity.audit.list({ actor: 'lin', limit: 10 })).toReversed();
  assert.deepEqual(
    entries.map(({ action, target }) => `${action} ${target}`),
    [
      'topic-binding.added tenant/demo/meters/+/value',
      'topic-binding.changed tenant/demo/meters/+/value',
      'topic-binding.changed tenant/demo/meters/+/value',
      'topic-binding.removed tenant/demo/meters/#',
    ],
  );
  assert.deepEqual(entries[2]?.before, { TopicFilter: '/meters/+/value', IsEnable: 0 });
  assert.deepEqual(entries[2]?.after, { TopicFilter: 'meters/#', IsEnable: 1 });
});

test('of bindings that overlap the most specific takes a message, whichever was made first', LIMIT, async (t) => {
  const mqtt = await MqttHost.start(t);
  const note = (queue: string) =>
    `/** @queue ${queue} */ return V8.FormEngine.AddFormData('onward', { EventId: '${queue}', Note: '' });`;
  await mqtt.host.push({ 'rest.js': note('rest'), 'alarms.js': note('alarms') });
  for (const [filter, queue] of Object.entries({ '#': 'rest', 'alarm/+/fire': 'alarms' })) {
    await addTopicBinding(placeOf(mqtt), { filter, queue });
  }
  const device = await mqtt.client({ clientId: 'm' });
  await device.publishAsync('alarm/hall/fire', '{}', { qos: 1 });
  await eventually(async () => assert.deepEqual(await mqtt.host.effects('onward'), ['alarms']), 60_000);
  await device.publishAsync('alarm/hall/other', '{}', { qos: 1 });
  await eventually(
    async () => assert.deepEqual((await mqtt.host.effects('onward')).sort(), ['alarms', 'rest']),
    60_000,
  );
});

test('what could not be served is refused and nothing is stored', LIMIT, async (t) => {
  const dir = tempDir(t);
  const mqtt = await MqttHost.start(t, { dir });
  await mqtt.host.adapters.directory.add('acme', undefined);
  await mqtt.host.host.mqtt.refreshTenants();
  const place = placeOf(mqtt);
  const add = (draft: object) => addTopicBinding(place, { filter: 'a/+', queue: 'meters', ...draft });
  const { id } = await add({});
  const before = await listTopicBindings(place);
  await refused(add({ filter: 'a/#/b' }), 'TOPIC_INVALID', /#/);
  await refused(add({ filter: 'a//b' }), 'TOPIC_INVALID');
  await refused(add({ filter: 'acme/b' }), 'TOPIC_FOREIGN');
  await refused(add({ filter: 'tenant/acme/b' }), 'TOPIC_FOREIGN');
  await refused(add({ filter: '$share/g/b' }), 'TOPIC_RESERVED');
  await refused(add({ filter: 'tenant/demo/a/+' }), 'TOPIC_BOUND', /meters/);
  await refused(add({ filter: 'b', queue: 'a b' }), 'QUEUE_INVALID', /a b/);
  await refused(add({ filter: 'b', queue: 'microi.acme.meters' }), 'QUEUE_FOREIGN');
  await refused(add({ filter: 'b', queue: 'meters.dlq' }), 'QUEUE_RESERVED');
  for (const eventIdPath of ['$.id', 'head..id', '.id', 'rows[0].id', 'head. id', 'a\u0000b']) {
    await refused(add({ filter: 'b', eventIdPath }), 'PARAM_INVALID', /eventIdPath.*head\.id/);
  }
  await refused(changeTopicBinding(place, id, { queue: '!' }), 'QUEUE_INVALID');
  await refused(changeTopicBinding(place, 'nobody', { enabled: false }), 'NOT_FOUND');
  await refused(removeTopicBinding(place, 'nobody'), 'NOT_FOUND');
  assert.deepEqual(await listTopicBindings(place), before);

  const foreign = `insert into mci_mqtt_binding (Id, TopicFilter, QueueName, IsDeleted) values ('bad', 'acme/#', 'q', 0)`;
  await outside(dir, tenantFile('demo'), foreign);
  const bad = async () => (await listTopicBindings(place)).find((row) => row.id === 'bad');
  assert.deepEqual([(await bad())?.refusal?.code, (await bad())?.enabled], ['TOPIC_FOREIGN', true]);
  assert.equal((await changeTopicBinding(place, 'bad', { enabled: false })).enabled, false);
  await refused(changeTopicBinding(place, 'bad', { enabled: true }), 'TOPIC_FOREIGN');
  assert.equal((await changeTopicBinding(place, 'bad', { enabled: true, filter: 'c' })).refusal, undefined);
  await refused(changeTopicBinding(place, 'bad', { filter: 'a/+' }), 'TOPIC_BOUND');
});

test('there is a limit of bindings, and a database without the table has none', LIMIT, async (t) => {
  const dir = tempDir(t);
  const mqtt = await MqttHost.start(t, { dir });
  const place = placeOf(mqtt);
  const many = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MAX_TOPIC_BINDINGS})
    insert into mci_mqtt_binding (Id, TopicFilter, QueueName, IsDeleted) select 'r' || i, 'r/' || i, 'q', 0 from n`;
  await outside(dir, tenantFile('demo'), many);
  const add = () => addTopicBinding(place, { filter: 'x', queue: 'q' });
  await refused(add(), 'TOPIC_BINDINGS_FULL', /500/);
  await removeTopicBinding(place, 'r1');
  await add();
  await outside(dir, tenantFile('demo'), 'drop table mci_mqtt_binding');
  assert.deepEqual(await listTopicBindings(place), []);
  await refused(add(), 'COLUMN_MISSING', /mci_mqtt_binding/);
  const device = await mqtt.client({ clientId: 'm' });
  place.changed();
  await send(device, 'gate');
  assert.equal((await mqtt.events('MessageReceived')).length, 1);
});
