/** What the API keeps in a database, on MariaDB: versions, settings, the outbox and the log of changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../support/api-host.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';

test('engines, settings and the outbox are changed through the API on MariaDB, and each change is written down', async (t) => {
  const schema = await freshDatabase();
  const api = await openApi(t, { databaseUrl: schema.url });
  await api.host.host.start();
  const admin = await api.login('admin');

  for (const n of [1, 2]) await api.data('PUT', 'tenants/demo/engines/price', { source: `return '价 ${n}';` }, admin);
  await sqlAsAdmin(schema.adminUrl, `update ${schema.name}.sys_apiengine set ApiV8Code = 'return 9;'`);
  await api.data('POST', 'tenants/demo/engines/price/rollback', { no: 1 }, admin);
  const versions = await api.data<{ origin: string }[]>('GET', 'tenants/demo/engines/price/versions');
  assert.deepEqual(
    versions.map(({ origin }) => origin),
    ['rollback', 'found', 'save', 'save'],
  );
  assert.equal(await api.data('POST', 'tenants/demo/engines/price/run', {}), '价 1');
  await api.data('PATCH', 'tenants/demo/engines/price', { enabled: false }, admin);

  const change = { ClientName: '总部', MqttVeto: true, MqttPwd: 'secret-of-devices' };
  const settings = await api.data<{ name: string; value: unknown; isSet: boolean }[]>(
    'PATCH',
    'tenants/demo/settings',
    change,
    admin,
  );
  const shown = new Map(settings.map(({ name, value, isSet }) => [name, [value, isSet]]));
  assert.deepEqual(shown.get('ClientName'), ['总部', true]);
  assert.deepEqual(shown.get('MqttVeto'), [true, true]);
  assert.deepEqual(shown.get('MqttPwd'), [null, true]);
  await api.data('PATCH', 'tenants/demo/settings', { MqttVeto: false, MqttPwd: null }, admin);

  const columns = 'Seq, RunId, Ordinal, QueueName, EventId, Body, Props, ClaimUntil, Attempts, State, LastError';
  const values = `7, '01JD0000000000000000000000', 0, 'microi.demo.x', 'e7', '{}', '{"headers":{}}', now(3), 10, 'failed', 'no'`;
  await sqlAsAdmin(schema.adminUrl, `insert into ${schema.name}.mq_outbox (${columns}) values (${values})`);
  const [row] = await api.data<{ seq: number; bytes: number }[]>('GET', 'tenants/demo/outbox?state=failed');
  assert.deepEqual([row?.seq, row?.bytes], [7, 2]);
  assert.deepEqual(await api.data('POST', 'tenants/demo/outbox/discard', { seq: 7 }, admin), { discarded: 1 });

  const topics = 'tenants/demo/mqtt/bindings';
  const draft = { filter: 'sensor/+/温度', queue: 'readings', eventIdPath: 'head.id' };
  const bound = await api.data<{ id: string; filter: string }>('POST', topics, draft, admin);
  assert.equal(bound.filter, 'tenant/demo/sensor/+/温度');
  await api.data('PATCH', `${topics}/${bound.id}`, { enabled: false }, admin);
  const [off] = await api.data<{ enabled: boolean; queue: string }[]>('GET', topics);
  assert.deepEqual([off?.enabled, off?.queue], [false, 'readings']);
  await api.data('DELETE', `${topics}/${bound.id}`, undefined, admin);
  assert.deepEqual(await api.data('GET', topics), []);

  const entries = await api.data<{ action: string; actorName: string }[]>(
    'GET',
    'tenants/demo/audit',
    undefined,
    admin,
  );
  const done = entries.filter(({ actorName }) => actorName === 'admin.demo').map(({ action }) => action);
  const expected = ['engine.added', 'engine.changed', 'engine.changed', 'engine.disabled'];
  const changed = ['tenant.settings-changed', 'tenant.settings-changed'];
  const last = ['outbox.discarded', ...['added', 'changed', 'removed'].map((what) => `topic-binding.${what}`)];
  assert.deepEqual(done.reverse(), [...expected, ...changed, ...last]);
  assert.doesNotMatch(JSON.stringify(entries), /secret-of-devices|价/);
});
