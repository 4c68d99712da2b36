/** What counts as a crash of the host (F3): the start of a redelivered message, and nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Adapters } from '../../src/compose.ts';
import { AppError } from '../../src/core/errors.ts';
import { attemptsOf, deadOf } from '../support/accounts.ts';
import { fastClock } from '../support/fast-clock.ts';
import { Gate, STOP_AT_GATE } from '../support/gate.ts';
import { intercept, withProperty } from '../support/intercept.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, TestHost } from '../support/test-host.ts';
import { withDelivery } from './crash-points.ts';

const script = (inbox: 'on' | 'off') => `/**
 * @queue work
 * @prefetch 5
 * @inbox ${inbox}
 */
${STOP_AT_GATE}
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`;

/** Every delivery looks like one that was handed out before and not settled. */
function asRedelivered(adapters: Adapters): Adapters {
  return withDelivery(adapters, (delivery) => withProperty(delivery, 'redelivered', true));
}

async function crashCounts(dataDir: string): Promise<Record<string, unknown>> {
  const rows = await outside(dataDir, tenantFile('demo'), 'select EventId, Count from mq_crash order by EventId');
  return Object.fromEntries(rows.map((row) => [row.EventId, row.Count]));
}

for (const inbox of ['on', 'off'] as const) {
  test(`F3: messages that wait behind the running one are not counted (inbox ${inbox})`, async (t) => {
    const dataDir = tempDir(t);
    const gate = new Gate();
    const host = await TestHost.open(dataDir, { decorate: (adapters) => gate.guard(asRedelivered(adapters)) });
    t.after(() => gate.open());
    t.after(() => host.close());
    for (const eventId of ['e1', 'e2', 'e3']) await host.send('work', eventId, {});
    await host.push({ 'work.js': script(inbox) });
    await gate.arrived();
    await eventually(() => assert.equal(host.host.inFlight.size, 3));
    assert.deepEqual(Object.values(await crashCounts(dataDir)), [1], 'only the one that runs');
    gate.open();
    await eventually(async () => assert.deepEqual(await host.effects(), ['e1', 'e2', 'e3']));
    await host.host.inFlight.idle();
    assert.deepEqual(await crashCounts(dataDir), {}, 'a verdict ends the count');
  });
}

test('F3: a redelivered message given back because no sandbox is there is not counted', async (t) => {
  const dataDir = tempDir(t);
  let refusals = 0;
  const refuse = (adapters: Adapters): Adapters => ({
    ...asRedelivered(adapters),
    clock: fastClock(adapters.clock, 100),
    runner: intercept(adapters.runner, 'acquire', async (proceed, tenant, options) => {
      if (refusals === 8) return proceed(tenant, options);
      refusals += 1;
      throw new AppError('SANDBOX_UNAVAILABLE', { reason: 'no process' });
    }),
  });
  const host = await TestHost.open(dataDir, { decorate: refuse });
  t.after(() => host.close());
  await host.push({ 'work.js': `/** @queue work */\nreturn { Code: 1 };` });
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']));
  assert.equal(refusals, 8);
  assert.deepEqual(await deadOf(host), []);
});
