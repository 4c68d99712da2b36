/** Queues bound through the API, on a real store, queue and reconcile loop. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addBinding, type BindingChangeServices, changeBinding, removeBinding } from '../../src/app/manage-bindings.ts';
import type { Binding } from '../../src/core/binding.ts';
import type { ErrorCode } from '../../src/core/error-table.ts';
import type { AppError, ErrorParams } from '../../src/core/errors.ts';
import type { QueueInspection } from '../../src/core/preflight.ts';
import type { StoredBinding } from '../../src/ports/tenant-store.ts';
import { attemptsOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const ORIGIN = { by: { kind: 'user', id: 'u1', name: 'lin', level: 1 }, address: '192.0.2.7' } as const;

describe('a binding made by hand', { concurrency: false }, () => {
  const ends: (() => Promise<void> | void)[] = [];
  let host: TestHost;
  let dataDir: string;
  /** What the queue server says of every queue. */
  let inspection: QueueInspection | undefined;

  before(async () => {
    const context = { after: (end: () => Promise<void> | void) => void ends.unshift(end) };
    dataDir = tempDir(context);
    host = await TestHost.open(dataDir, { lanes: 1 });
    context.after(() => host.close());
    await host.push({
      'pushed.js': '/** @queue pushed */\nreturn { Code: 1 };',
      'work.js': 'return { Code: V8.Param.Message.Message.Ok === false ? 0 : 1 };',
    });
    await host.host.start();
  });

  after(async () => {
    for (const end of ends) await end();
  });

  const services = (): BindingChangeServices => ({
    queue: { inspect: async () => inspection },
    consumerTimeoutMs: 60_000,
    reconcile: () => host.host.reconciler.reconcile(),
  });
  const place = () => ({ store: host.store, origin: ORIGIN });
  const rows = () => host.store.bindings.list();
  const settingsOf = ({ binding }: StoredBinding): Binding => {
    assert.ok(binding.ok);
    return binding.value;
  };
  const refused = (work: Promise<unknown>, code: ErrorCode, params: ErrorParams = {}) =>
    assert.rejects(work, (thrown: AppError) => {
      assert.equal(thrown.code, code);
      for (const [name, value] of Object.entries(params)) assert.equal(thrown.params[name], value, name);
      return true;
    });

  it('has every default, is served at once, is edited, switched off and removed, and each is written down', async () => {
    const added = await addBinding(services(), place(), { queue: 'orders', engineKey: 'work' });
    const { id: _, ...defaults } = settingsOf(added);
    assert.deepEqual(defaults, {
      logicalQueue: 'orders',
      physicalQueue: 'microi.demo.orders',
      engineKey: 'work',
      retries: false,
      retryCount: 0,
      inbox: true,
      legacyAck: false,
      prefetch: 1,
      timeoutSeconds: undefined,
      backoff: { kind: 'exponential', baseMs: 1000, capMs: 60_000 },
    });
    await host.send('orders', 'e1', {});
    await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']));

    const change = { retryCount: 1, backoff: 'none', prefetch: 3, orderKey: 'OrderId', timeoutSeconds: 20 };
    const changed = settingsOf(await changeBinding(services(), place(), added.id, change));
    assert.deepEqual(
      [
        changed.retries,
        changed.retryCount,
        changed.backoff.kind,
        changed.prefetch,
        changed.orderKey,
        changed.timeoutSeconds,
      ],
      [true, 1, 'none', 3, 'OrderId', 20],
    );
    const back = settingsOf(await changeBinding(services(), place(), added.id, { orderKey: '', timeoutSeconds: null }));
    assert.deepEqual([back.orderKey, back.timeoutSeconds, back.retryCount], [undefined, undefined, 1]);
    await host.send('orders', 'e2', { Ok: false });
    await eventually(async () => assert.equal((await attemptsOf(host, 'e2')).length, 2));

    const off = await changeBinding(services(), place(), added.id, { enabled: false });
    assert.equal(off.isEnabled, false);
    assert.deepEqual(
      host.host.reconciler.statusOf(host.store, 'en').map(({ queue }) => queue),
      ['pushed'],
    );
    await removeBinding(services(), place(), added.id);
    assert.equal((await rows()).length, 1);
    const audit = await host.store.identity.audit.list({ target: 'orders', limit: 10 });
    assert.deepEqual(
      audit.map(({ action, actorName }) => [action, actorName]),
      [
        ['binding.removed', 'lin'],
        ['binding.changed', 'lin'],
        ['binding.changed', 'lin'],
        ['binding.changed', 'lin'],
        ['binding.added', 'lin'],
      ],
    );
    assert.deepEqual([audit[1]?.before, audit[1]?.after], [{ IsEnable: 1 }, { IsEnable: 0 }]);
  });

  it('is refused with the field when it could not be served, and nothing is stored', async () => {
    const before = await rows();
    const add = (draft: object) => addBinding(services(), place(), { queue: 'q', engineKey: 'work', ...draft });
    await refused(add({ queue: 'a b' }), 'BINDING_INVALID', { field: 'QueueName' });
    await refused(add({ engineKey: 'nobody' }), 'BINDING_INVALID', { field: 'ApiEngineKey', queue: 'q' });
    await refused(add({ backoff: 'soon' }), 'BINDING_INVALID', { field: 'Backoff' });
    await refused(add({ orderKey: 'a b' }), 'BINDING_INVALID', { field: 'OrderKey' });
    await refused(add({ orderKey: 'Id', inbox: false }), 'BINDING_INVALID', { field: 'OrderKey' });
    await refused(add({ queue: 'pushed' }), 'BINDING_EXISTS', { queue: 'pushed' });
    await refused(add({ timeoutSeconds: 60 }), 'QUEUE_UNFIT');
    inspection = { version: '4.1.0', queue: { durable: false, arguments: {} } };
    await refused(add({}), 'QUEUE_UNFIT', { queue: 'microi.demo.q' });
    inspection = undefined;
    await refused(changeBinding(services(), place(), 'nobody', { enabled: false }), 'NOT_FOUND');
    await refused(removeBinding(services(), place(), 'nobody'), 'NOT_FOUND');
    assert.deepEqual(await rows(), before);
  });

  it('of a header is switched off and on, and not changed; the next push leaves it off', async () => {
    const [pushed] = await rows();
    assert.ok(pushed?.isPushed);
    await refused(changeBinding(services(), place(), pushed.id, { prefetch: 2 }), 'BINDING_PUSHED', {
      queue: 'pushed',
    });
    await changeBinding(services(), place(), pushed.id, { enabled: false });
    await host.push({ 'pushed.js': '/** @queue pushed */\nreturn { Code: 1 };' });
    assert.deepEqual(
      (await rows()).map(({ isEnabled }) => isEnabled),
      [false],
    );
    await changeBinding(services(), place(), pushed.id, { enabled: true });
    assert.deepEqual(
      (await rows()).map(({ isEnabled }) => isEnabled),
      [true],
    );
  });

  it('that cannot be served is switched off as it is, and mended', async () => {
    const broken =
      "insert into diy_queue_receive (Id, CreateTime, QueueName, Type, ApiEngineKey, Prefetch) values ('bad', '2026', 'bad', 1, 'work', 0)";
    await outside(dataDir, tenantFile('demo'), broken);
    await changeBinding(services(), place(), 'bad', { enabled: false });
    await refused(changeBinding(services(), place(), 'bad', { enabled: true }), 'BINDING_INVALID', {
      field: 'Prefetch',
    });
    const mended = await changeBinding(services(), place(), 'bad', { enabled: true, prefetch: 2 });
    assert.equal(settingsOf(mended).prefetch, 2);
    await removeBinding(services(), place(), 'bad');
  });
});
