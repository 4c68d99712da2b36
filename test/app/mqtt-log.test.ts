import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MqttLog } from '../../src/app/mqtt-log.ts';
import { AppError } from '../../src/core/errors.ts';
import { payloadMembers } from '../../src/core/mqtt-event.ts';
import type { TenantStore } from '../../src/ports/tenant-store.ts';
import { eventually } from '../support/eventually.ts';
import { fastClock } from '../support/fast-clock.ts';
import { intercept, withProperty } from '../support/intercept.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RETENTION, TestHost } from '../support/test-host.ts';

/** A log over a real database that `isAway` takes away, with the rows that are in it. */
async function open(t: TestContext, isAway: () => boolean = () => false) {
  const host = await TestHost.open(tempDir(t));
  t.after(() => host.close());
  const recorded = new RecordingLog();
  const clock = fastClock(host.adapters.clock, 10);
  const audit = new MqttLog({ clock, ids: host.adapters.ids, log: recorded });
  const tables = intercept(host.store.relaxedTables, 'allOrNothing', async (proceed, work) => {
    if (isAway()) throw new AppError('DB_UNAVAILABLE', { reason: 'test' });
    return proceed(work);
  });
  const store: TenantStore = withProperty(host.store, 'relaxedTables', tables);
  const receive = (payload: string) =>
    audit.received(store, 'd', 'tenant/demo/x', payloadMembers(new TextEncoder().encode(payload)));
  return { audit, store, recorded, receive, rows: () => host.rows('mci_mqtt_log') };
}

test('rows of a database that was away are written when it is back, although nothing more comes', async (t) => {
  let away = true;
  const { audit, recorded, receive, rows } = await open(t, () => away);
  for (const n of [1, 2, 3]) receive(`{"n":${n}}`);
  await eventually(() => assert.ok(recorded.of('journal.flush_failed').length >= 2, 'it is tried again by itself'));
  assert.deepEqual(await rows(), []);
  assert.equal(recorded.of('journal.flush_failed')[0]?.fields.kept, true);
  away = false;
  await eventually(async () => assert.equal((await rows()).length, 3));
  await audit.end();
});

test('after its end nothing is tried again until something is added', async (t) => {
  let away = true;
  const { audit, recorded, receive, rows } = await open(t, () => away);
  receive('first');
  await audit.end();
  await eventually(() => assert.ok(recorded.of('journal.flush_failed').length >= 1));
  away = false;
  receive('second');
  await eventually(async () => assert.equal((await rows()).length, 2));
  await audit.end();
});

test('a row of the log has neither the secrets of a payload nor its whole length', async (t) => {
  const { audit, receive, rows } = await open(t);
  receive('{"user":"d","password":"canary-1","deep":[{"apiKey":"canary-2"}]}');
  receive('login password=canary-3; mode=1');
  receive(JSON.stringify({ text: 'x'.repeat(50_000) }));
  await audit.end();
  const data = (await rows()).map(({ Data }) => String(Data));
  assert.equal(data.length, 3);
  assert.doesNotMatch(data.join(), /canary/);
  assert.match(data.join(), /mode=1/);
  for (const text of data) assert.ok(text.length < 5_000, `${text.length} characters`);
});

test('of a flood of messages a part has a row, and connections have theirs all the same', async (t) => {
  const { audit, store, receive, rows } = await open(t);
  for (let n = 0; n < 2_000; n++) receive(`${n}`);
  audit.add(store, { clientId: 'd', type: 'Connect', topic: null, data: null });
  await audit.end();
  const types = (await rows()).map(({ Type }) => Type);
  // The flood may span seconds of the clock, each of which has 200 whole ones.
  assert.ok(types.length >= 200 && types.length < 2_000, `${types.length} rows`);
  assert.ok(types.includes('Connect'));
});

test('rows of the log older than its retention are removed, younger ones stay', async (t) => {
  const { audit, store, receive, rows } = await open(t);
  for (const payload of ['old', 'young']) receive(payload);
  await audit.end();
  const old = { glue: 'and', column: 'Data', operator: 'like', value: 'old' } as const;
  const filter = { table: 'mci_mqtt_log', where: [old], includeDeleted: true };
  assert.equal(await store.tables.update(filter, { CreateTime: '2020-01-01 00:00:00' }), 1);
  assert.equal(await store.purge(RETENTION), 1);
  const kept = (await rows()).map(({ Data }) => String(Data));
  assert.equal(kept.length, 1);
  assert.match(kept.join(), /young/);
});
