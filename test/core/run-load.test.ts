import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RUN_CAPS, NEIGHBOUR_MS, RunLoad } from '../../src/core/run-load.ts';

const X = { tenant: 'a', engine: 'x' };
const Y = { tenant: 'a', engine: 'y' };
const OTHER = { tenant: 'b', engine: 'x' };
const CAPS = { host: 4, tenant: 3, engine: 2 };

test('the default caps are those of the platform', () => {
  assert.deepEqual(DEFAULT_RUN_CAPS, { host: 128, tenant: 32, engine: 16 });
});

test('runs at once are capped by engine, tenant and host, and an end makes room', () => {
  const load = new RunLoad();
  load.begin(X);
  load.begin(X);
  assert.deepEqual([load.admits(X, CAPS), load.admits(Y, CAPS)], [false, true], 'engine');
  load.begin(Y);
  assert.deepEqual([load.admits(Y, CAPS), load.admits(OTHER, CAPS)], [false, true], 'tenant');
  load.begin(OTHER);
  assert.equal(load.admits(OTHER, CAPS), false, 'host');
  load.end(X);
  assert.deepEqual([load.admits(X, CAPS), load.admits(OTHER, CAPS)], [true, true]);
  assert.deepEqual([load.running, load.runningOf('a'), load.runningOf('c'), load.tenants()], [3, 2, 0, ['a', 'b']]);
});

test('a cap of 0 lets one run through: else nothing ever could', () => {
  const load = new RunLoad();
  assert.equal(load.admits(X, { host: 0, tenant: 0, engine: 0 }), true);
  load.begin(X);
  assert.equal(load.admits(X, { host: 9, tenant: 0, engine: 9 }), false);
});

test('a tenant has neighbours while another runs, and for a while after it asked', () => {
  const load = new RunLoad();
  load.see('a', 0);
  assert.equal(load.hasNeighbours('a', 0), false, 'not its own neighbour');
  load.see('b', 1000);
  assert.equal(load.hasNeighbours('a', 1000 + NEIGHBOUR_MS - 1), true);
  assert.equal(load.hasNeighbours('a', 1000 + NEIGHBOUR_MS), false);
  load.begin(OTHER);
  assert.equal(load.hasNeighbours('a', 10 * NEIGHBOUR_MS), true, 'a long run counts to its end');
  load.end(OTHER);
  assert.equal(load.hasNeighbours('a', 10 * NEIGHBOUR_MS), false);
});
