import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunGate } from '../../../src/adapters/process/run-gate.ts';
import { SeatGate } from '../../../src/adapters/process/seat-gate.ts';

test('the runs of one lane share one right, which the last one gives back', async () => {
  const gate = new RunGate(1);
  const [lane, other] = [new SeatGate(gate), new SeatGate(gate)];
  assert.equal(lane.enter(), undefined);
  assert.equal(lane.enter(), undefined);
  const waiting = other.enter();
  assert.equal(gate.waiting, 1);
  lane.leave();
  assert.equal(gate.waiting, 1);
  lane.leave();
  await waiting;
  assert.equal(gate.waiting, 0);
  other.leave();
});

test('a lane whose run waits inside a host call lets another one begin', async () => {
  const gate = new RunGate(1);
  const [lane, other] = [new SeatGate(gate), new SeatGate(gate)];
  lane.enter();
  const waiting = other.enter();
  lane.setBlocked(true);
  await waiting;
  lane.setBlocked(false);
  lane.leave();
  other.leave();
  assert.equal(lane.enter(), undefined, 'every right was given back');
});

test('those who come while the lane waits for its right wait with it', async () => {
  const gate = new RunGate(1);
  const [lane, other] = [new SeatGate(gate), new SeatGate(gate)];
  lane.enter();
  const both = Promise.all([other.enter(), other.enter()]);
  assert.equal(gate.waiting, 1);
  lane.leave();
  await both;
  other.leave();
  other.leave();
  assert.equal(gate.waiting, 0);
});
