/** V8.MongoDb in real sandboxes: in the transaction of the tenant's database, or on a MongoDB that goes and comes back. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { DocumentStore } from '../../src/ports/documents.ts';
import { MongoPeer } from '../support/mongo-peer.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, TestHost, type TestHostOptions } from '../support/test-host.ts';

const script = (queue: string, retries: number) => `/**
 * @queue ${queue}
 * @retry ${retries}
 * @backoff fixed:100ms
 */
var order = V8.Param.Message.Message;
var at = { DbName: 'audit', TableName: 'log_' + DateNow('yyyy') };
var added = V8.MongoDb.AddFormData({ ...at, Id: V8.Param.EventId, _FormData: { Order: order, Lines: [{ No: 1 }] } });
if (added.Code !== 1 && added.ReasonCode !== 'DOCUMENT_EXISTS') return added;
var seen = V8.MongoDb.GetTableData({ ...at, _Where: [['Order.No', '=', order.No]] });
if (order.Fail) return { Code: 0, Msg: 'not now' };
return { Code: 1, Data: [typeof V8.MongoDb.NewId, typeof V8.MongoDb.Aggregate, seen.DataCount] };
`;

const SCRIPTS = { 'archive.js': script('archive', 1), 'patient.js': script('patient', 8) };

async function openHost(t: TestContext, options: TestHostOptions = {}): Promise<TestHost> {
  const host = await TestHost.open(tempDir(t), options);
  t.after(() => host.close());
  await host.push(SCRIPTS);
  await host.host.start();
  return host;
}

const ended = async (host: TestHost, eventId: string, verdict: string): Promise<void> =>
  eventually(async () => {
    const story = JSON.stringify(await host.host.services.story('demo', eventId));
    assert.ok(story.includes(verdict), story);
  });

const year = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: 'Asia/Shanghai' }).format();
const PLACE = { database: 'audit', collection: `log_${year}` };

const stored = async (documents: DocumentStore, id: string) => (await documents.find(PLACE, id))?.fields;

test('documents in the tenant’s database are committed and rolled back with the run', async (t) => {
  const host = await openHost(t);
  await host.send('archive', 'good', { No: 1 });
  await host.send('archive', 'bad', { No: 2, Fail: true });
  await ended(host, 'good', '"done"');
  await ended(host, 'bad', '"dead"');
  assert.deepEqual(await stored(host.store.documents, 'good'), { Order: { No: 1 }, Lines: [{ No: 1 }] });
  assert.equal(await stored(host.store.documents, 'bad'), undefined);
});

test('on a MongoDB documents stay when the run fails, and a run that comes again finds its own', async (t) => {
  const peer = await MongoPeer.open();
  t.after(() => peer.stop());
  const host = await openHost(t, { mongoUrl: peer.url });
  await host.send('archive', 'bad', { No: 2, Fail: true });
  await ended(host, 'bad', '"dead"');
  assert.deepEqual(
    peer.documents(PLACE.database, PLACE.collection).map(({ _id, Order }) => [_id, Order]),
    [['bad', { No: 2, Fail: true }]],
  );
  assert.equal(await stored(host.store.documents, 'bad'), undefined);
});

test('failure row 40: a message whose MongoDB is away comes again, and is done when it is back', async (t) => {
  const peer = await MongoPeer.open();
  t.after(() => peer.stop());
  const host = await openHost(t, { mongoUrl: peer.url });
  await peer.stop();
  await host.send('patient', 'late', { No: 3 });
  await ended(host, 'late', 'MongoDB is unavailable');
  await peer.start();
  await ended(host, 'late', '"done"');
  assert.equal(peer.documents(PLACE.database, PLACE.collection).length, 1);
});

test('a trial shows what it would write to a MongoDB and writes nothing', async (t) => {
  const peer = await MongoPeer.open();
  t.after(() => peer.stop());
  const host = await openHost(t, { mongoUrl: peer.url });
  const trial = await host.host.services.tryMessage(
    'demo',
    { queue: 'archive', messageJson: '{"No":4}', allowHttp: false },
    'en',
  );
  assert.match(trial.reason, /A trial writes nothing to MongoDB/);
  assert.deepEqual(trial.requests, [
    { method: 'INSERT', url: `mongodb:audit/log_${year}`, status: null, refused: true },
  ]);
  assert.equal(peer.documents(PLACE.database, PLACE.collection).length, 0);
});
