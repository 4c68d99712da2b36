/** Rows 11, 12, 15, 16, 17 and 24 of docs/failure.md: the tenant's database is away, busy, torn, or forgets. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import { AppError } from '../../src/core/errors.ts';
import type { TenantStore, TenantTx } from '../../src/ports/tenant-store.ts';
import { attemptsOf, consoleOf, deadOf, replayDead, storeOf } from '../support/accounts.ts';
import { fastClock } from '../support/fast-clock.ts';
import { intercept, withProperty } from '../support/intercept.ts';
import { holdWriteLock, outside, tenantFile } from '../support/outside.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, TestHost } from '../support/test-host.ts';
import { withStore, withTx } from './crash-points.ts';

const WORK = `/**
 * @queue work
 * @retry 3
 */
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`;

const WORK_KEY = { queue: 'microi.demo.work', eventId: 'e1' };

interface Opened {
  readonly host: TestHost;
  readonly dataDir: string;
  readonly log: RecordingLog;
}

async function open(t: TestContext, decorate: (adapters: Adapters) => Adapters, script = WORK): Promise<Opened> {
  const dataDir = tempDir(t);
  const log = new RecordingLog();
  const host = await TestHost.open(dataDir, { log, decorate });
  t.after(() => host.close());
  await host.push({ 'work.js': script });
  await host.host.start();
  return { host, dataDir, log };
}

test('failure row 11: a database is away; its consumers pause, nothing is counted, other tenants go on', async (t) => {
  let away = false;
  const serve = async <T>(work: () => Promise<T>): Promise<T> => {
    if (away) throw new AppError('DB_UNAVAILABLE', { reason: 'away' });
    return work();
  };
  const breakable = (store: TenantStore) => {
    if (store.tenant !== 'demo') return store;
    const begins = intercept(store, 'begin', (proceed, waitMs) => serve(() => proceed(waitMs)));
    return intercept(begins, 'probe', (proceed) => serve(proceed));
  };
  const { host, log } = await open(t, (adapters) =>
    withStore({ ...adapters, clock: fastClock(adapters.clock, 10) }, breakable),
  );
  await host.host.services.addTenant('factory', undefined);
  await host.push({ 'work.js': WORK }, undefined, 'factory');
  away = true;
  await host.send('work', 'e1', {});
  await eventually(() => assert.equal(log.of('consumer.paused').length, 1));
  await host.send('work', 'e2', {}, 'factory');
  const factory = storeOf(host, 'factory');
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e2', factory), ['1 done']));
  assert.deepEqual(await attemptsOf(host, 'e1'), [], 'nothing is counted');
  assert.deepEqual(await host.store.parked.list({ limit: 10 }), [], 'nothing is parked');
  away = false;
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']));
  assert.equal(log.of('consumer.resumed').length, 1);
  assert.deepEqual(await host.effects(), ['e1']);
});

for (const [what, stored, verdicts] of [
  ['was stored', true, ['1 duplicate duplicate']],
  ['was not stored', false, ['1 done']],
] as const) {
  test(`failure row 12: the answer to a commit that ${what} is lost; the inbox decides about the redelivery`, async (t) => {
    let lost = 0;
    const loseFirst = (tx: TenantTx) =>
      intercept(tx, 'commit', async (proceed, packet) => {
        if (lost++ > 0) return proceed(packet);
        await (stored ? proceed(packet) : tx.rollback());
        throw new AppError('DB_COMMIT_UNKNOWN');
      });
    const { host, log } = await open(t, (adapters) => withTx(adapters, loseFirst));
    await host.send('work', 'e1', {});
    await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), verdicts));
    assert.deepEqual(await host.effects(), ['e1']);
    assert.deepEqual(await host.store.parked.list({ limit: 10 }), []);
    assert.deepEqual(
      log.of('delivery.deferred').map(({ level, fields }) => [level, fields.code]),
      [['error', 'DB_COMMIT_UNKNOWN']],
    );
  });
}

test('failure row 15: another process holds the write lock; the message is deferred uncounted until it lets go', async (t) => {
  const impatient = (store: TenantStore) => intercept(store, 'begin', (proceed) => proceed(100));
  const { host, dataDir, log } = await open(t, (adapters) => withStore(adapters, impatient));
  const letGo = await holdWriteLock(dataDir, tenantFile('demo'));
  await host.send('work', 'e1', {});
  await eventually(() => assert.ok(log.of('delivery.deferred').length >= 2));
  letGo();
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']));
  assert.deepEqual(await host.effects(), ['e1']);
  const deferrals = log.of('delivery.deferred').map(({ level, fields }) => `${level} ${fields.code}`);
  assert.deepEqual([...new Set(deferrals)], ['info DB_BUSY']);
});

test('failure row 16: a half of a run was committed; its message is a dead letter, not acknowledged as done', async (t) => {
  const { host, dataDir } = await open(t, (adapters) => adapters);
  await outside(
    dataDir,
    tenantFile('demo'),
    `insert into mq_inbox (TenantLower, QueueName, EventId, Status, MessageHash, Attempt, EngineKey, Version, RunId)
     values ('demo', ?, ?, 'run', ?, 1, 'work', '', '')`,
    WORK_KEY.queue,
    WORK_KEY.eventId,
    'a'.repeat(64),
  );
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await deadOf(host), ['e1 1 torn-transaction']));
  assert.deepEqual(await host.effects(), [], 'it did not run again');
  const [row] = await host.store.parked.list({ state: 'dead', limit: 1 });
  assert.match(row?.error ?? '', /committed half-way; check its effects by hand/);
  assert.equal(await replayDead(host, { all: true }), 1);
  await eventually(async () => assert.equal((await deadOf(host)).length, 1));
  assert.deepEqual(await host.effects(), [], 'a replay does not run it over the half that is there, either');
});

/** The database takes the transaction away at the first insert; what the script then does is refused for real. */
function loseFirstTransaction(adapters: Adapters): Adapters {
  let lost = false;
  return withTx(adapters, (tx) => {
    if (lost) return tx;
    let doomed = false;
    const tables = intercept(tx.tables, 'insert', async () => {
      lost = true;
      doomed = true;
      await tx.rollback();
      throw new AppError('DB_TX_LOST');
    });
    return new Proxy(withProperty(tx, 'tables', tables), {
      get: (target, key) => (key === 'doom' && doomed ? 'DB_TX_LOST' : Reflect.get(target, key)),
    });
  });
}

test('failure row 17: the database ends the transaction under a script; it runs again in place, uncounted', async (t) => {
  const script = `/**
 * @queue work
 * @retry 3
 */
console.log(V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId }).ReasonCode);
console.log(V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId }).ReasonCode);
console.log(V8.MQ.SendMsg({ QueueName: 'elsewhere', Message: {} }).ReasonCode);
return { Code: 1 };
`;
  const { host } = await open(t, loseFirstTransaction, script);
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']));
  assert.deepEqual([await host.effects(), await host.effects('onward')], [['e1'], ['e1']]);
  const lost = 'DB_TX_LOST';
  const undefinedThrice = ['undefined', 'undefined', 'undefined'];
  assert.deepEqual(await consoleOf(host, 'e1'), [lost, lost, lost, ...undefinedThrice]);
  await eventually(async () => {
    const depth = await host.adapters.queue.depth('demo', 'microi.demo.elsewhere');
    assert.equal(depth.ready, 1, 'sent by the second run only');
  });
  assert.deepEqual(await host.store.parked.list({ limit: 10 }), []);
});

test('failure row 24: the bindings of a tenant cannot be read; its consumers stay', async (t) => {
  let unreadable = false;
  const breakable = (store: TenantStore) =>
    withProperty(
      store,
      'bindings',
      intercept(store.bindings, 'readAll', async (proceed) => {
        if (unreadable) throw new AppError('DB_UNAVAILABLE', { reason: 'unreadable' });
        return proceed();
      }),
    );
  const { host, log } = await open(t, (adapters) => withStore(adapters, breakable));
  unreadable = true;
  await host.host.reconciler.reconcile();
  assert.equal(log.of('reconcile.failed').length, 1);
  assert.equal(host.host.reconciler.attached, 1);
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']));
});
