/** The outbox through the API, over a real host. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../support/api-host.ts';
import { eventually } from '../support/eventually.ts';
import { refuseSending } from '../support/failed-outbox.ts';

interface Row {
  readonly seq: number;
  readonly state: string;
  readonly bytes: number;
  readonly sentAt: number;
  readonly body?: string | null;
}

test('failed messages are seen, sent again one by one, and given up; nothing else is', async (t) => {
  const api = await openApi(t);
  const note = "V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId }); return { Code: 1 };";
  await api.host.push({ 'b.js': `/** @queue b */\n${note}` });
  await api.host.host.start();
  for (const seq of [1001, 1002, 1003]) await refuseSending(api.dataDir, seq, 'what it says');
  const list = () => api.data<Row[]>('GET', 'tenants/demo/outbox?state=failed');
  const [first, ...others] = await list();
  assert.deepEqual([first?.seq, first?.state, others.length], [1001, 'failed', 2]);
  assert.ok((first?.bytes ?? 0) > 20 && (first?.sentAt ?? 0) > 1_700_000_000_000);
  assert.doesNotMatch(JSON.stringify([first, ...others]), /what it says/);
  const page = await api.data<Row[]>('GET', 'tenants/demo/outbox?after=1001&limit=1');
  assert.deepEqual(
    page.map(({ seq }) => seq),
    [1002],
  );
  assert.match((await api.data<Row>('GET', 'tenants/demo/outbox/1001')).body ?? '', /what it says/);
  const viewer = await api.login('viewer');
  assert.equal((await api.data<Row>('GET', 'tenants/demo/outbox/1001', undefined, viewer)).body, null);

  assert.deepEqual(await api.data('POST', 'tenants/demo/outbox/retry', { seq: 1001 }), { retried: 1 });
  await eventually(async () => assert.deepEqual(await api.host.effects(), ['refused-1001']));
  assert.deepEqual(await api.data('POST', 'tenants/demo/outbox/discard', { seq: 1002 }), { discarded: 1 });
  assert.deepEqual(await api.data('POST', 'tenants/demo/outbox/retry', { all: true }), { retried: 1 });
  await eventually(async () => assert.deepEqual(await api.host.effects(), ['refused-1001', 'refused-1003']));
  await eventually(async () => assert.deepEqual(await api.data('GET', 'tenants/demo/outbox'), []));
});

test('a choice is one row or all of them, and a row that is not there or waits is refused', async (t) => {
  const api = await openApi(t);
  await api.host.host.start();
  const ask = async (body: unknown) => (await api.ask('POST', 'tenants/demo/outbox/discard', body)).body.ReasonCode;
  for (const body of [{}, { seq: 1, all: true }, { all: false }, { seq: '1' }]) {
    assert.equal(await ask(body), 'REQUEST_INVALID', JSON.stringify(body));
  }
  assert.equal(await ask({ seq: 4242 }), 'NOT_FOUND');
  await api.host.push({ 'b.js': 'return { Code: 1 };' });
  await refuseSending(api.dataDir, 7, 'x', 'mqtt:downlink');
  await api.data('POST', 'tenants/demo/outbox/retry', { seq: 7 });
  assert.equal(await ask({ seq: 7 }), 'OUTBOX_NOT_FAILED', 'without a broker it waits');
  assert.equal((await api.ask('GET', 'tenants/demo/outbox/abc')).status, 404);
});
