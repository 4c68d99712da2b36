/** The MongoDB driver as the host uses it, against a peer that speaks the wire protocol. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { Binary, Decimal128, Long, ObjectId } from 'mongodb';
import { MongoServers, type MongoServersOptions } from '../../../src/adapters/mongo/mongo-servers.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { AppError, describeError } from '../../../src/core/errors.ts';
import type { DocumentStore } from '../../../src/ports/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { MongoPeer } from '../../support/mongo-peer.ts';
import { ownPort } from '../../support/own-port.ts';
import { RecordingLog } from '../../support/recording-log.ts';

const { localText } = systemClock('Asia/Shanghai');
const PLACE = { database: 'iot', collection: 'reading' };
const DOCUMENT = { id: 'event-1', createdAt: Date.UTC(2026, 7, 1), fields: { Name: 'canary_value' } };

async function openPeer(t: TestContext): Promise<MongoPeer> {
  const peer = await MongoPeer.open();
  t.after(() => peer.stop());
  return peer;
}

function openServers(t: TestContext, options: Partial<MongoServersOptions> & Pick<MongoServersOptions, 'urlOf'>) {
  const log = new RecordingLog();
  const servers = new MongoServers({ localText, log, connectMs: 400, answerMs: 1_000, ...options });
  t.after(() => servers.close());
  const of = async (tenant = 'acme'): Promise<DocumentStore> => (await servers.of(tenant)) ?? assert.fail('no MongoDB');
  return { servers, log, of };
}

/** The failure of a call, which shows nothing of a document, an address or an account to anybody. */
async function failureOf(call: Promise<unknown>): Promise<AppError> {
  const error = await call.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, inspect(error));
  assert.doesNotMatch(inspect(error, { depth: 8 }) + describeError(error, 'zh'), /canary|127\.0\.0\.1/);
  return error;
}

describe('MongoDB', () => {
  it('writes are confirmed by a majority and on disk, whatever the connection string says', async (t) => {
    const peer = await openPeer(t);
    const store = await openServers(t, { urlOf: async () => `${peer.url}/?w=0&journal=false` }).of();
    await store.insert(PLACE, DOCUMENT);
    await store.update(PLACE, 'event-1', { Name: 'b' });
    await store.delete(PLACE, 'event-1');
    for (const name of ['insert', 'update', 'delete']) {
      const command = peer.commands.find((each) => name in each);
      assert.equal(command?.$db, 'iot');
      assert.deepEqual([command?.writeConcern?.w, command?.writeConcern?.j], ['majority', true], name);
    }
  });

  it('ids are ObjectIds where they are such, and CreateTime is a date', async (t) => {
    const peer = await openPeer(t);
    const store = await openServers(t, { urlOf: async () => peer.url }).of();
    const id = '64b000000000000000000001';
    await store.insert(PLACE, { ...DOCUMENT, id });
    const [stored] = peer.documents('iot', 'reading');
    assert.ok(stored?._id instanceof ObjectId && stored._id.equals(id));
    assert.deepEqual(stored.CreateTime, new Date(DOCUMENT.createdAt));
  });

  it('reads what other programs stored in kinds that JSON lacks', async (t) => {
    const peer = await openPeer(t);
    const store = await openServers(t, { urlOf: async () => peer.url }).of();
    peer.documents('iot', 'reading').push({
      _id: '64b000000000000000000002',
      CreateTime: '2026-08-01',
      At: new Date(Date.UTC(2026, 7, 1)),
      Big: Long.fromString('9007199254740993'),
      Small: Long.fromNumber(7),
      Price: Decimal128.fromString('1.10'),
      Bytes: new Binary(Buffer.from('hi')),
      Ref: new ObjectId('64b000000000000000000003'),
      Nothing: undefined,
      List: [{ At: new Date(Date.UTC(2026, 7, 1)) }, Number.NaN],
    });
    const found = await store.find(PLACE, '64B000000000000000000002'.toLowerCase());
    assert.deepEqual(found, {
      id: '64b000000000000000000002',
      createdAt: undefined,
      fields: {
        CreateTime: '2026-08-01',
        At: '2026-08-01 08:00:00',
        Big: '9007199254740993',
        Small: 7,
        Price: '1.10',
        Bytes: 'aGk=',
        Ref: '64b000000000000000000003',
        List: [{ At: '2026-08-01 08:00:00' }, null],
      },
    });
  });

  it('closes a list that it does not read to its end', async (t) => {
    const peer = await openPeer(t);
    const store = await openServers(t, { urlOf: async () => peer.url }).of();
    const Text = 'x'.repeat(3 * 1024 * 1024);
    for (let n = 0; n < 8; n += 1) await store.insert(PLACE, { ...DOCUMENT, id: `e${n}`, fields: { Text } });
    const { signal } = new AbortController();
    const error = await failureOf(store.list(PLACE, { where: [], offset: 0, limit: 100, signal }));
    assert.equal(error.code, 'V8_RESULT_TOO_LARGE');
    await eventually(async () => assert.equal(peer.openCursors, 0));
  });

  it('a server that is away is said so, told to the operator once, and found again by itself', async (t) => {
    const peer = await openPeer(t);
    const { of, log } = openServers(t, { urlOf: async () => peer.url });
    const store = await of();
    await store.insert(PLACE, DOCUMENT);
    await peer.stop();
    for (const call of [
      () => store.find(PLACE, 'event-1'),
      () => store.insert(PLACE, { ...DOCUMENT, id: 'event-2' }),
    ]) {
      assert.equal((await failureOf(call())).code, 'DOCUMENTS_UNAVAILABLE');
    }
    await peer.start();
    await eventually(async () => assert.equal((await store.find(PLACE, 'event-1'))?.id, 'event-1'));
    const events = log.lines.map(({ event }) => event);
    assert.deepEqual(events, ['documents.failed', 'documents.recovered']);
    assert.doesNotMatch(inspect(log.lines, { depth: 8 }), /canary/);
  });

  it('a server that was away from the beginning is found when it comes', async (t) => {
    const peer = await openPeer(t);
    const { of } = openServers(t, { urlOf: async () => peer.url });
    await peer.stop();
    const store = await of();
    for (let call = 0; call < 2; call += 1) {
      assert.equal((await failureOf(store.insert(PLACE, DOCUMENT))).code, 'DOCUMENTS_UNAVAILABLE');
    }
    await peer.start();
    await store.insert(PLACE, DOCUMENT);
    assert.equal(peer.documents('iot', 'reading').length, 1);
  });

  it('a server that does not answer is given up', async (t) => {
    const peer = await openPeer(t);
    const store = await openServers(t, { urlOf: async () => peer.url }).of();
    await store.insert(PLACE, DOCUMENT);
    peer.freeze();
    assert.equal((await failureOf(store.find(PLACE, 'event-1'))).code, 'DOCUMENTS_UNAVAILABLE');
  });

  it('a refused login names neither user nor password', async (t) => {
    const peer = await openPeer(t);
    const store = await openServers(t, { urlOf: async () => peer.urlFor('canary_user', 'canary_pass') }).of();
    const error = await failureOf(store.insert(PLACE, DOCUMENT));
    assert.equal(error.code, 'DOCUMENTS_UNAVAILABLE');
    assert.match(describeError(error, 'en'), /user or password is wrong/);
  });

  const answers: readonly [error: { code: number; codeName: string; errmsg: string }, expected: string][] = [
    [{ code: 13, codeName: 'Unauthorized', errmsg: 'not authorized on canary' }, 'DOCUMENTS_UNAVAILABLE'],
    [{ code: 14031, codeName: 'OutOfDiskSpace', errmsg: 'canary' }, 'DOCUMENTS_UNAVAILABLE'],
    [{ code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'canary' }, 'DOCUMENTS_UNAVAILABLE'],
    [{ code: 121, codeName: 'DocumentValidationFailure', errmsg: 'canary' }, 'DOCUMENTS_REFUSED'],
    [{ code: 73, codeName: 'InvalidNamespace', errmsg: 'canary' }, 'DOCUMENTS_REFUSED'],
  ];
  for (const [answer, expected] of answers) {
    it(`${answer.codeName} is ${expected}`, async (t) => {
      const peer = await openPeer(t);
      const store = await openServers(t, { urlOf: async () => peer.url }).of();
      peer.failNext(answer);
      assert.equal((await failureOf(store.insert(PLACE, DOCUMENT))).code, expected);
      await store.insert(PLACE, DOCUMENT);
    });
  }

  it('a changed connection string counts at the next call, and one that is gone is gone', async (t) => {
    const [one, two] = [await openPeer(t), await openPeer(t)];
    let url: string | undefined = one.url;
    const { servers, of } = openServers(t, { urlOf: async () => url });
    await (await of()).insert(PLACE, DOCUMENT);
    assert.equal(await servers.of('ACME'), await servers.of('acme'), 'one client for a tenant in any case');
    url = two.url;
    await (await of()).insert(PLACE, DOCUMENT);
    assert.equal(two.documents('iot', 'reading').length, 1);
    url = undefined;
    assert.equal(await servers.of('acme'), undefined);
  });

  it('tenants have servers of their own, and one that is away holds up nobody else', async (t) => {
    const peer = await openPeer(t);
    const away = `mongodb://127.0.0.1:${await ownPort()}`;
    const { of } = openServers(t, { urlOf: async (tenant) => (tenant === 'a' ? away : peer.url) });
    const [first, second] = await Promise.allSettled([
      (await of('a')).insert(PLACE, DOCUMENT),
      (await of('b')).insert(PLACE, DOCUMENT),
    ]);
    assert.deepEqual([first.status, second.status], ['rejected', 'fulfilled']);
  });

  it('a file of certificates that is not there is no fault of the host', async (t) => {
    const store = await openServers(t, {
      urlOf: async () => 'mongodb://127.0.0.1/?tls=true&tlsCAFile=/canary.pem',
    }).of();
    const error = await failureOf(store.insert(PLACE, DOCUMENT));
    assert.equal(error.code, 'DOCUMENTS_UNAVAILABLE');
    assert.match(describeError(error, 'en'), /certificate file of the connection string cannot be read \(ENOENT\)/);
  });

  it('a client that is replaced under an operation fails it as a server that is away', async (t) => {
    const [one, two] = [await openPeer(t), await openPeer(t)];
    let url = one.url;
    const { servers, of } = openServers(t, { urlOf: async () => url });
    const store = await of();
    await store.insert(PLACE, DOCUMENT);
    one.freeze();
    const pending = failureOf(store.find(PLACE, 'event-1'));
    url = two.url;
    await servers.of('acme');
    assert.equal((await pending).code, 'DOCUMENTS_UNAVAILABLE');
  });

  it('a connection string that the driver cannot read is refused without repeating it', async (t) => {
    const { servers } = openServers(t, { urlOf: async () => 'mongodb://canary:p@h/?nonsense=canary' });
    assert.equal((await failureOf(servers.of('acme'))).code, 'DOCUMENTS_URL_INVALID');
  });
});
