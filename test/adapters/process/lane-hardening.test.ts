/** What a lane process is allowed, seen from the kernel's side. */
import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkSandbox } from '../../../src/adapters/process/check-sandbox.ts';
import { installedVersions, refuseUntested } from '../../../src/adapters/process/tested-versions.ts';
import type { RunOutcome } from '../../../src/core/run-outcome.ts';
import type { EngineRunner } from '../../../src/ports/engine-runner.ts';
import { eventually } from '../../support/eventually.ts';
import { openNumberedLanes, returnedBy } from '../../support/lanes.ts';

const procFile = (pid: number, name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');

test('a lane has no environment but its time zone and library, no core dumps, few descriptors, no new privileges', async (t) => {
  const pool = await openNumberedLanes(1);
  t.after(() => pool.close());
  const pid = pool.pid(0);
  const environment = procFile(pid, 'environ').split('\0').filter(Boolean).sort();
  assert.deepEqual(environment, ['LIBC=glibc', 'TZ=Asia/Shanghai']);
  const limits = procFile(pid, 'limits');
  assert.match(limits, /Max core file size\s+0\s+0\s/);
  assert.match(limits, /Max open files\s+64\s+64\s/);
  assert.match(procFile(pid, 'status'), /NoNewPrivs:\t1/);
  const stat = procFile(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  assert.equal(fields[16], '5', 'nice');
});

test('a lane inherits nothing that the host has open', async (t) => {
  const file = openSync(fileURLToPath(import.meta.url), 'r');
  t.after(() => closeSync(file));
  const server = createServer();
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pool = await openNumberedLanes(1);
  t.after(() => pool.close());
  const targets = (pid: number | 'self') =>
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        // The descriptor that listed the folder is gone.
        return [];
      }
    });
  const unique = (target: string) => /^(socket|pipe):|^\/(?!dev\/null)/.test(target);
  const host = new Set(targets('self').filter(unique));
  const lane = targets(pool.pid(0)).filter(unique);
  assert.ok(host.size > 2);
  assert.deepEqual(
    lane.filter((target) => host.has(target)),
    [],
  );
  assert.equal(lane.filter((target) => target.startsWith('socket:')).length, 2, 'stderr and the one to the host');
});

test('a lane that has grown heavy is replaced when it is idle, and nobody is blamed', async (t) => {
  const plain = await openNumberedLanes(1);
  t.after(() => plain.close());
  await returnedBy(plain, 'return 1');
  const rssMb = Number(/VmRSS:\s+(\d+) kB/.exec(procFile(plain.pid(0), 'status'))?.[1]) / 1024;
  await plain.close();
  const kills: string[] = [];
  const pool = await openNumberedLanes(1, { rssMb: Math.round(rssMb * 1.4), onKilled: (reason) => kills.push(reason) });
  t.after(() => pool.close());
  const first = pool.pid(0);
  await eventually(async () => {
    assert.equal(await returnedBy(pool, 'return 1'), 1);
    assert.notEqual(pool.pid(0), first);
  });
  assert.deepEqual([kills, pool.load().filter((load) => load.quarantined)], [[], []]);
});

test('strict lanes have no JIT, serve one tenant each, and make room for others', async (t) => {
  const pool = await openNumberedLanes(1, { strictIdleMs: 60_000 });
  t.after(() => pool.close());
  assert.match(procFile(pool.pid(0), 'cmdline'), /--no-sparkplug\0--no-maglev/);
  const [first, apart] = [pool.pid(0), pool.pid(1)];
  assert.equal(await returnedBy(pool, 'return 1', { tenant: 'a' }), 1);
  assert.equal(await returnedBy(pool, 'return typeof WebAssembly', { tenant: 'a' }), 'undefined');
  assert.equal(await returnedBy(pool, 'return 2', { tenant: 'b' }), 2);
  assert.deepEqual([pool.pid(0), pool.pid(1)], [first, apart], 'each has a lane, and keeps it');
  assert.equal(await returnedBy(pool, 'return 3', { tenant: 'c' }), 3);
  assert.notEqual(pool.pid(0), first, 'the lane that rested longest was not handed on but replaced');
  assert.equal(pool.pid(1), apart);
});

test('a strict lane at rest is ended after its time', async (t) => {
  const pool = await openNumberedLanes(1, { strictIdleMs: 50 });
  t.after(() => pool.close());
  const first = pool.pid(0);
  assert.equal(await returnedBy(pool, 'return 1', { tenant: 'a' }), 1);
  await eventually(() => assert.notEqual(pool.pid(0), first));
  assert.equal(await returnedBy(pool, 'return 2', { tenant: 'a' }), 2);
});

test('the versions that come with the project are tested ones; others are refused by name', () => {
  const installed = installedVersions();
  assert.doesNotThrow(() => refuseUntested(installed));
  assert.equal(installed.node, process.versions.node);
  for (const [other, found] of [
    [{ node: '24.9.0', v8: '13.6.233.10-node.26' }, /^Node 24\.9\.0 \(V8 13\.6/],
    [{ v8: '14.7.1-node.1' }, /V8 14\.7/],
    [{ isolatedVm: '7.1.0' }, /^isolated-vm 7\.1\.0/],
  ] as const) {
    assert.throws(
      () => refuseUntested({ ...installed, ...other }),
      (error: { code: string; params: { found: string } }) => {
        assert.equal(error.code, 'SANDBOX_UNTESTED');
        assert.match(error.params.found, found);
        return true;
      },
    );
  }
});

test('the check finds the sandbox as it should be', async (t) => {
  // With every lane up: one that starts beside it takes the processor that the loop needs.
  const pool = await openNumberedLanes(1);
  t.after(() => pool.close());
  // While more wants to run than there are processors, what does not hold proves nothing.
  await eventually(async () => assert.deepEqual(await checkSandbox(pool), []), 300_000);
  await pool.close();
  assert.deepEqual(await checkSandbox(pool), [], 'a host that closes has nothing to report');
});

test('the check names what does not hold, and only what never does', async () => {
  const runner = (outcomes: RunOutcome[]): Pick<EngineRunner, 'acquire'> => ({
    acquire: async () => ({
      run: async () => outcomes.shift() ?? { kind: 'nothing' },
      runAll: () => [],
      release: () => undefined,
    }),
  });
  const killed: RunOutcome = { kind: 'limit', error: { code: 'V8_CPU_LIMIT', params: {} }, laneLost: true };
  const ended: RunOutcome = { kind: 'limit', error: killed.error };
  assert.deepEqual(await checkSandbox(runner(Array.from({ length: 5 }, () => killed))), [
    'native loop: V8_CPU_LIMIT, and it cost its lane',
    'floating rejection: nothing',
  ]);
  assert.deepEqual(await checkSandbox(runner([killed, ended, { kind: 'returned', json: '1' }])), []);
});
