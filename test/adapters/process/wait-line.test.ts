import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WaitLine } from '../../../src/adapters/process/wait-line.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { QueuePlace } from '../../../src/core/fair-queue.ts';

const want = (tenant: string): QueuePlace => ({ tenant, engine: 'x' });
const openLine = () => new WaitLine<QueuePlace, number>();

test('tenants are served in turns, whoever has no lane to get is passed over', async () => {
  const line = openLine();
  const served: string[] = [];
  const all = ['a', 'a', 'b', 'c'].map(async (tenant) => served.push(`${tenant}${await line.join(want(tenant), {})}`));
  let lane = 0;
  const grant = ({ tenant }: QueuePlace) => (tenant === 'b' ? undefined : ++lane);
  assert.deepEqual([line.length, line.waitingOf('a'), line.tenants()], [4, 2, ['a', 'b', 'c']]);
  for (let i = 0; i < 3; i++) assert.equal(line.serveOne(grant), true);
  assert.equal(line.serveOne(grant), false);
  assert.equal(
    line.serveOne((_want, waitedMs) => (waitedMs >= 0 ? ++lane : undefined)),
    true,
  );
  await Promise.all(all);
  assert.deepEqual(served, ['a1', 'c2', 'a3', 'b4']);
  assert.equal(line.length, 0);
});

test('who waits too long leaves with V8_EXECUTION_QUEUE_TIMEOUT and the next is served', async () => {
  const line = openLine();
  const late = line.join(want('late'), { waitMs: 5 });
  const patient = line.join(want('patient'), {});
  await assert.rejects(late, { code: 'V8_EXECUTION_QUEUE_TIMEOUT', params: { limit: 5 } });
  line.serveOne(() => 1);
  assert.equal(await patient, 1);
});

test('an aborted signal ends the waiting', async () => {
  const line = openLine();
  const controller = new AbortController();
  const waiting = line.join(want('demo'), { signal: controller.signal });
  controller.abort();
  await assert.rejects(waiting, { code: 'DRAINING' });
  assert.equal(line.length, 0);
});

test('everybody can be sent away with one reason', async () => {
  const line = openLine();
  const all = [line.join(want('a'), {}), line.join(want('b'), { waitMs: 1000 })];
  line.refuseAll(new AppError('SANDBOX_UNAVAILABLE', { reason: 'broken' }));
  for (const each of all) await assert.rejects(each, { code: 'SANDBOX_UNAVAILABLE' });
});
