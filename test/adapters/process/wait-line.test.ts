import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WaitLine } from '../../../src/adapters/process/wait-line.ts';
import { AppError } from '../../../src/core/errors.ts';

test('those who wait are served in the order they came', async () => {
  const line = new WaitLine<number>();
  const served: string[] = [];
  const all = ['a', 'b', 'c'].map(async (tenant) => served.push(`${tenant}${await line.join(tenant, {})}`));
  assert.equal(line.nextTenant, 'a');
  for (let i = 1; i <= 3; i++) line.serveNext(i);
  await Promise.all(all);
  assert.deepEqual(served, ['a1', 'b2', 'c3']);
  assert.equal(line.length, 0);
});

test('who waits too long leaves with V8_EXECUTION_QUEUE_TIMEOUT and the next is served', async () => {
  const line = new WaitLine<number>();
  const late = line.join('late', { waitMs: 5 });
  const patient = line.join('patient', {});
  await assert.rejects(late, { code: 'V8_EXECUTION_QUEUE_TIMEOUT', params: { limit: 5 } });
  line.serveNext(1);
  assert.equal(await patient, 1);
});

test('an aborted signal ends the waiting', async () => {
  const line = new WaitLine<number>();
  const controller = new AbortController();
  const waiting = line.join('demo', { signal: controller.signal });
  controller.abort();
  await assert.rejects(waiting, { code: 'DRAINING' });
  assert.equal(line.length, 0);
});

test('everybody can be sent away with one reason', async () => {
  const line = new WaitLine<number>();
  const all = [line.join('a', {}), line.join('b', { waitMs: 1000 })];
  line.refuseAll(new AppError('SANDBOX_UNAVAILABLE', { reason: 'broken' }));
  for (const each of all) await assert.rejects(each, { code: 'SANDBOX_UNAVAILABLE' });
});
