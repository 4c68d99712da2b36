/** The shared vectors of retry decisions through the real handler, and how the waits between attempts grow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptsOf, deadOf } from '../support/accounts.ts';
import { readCases } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { fastClock } from '../support/fast-clock.ts';
import { intercept, withProperty } from '../support/intercept.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';
import { withStore } from './crash-points.ts';

interface RetryCase {
  readonly FailToReject: string | null;
  readonly Count: number;
  readonly runsWhenAlwaysFailing: number;
}

const CASES = readCases<RetryCase>('retry-decisions.json');

test('an always failing message runs as often as FailToReject and Count say, then it is a dead letter', async (t) => {
  const dataDir = tempDir(t);
  const host = await TestHost.open(dataDir, {
    decorate: (adapters) => ({ ...adapters, clock: fastClock(adapters.clock, 20) }),
  });
  t.after(() => host.close());
  await host.push({ 'fail.js': "return { Code: 0, Msg: 'always' };" });
  for (const [index, { FailToReject, Count }] of CASES.entries()) {
    await outside(
      dataDir,
      tenantFile('demo'),
      `insert into diy_queue_receive (Id, QueueName, Type, ApiEngineKey, FailToReject, Count, Backoff)
       values (?, ?, 1, 'fail', ?, ?, 'fixed:20ms')`,
      `row-${index}`,
      `case-${index}`,
      FailToReject,
      Count,
    );
  }
  await host.host.reconciler.reconcile();
  await host.host.start();
  for (const index of CASES.keys()) await host.send(`case-${index}`, `e${index}`, {});
  await eventually(async () => assert.equal((await deadOf(host)).length, CASES.length), 30_000);
  for (const [index, { FailToReject, Count, runsWhenAlwaysFailing }] of CASES.entries()) {
    const attempts = await attemptsOf(host, `e${index}`);
    assert.equal(attempts.length, runsWhenAlwaysFailing, `FailToReject ${FailToReject}, Count ${Count}: ${attempts}`);
    assert.match(attempts.at(-1) ?? '', new RegExp(`^${runsWhenAlwaysFailing} dead `));
  }
});

test('the waits between attempts grow to their cap and stop with Count; each attempt waits at least its time', async (t) => {
  const delays: number[] = [];
  const note = (dataDir: string) =>
    TestHost.open(dataDir, {
      decorate: (adapters) =>
        withStore({ ...adapters, clock: fastClock(adapters.clock, 10) }, (store) =>
          withProperty(
            store,
            'parked',
            intercept(store.parked, 'park', (proceed, request) => {
              delays.push(request.delayMs);
              return proceed(request);
            }),
          ),
        ),
    });
  const host = await note(tempDir(t));
  t.after(() => host.close());
  const startedAt = Date.now();
  await host.push({
    'fail.js': '/**\n * @queue fail\n * @retry 5\n * @backoff exp:40ms..320ms\n */\nreturn { Code: 0 };',
  });
  await host.host.start();
  await host.send('fail', 'e1', {});
  await eventually(async () => assert.deepEqual(await deadOf(host), ['e1 6 budget-exhausted']));
  assert.equal(delays.length, 6);
  assert.equal(delays.at(-1), 0, 'a dead letter waits for people');
  // Half of each step is jitter: 20..40, 40..80, 80..160, 160..320, 160..320.
  const steps = [40, 80, 160, 320, 320];
  for (const [index, step] of steps.entries()) {
    const delay = delays[index] ?? 0;
    assert.ok(delay >= step / 2 && delay <= step, `wait ${index + 1} is ${delay} ms`);
  }
  const waited = delays.reduce((sum, delay) => sum + delay, 0);
  assert.ok(Date.now() - startedAt >= waited, 'nothing ran before its time');
  assert.equal((await attemptsOf(host, 'e1')).length, 6);
});
