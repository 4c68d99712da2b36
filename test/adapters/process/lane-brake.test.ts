import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LaneBrake } from '../../../src/adapters/process/lane-brake.ts';

function braked() {
  const signals: string[] = [];
  return { signals, brake: new LaneBrake((signal) => signals.push(signal)) };
}

test('a lane in debt works in one tick of five, and its time at a standstill is known', () => {
  const { brake, signals } = braked();
  for (let tick = 0; tick < 10; tick++) brake.update(true, tick * 20);
  assert.deepEqual(signals, ['SIGSTOP', 'SIGCONT', 'SIGSTOP', 'SIGCONT']);
  assert.equal(brake.stoodMs(180), 160);
});

test('without debt it is let go at once, and at the end of a run, when the count begins anew', () => {
  const { brake, signals } = braked();
  brake.update(false, 0);
  assert.deepEqual([signals, brake.stoodMs(0)], [[], 0]);
  brake.update(true, 0);
  assert.equal(brake.stoodMs(15), 15, 'while it stands');
  brake.update(false, 20);
  assert.deepEqual([signals, brake.stoodMs(100)], [['SIGSTOP', 'SIGCONT'], 20]);
  brake.update(true, 100);
  brake.release(110);
  brake.release(120);
  assert.deepEqual([signals.slice(2), brake.stoodMs(200)], [['SIGSTOP', 'SIGCONT'], 0]);
});
