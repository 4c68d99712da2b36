import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf, type ScaleFigures } from '../scripts/scale-plan.ts';

const FIGURES: ScaleFigures = {
  hostMib: 100,
  laneMib: 20,
  tenantKib: 512,
  bindingKib: 8,
  deviceKib: 16,
  messageCpuMs: 1,
  publishCpuMs: 0.1,
  messageBytes: 1024,
};
const LOAD = {
  tenants: 1_000,
  bindingsPerTenant: 4,
  devices: 64_000,
  messagesPerSecond: 2_000,
  publishesPerSecond: 5_000,
};
const CHOICES = { coresPerHost: 2, utilisation: 0.5, lanesPerHost: 5, poolPerTenant: 10, inboxDays: 10 };

test('the plan is the arithmetic of its page', () => {
  assert.deepEqual(planOf(FIGURES, LOAD, CHOICES), {
    // 2,000 × 1 ms = 2 cores at work, 4 at half of their time; two hosts of two, and one more.
    cores: 4,
    hosts: 3,
    // 100 + 5 × 20 + (1,000 × 512 + 4,000 × 8) / 1024
    hostMib: 731.25,
    brokerMib: 1_000,
    brokerCores: 1,
    connections: 30_000,
    inboxRows: 1_728_000_000,
    inboxRowsPerTenant: 1_728_000,
    storageGib: (1_728_000_000 * 1024) / 2 ** 30,
  });
});

test('each figure moves what it is for, and nothing else', () => {
  const before = planOf(FIGURES, LOAD, CHOICES);
  const moved = (change: Partial<ScaleFigures>): readonly string[] => {
    const after = planOf({ ...FIGURES, ...change }, LOAD, CHOICES);
    return Object.keys(before).filter((key) => before[key as keyof typeof before] !== after[key as keyof typeof after]);
  };
  assert.deepEqual(moved({ deviceKib: 32 }), ['brokerMib']);
  assert.deepEqual(moved({ tenantKib: 1024 }), ['hostMib']);
  assert.deepEqual(moved({ bindingKib: 16 }), ['hostMib']);
  assert.deepEqual(moved({ publishCpuMs: 1 }), ['brokerCores']);
  assert.deepEqual(moved({ messageBytes: 2048 }), ['storageGib']);
  assert.deepEqual(moved({ messageCpuMs: 2 }), ['hosts', 'cores', 'connections']);
});
