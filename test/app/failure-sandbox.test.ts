/** Rows 13 and 14 of docs/failure.md: a sandbox dies under a run, or a script passes its limits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptsOf, deadOf, storeOf } from '../support/accounts.ts';
import { busiestChild } from '../support/child-processes.ts';
import { Gate, STOP_AT_GATE } from '../support/gate.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, TestHost } from '../support/test-host.ts';

const EFFECT = "V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });";

const LOOP = `/**
 * @queue loop
 * @retry 1
 * @backoff fixed:50ms
 */
${EFFECT}
if (V8.Param.EventId !== 'next') while (true) {}
return { Code: 1 };
`;

const GATED = `/** @queue gated */
${EFFECT}
${STOP_AT_GATE}
return { Code: 1 };
`;

test('failure row 13: a sandbox is killed under a run; that counts as a failed attempt, other runs go on', async (t) => {
  const gate = new Gate();
  const host = await TestHost.open(tempDir(t), {
    lanes: 2,
    limits: { cpuMs: 60_000, wallMs: 60_000 },
    decorate: (adapters) => gate.guard(adapters),
  });
  t.after(() => host.close());
  await host.host.services.addTenant('factory', undefined);
  await host.push({ 'loop.js': LOOP });
  await host.push({ 'gated.js': GATED }, undefined, 'factory');
  await host.host.start();
  await host.send('gated', 'g1', {}, 'factory');
  await gate.arrived();
  await host.send('loop', 'e1', {});
  await eventually(async () => {
    // A lane that is just starting computes, too; shooting it instead costs nobody an attempt.
    const busiest = await busiestChild(process.pid);
    if (busiest !== undefined) process.kill(busiest, 'SIGKILL');
    assert.equal((await attemptsOf(host, 'e1')).length, 2);
  }, 40_000);
  assert.deepEqual(await attemptsOf(host, 'e1'), ['1 retry V8_PROCESS_CRASH', '2 dead V8_PROCESS_CRASH']);
  assert.deepEqual(await deadOf(host), ['e1 2 sandbox-crash']);
  await host.send('loop', 'next', {});
  await eventually(async () => assert.deepEqual(await host.effects(), ['next']));
  gate.open();
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'g1', storeOf(host, 'factory')), ['1 done']));
});

test('failure row 14: a script passes its time, CPU or memory; the limit and what to change are named', async (t) => {
  const gate = new Gate();
  const host = await TestHost.open(tempDir(t), {
    limits: { wallMs: 3_000, cpuMs: 1_000, heapMb: 16 },
    decorate: (adapters) => gate.guard(adapters),
  });
  t.after(() => host.close());
  const fill = "var rows = []; while (true) rows.push(new Array(1000).fill('x'));";
  await host.push({
    'gated.js': GATED,
    'loop.js': `/** @queue loop */\n${EFFECT}\nwhile (true) {}`,
    'fill.js': `/** @queue fill */\n${EFFECT}\n${fill}`,
  });
  const expected = [
    ['loop', 'V8_CPU_LIMIT', /used more than 1000 ms of CPU .* look for an endless loop/],
    ['fill', 'V8_MEMORY_LIMIT', /passed 16 MB of memory .* read in pages/],
    ['gated', 'V8_TIMEOUT', /passed 3000 ms .* raise TimeoutSeconds/],
  ] as const;
  for (const [queue, , advice] of expected) {
    await host.send(queue, queue, {});
    await eventually(async () => {
      const [row] = await host.store.parked.list({ queue: `microi.demo.${queue}`, limit: 1 });
      assert.match(row?.error ?? '', advice);
      assert.equal(row?.reason, 'rejected');
    });
  }
  assert.deepEqual(await host.effects(), [], 'nothing of them is committed');
});

test('failure row 14: the limit is the reason of each attempt, the budget that of the dead letter', async (t) => {
  const host = await TestHost.open(tempDir(t), { limits: { cpuMs: 200 } });
  t.after(() => host.close());
  await host.push({ 'loop.js': LOOP });
  await host.host.start();
  await host.send('loop', 'e1', {});
  await eventually(async () => {
    assert.deepEqual(await attemptsOf(host, 'e1'), ['1 retry V8_CPU_LIMIT', '2 dead V8_CPU_LIMIT']);
    assert.deepEqual(await deadOf(host), ['e1 2 budget-exhausted']);
  });
});
