/** CPU accounts over real lanes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineRunner, TenantLoad } from '../../../src/ports/engine-runner.ts';
import { eventually } from '../../support/eventually.ts';
import { liveLanes } from '../../support/lane-leaks.ts';
import { openNumberedLanes, RecordingSink, returnedBy, runStart } from '../../support/lanes.ts';

/** Spent at once, and hardly refilled: debt lasts longer than a test. */
const POOR = { cpuMsPerSecond: 1, cpuBurstMs: 60_000 };

const BUSY = 'let n = 0; for (let i = 0; i < 6e8; i++) n += i; return 1';

const loadOf = (pool: EngineRunner, tenant: string): TenantLoad | undefined =>
  pool.load().find((load) => load.tenant === tenant);

/** True while some lane of this process stands still. */
function seesStandstill(): boolean {
  return liveLanes().some((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  });
}

async function runBusy(pool: EngineRunner, tenant: string) {
  const slot = await pool.acquire(tenant, {});
  const outcome = await slot.run(runStart(BUSY, { tenant }), new RecordingSink(undefined));
  slot.release();
  return outcome;
}

test('a run is charged to its tenant by the CPU that its lane used', async (t) => {
  const pool = await openNumberedLanes(2, POOR);
  t.after(() => pool.close());
  assert.deepEqual(await runBusy(pool, 'heavy'), { kind: 'returned', json: '1' });
  assert.equal(await returnedBy(pool, 'return 2', { tenant: 'light' }), 2);
  const used = (tenant: string) => POOR.cpuBurstMs - (loadOf(pool, tenant)?.cpuBalanceMs ?? POOR.cpuBurstMs);
  assert.ok(used('heavy') >= 200, `heavy used ${used('heavy')} ms`);
  assert.ok(used('light') < used('heavy'), `light used ${used('light')} ms`);
});

test('in debt and with neighbours a run stands still now and then, and ends all the same', async (t) => {
  const pool = await openNumberedLanes(2, { ...POOR, cpuBurstMs: 200 });
  t.after(() => pool.close());
  await returnedBy(pool, 'return 1', { tenant: 'neighbour' });
  let stood = false;
  let ended = false;
  const running = runBusy(pool, 'heavy').then((outcome) => {
    ended = true;
    return outcome;
  });
  while (!ended && !stood) {
    stood = seesStandstill();
    await sleep(3);
  }
  assert.equal(await returnedBy(pool, 'return 3', { tenant: 'neighbour' }), 3);
  assert.deepEqual(await running, { kind: 'returned', json: '1' });
  assert.ok(stood, 'its lane never stood still');
  assert.ok(!seesStandstill(), 'no lane is left standing');
});

test('a tenant in debt waits while it has neighbours, and they do not', async (t) => {
  const pool = await openNumberedLanes(2, { ...POOR, cpuBurstMs: 200 });
  t.after(() => pool.close());
  await runBusy(pool, 'heavy');
  assert.ok((loadOf(pool, 'heavy')?.cpuBalanceMs ?? 0) < 0);
  (await pool.acquire('heavy', {})).release();
  await returnedBy(pool, 'return 1', { tenant: 'neighbour' });
  const leaving = new AbortController();
  const waiting = assert.rejects(pool.acquire('heavy', { signal: leaving.signal }), { code: 'DRAINING' });
  await eventually(() => assert.equal(loadOf(pool, 'heavy')?.waiting, 1));
  assert.equal(await returnedBy(pool, 'return 2', { tenant: 'neighbour' }), 2);
  leaving.abort();
  await waiting;
});
