import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type GatePass, RunGate } from '../../../src/adapters/process/run-gate.ts';

/** Enters `count` runs; `passes[i]` is set when the i-th has begun. */
async function enter(gate: RunGate, count: number): Promise<(GatePass | undefined)[]> {
  const passes: (GatePass | undefined)[] = Array.from({ length: count });
  for (let i = 0; i < count; i++) void Promise.resolve(gate.enter()).then((pass) => (passes[i] = pass));
  await turn();
  return passes;
}

const begun = (passes: readonly unknown[]) => passes.filter((pass) => pass !== undefined).length;

test('no more runs begin than processors can serve, first come, first served', async () => {
  const gate = new RunGate(2);
  const passes = await enter(gate, 4);
  assert.deepEqual([begun(passes), gate.waiting], [2, 2]);
  passes[0]?.leave();
  passes[0]?.leave();
  await turn();
  assert.equal(begun(passes), 3, 'leaving twice makes room once');
  passes[1]?.leave();
  await turn();
  assert.equal(begun(passes), 4);
});

test('a run that waits for the host makes room, and takes it back without asking', async () => {
  const gate = new RunGate(1);
  const passes = await enter(gate, 3);
  passes[0]?.setBlocked(true);
  passes[0]?.setBlocked(true);
  await turn();
  assert.equal(begun(passes), 2);
  passes[0]?.setBlocked(false);
  passes[1]?.leave();
  await turn();
  assert.equal(begun(passes), 2, 'the first is at work again');
  passes[0]?.setBlocked(true);
  await turn();
  assert.equal(begun(passes), 3);
  passes[0]?.leave();
  passes[2]?.leave();
  assert.equal(begun(await enter(gate, 2)), 1, 'what was killed in a host call has not given its place back twice');
});
