import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { laneCommand } from '../../../src/adapters/process/lane-command.ts';
import { createLanePool } from '../../../src/adapters/process/lane-pool.ts';
import { judgeDelivery } from '../../../src/core/verdict.ts';
import type { EngineRunner } from '../../../src/ports/engine-runner.ts';
import type { Log } from '../../../src/ports/log.ts';
import { liveLanes } from '../../support/lane-leaks.ts';
import {
  endOf,
  openLanes,
  openNumberedLanes,
  RecordingSink,
  reply,
  returnedBy,
  runScript,
  runStart,
  SILENT_LOG,
} from '../../support/lanes.ts';

let lanes: EngineRunner & { readonly pid: (lane: number) => number };
before(async () => {
  lanes = await openNumberedLanes(1);
});
after(async () => {
  await lanes.close();
  assert.deepEqual(liveLanes(), [], 'no lane outlives its pool');
});

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 3_000; i++) {
    if (condition()) return;
    await sleep(20);
  }
  throw new Error('the condition did not come true in 60 s');
}

/** The lane and the spare of this file's pool, which have both started: one killed before counts as one that cannot. */
const bothLanes = () => [lanes.pid(0), lanes.pid(1)];

/** Both places are taken again, by other processes that have started. */
const replaced = (killed: readonly number[]) => until(() => !bothLanes().some((pid) => killed.includes(pid)));

test('a lane killed from outside while it runs is a crash, and its message is a dead letter', async () => {
  const killed = bothLanes();
  const { outcome } = await runScript(lanes, 'V8.MQ.SendMsg({}); return {Code:1}', {
    call: async () => {
      for (const pid of killed) process.kill(pid, 'SIGKILL');
      return reply({ Code: 1 });
    },
  });
  assert.deepEqual(outcome, { kind: 'crashed', error: { code: 'V8_PROCESS_CRASH', params: {} } });
  const verdict = judgeDelivery(outcome, { engineKey: 'engine', legacyAck: false });
  assert.equal(verdict.kind === 'failure' && verdict.deadReason, 'sandbox-crash');
  await replaced(killed);
  assert.equal(await returnedBy(lanes, 'return 1'), 1);
});

test('a lane killed while idle is replaced, and nobody notices', async () => {
  const killed = bothLanes();
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  await replaced(killed);
  assert.equal(await returnedBy(lanes, 'return 2'), 2);
});

test('a run whose lane dies before it begins is run by the spare', async (t) => {
  const pids: unknown[] = [];
  const log: Log = {
    ...SILENT_LOG,
    child: () => log,
    debug: (_event, fields) => pids.push([fields?.lane, fields?.pid]),
  };
  const pool = await openLanes(1, { log });
  t.after(() => pool.close());
  await until(() => pids.length === 2);
  const [, home] = (pids as [number, number][]).find(([lane]) => lane === 0) ?? [0, 0];
  const slot = await pool.acquire('demo', {});
  process.kill(home, 'SIGKILL');
  const sink = new RecordingSink(undefined);
  assert.deepEqual(await slot.run(runStart('return 3'), sink), { kind: 'returned', json: '3' });
  slot.release();
});

test('runs wait in line, first come, first served, one per lane', async () => {
  const order: number[] = [];
  const first = await lanes.acquire('demo', {});
  const waiting = [1, 2, 3].map(async (n) => {
    const slot = await lanes.acquire(`tenant${n}`, {});
    order.push(n);
    slot.release();
  });
  assert.deepEqual(lanes.status(), { lanes: 1, busy: 1, waiting: 3 });
  await assert.rejects(lanes.acquire('late', { waitMs: 10 }), { code: 'V8_EXECUTION_QUEUE_TIMEOUT' });
  await assert.rejects(lanes.acquire('gone', { signal: AbortSignal.abort() }), { code: 'DRAINING' });
  first.release();
  first.release();
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
  assert.deepEqual(lanes.status(), { lanes: 1, busy: 0, waiting: 0 });
});

test('a nested engine runs in another isolate, and its result is the call’s', async () => {
  const inner = new RecordingSink(undefined);
  const { outcome, log } = await runScript(
    lanes,
    'globalThis.x = 1; const r = V8.ApiEngine.Run("inner", {n: 2}); console.log("after"); return [r, typeof y]',
    {
      call: () => ({
        kind: 'nested',
        run: runStart('globalThis.y = 1; console.log("inside"); await 1; return {n: V8.Param.n, x: typeof x}', {
          engineKey: 'inner',
          input: { Param: { n: 2 } },
        }),
        calls: inner,
        finish: async (end) => (end.kind === 'returned' ? end.json : 'null'),
      }),
    },
  );
  assert.deepEqual(outcome, { kind: 'returned', json: '[{"n":2,"x":"undefined"},"undefined"]' });
  assert.deepEqual([inner.lines, log], [['log inside'], ['log after']]);
});

/** A sink under which an engine calls itself until `depth`, then does `last`. */
function descending(depth: number, last: string): RecordingSink {
  return new RecordingSink(() => ({
    kind: 'nested',
    run: runStart(depth > 1 ? 'return V8.ApiEngine.Run("deeper")' : last),
    calls: depth > 1 ? descending(depth - 1, last) : new RecordingSink(undefined),
    finish: async (end) => JSON.stringify(end.kind === 'returned' ? JSON.parse(end.json) : endOf(end)),
  }));
}

async function nest(depth: number, last: string): Promise<unknown> {
  const slot = await lanes.acquire('demo', {});
  try {
    const outcome = await slot.run(runStart('return V8.ApiEngine.Run("deeper")'), descending(depth, last));
    return outcome.kind === 'returned' ? JSON.parse(outcome.json) : endOf(outcome);
  } finally {
    slot.release();
  }
}

test('engines nest to the limit of 32, and one deeper is refused', async () => {
  assert.equal(await nest(31, 'return "bottom"'), 'bottom');
  assert.equal(await nest(32, 'return "bottom"'), 'V8_NESTED_DEPTH_LIMIT');
});

test('what ends a nested engine is its caller’s to handle', async () => {
  assert.equal(await nest(2, 'throw new Error("x")'), 'threw');
  assert.equal(await nest(2, 'await new Promise(() => {})'), 'V8_NEVER_SETTLES');
  assert.equal(await nest(2, 'let a = ;'), 'syntax');
  // Its own heap limit or that of the process, whichever is seen first: several isolates grow in one process here.
  const memory = await nest(2, 'const a = []; for (;;) a.push(new Array(1000).fill(1))');
  assert.match(String(memory), /^V8_(MEMORY_LIMIT|PROCESS_MEMORY)$/);
  assert.equal(await nest(2, 'return 1'), 1);
});

test('the wall limit ends a whole tree that waits for the host', async () => {
  const finished: string[] = [];
  const stuck = new RecordingSink(() => new Promise(() => undefined));
  const { outcome } = await runScript(lanes, 'try { V8.ApiEngine.Run("a") } catch {} return {Code:1}', {
    limits: { wallMs: 1500 },
    call: () => ({
      kind: 'nested',
      run: runStart('V8.Http.Post({}); return {Code:1}'),
      calls: stuck,
      finish: async (end) => {
        finished.push(endOf(end));
        return 'null';
      },
    }),
  });
  assert.equal(endOf(outcome), 'V8_TIMEOUT');
  assert.deepEqual(finished, ['V8_TIMEOUT']);
  assert.equal(await returnedBy(lanes, 'return 6'), 6);
});

test('closing ends runs under way uncounted and refuses new ones', async () => {
  const pool = await openLanes(1);
  const slot = await pool.acquire('demo', {});
  const running = slot.run(runStart('V8.Http.Post({})'), new RecordingSink(() => new Promise(() => undefined)));
  const waiting = assert.rejects(pool.acquire('demo', {}), { code: 'DRAINING' });
  await pool.close();
  assert.deepEqual(await running, { kind: 'unstarted', error: { code: 'DRAINING', params: {} } });
  await waiting;
  await assert.rejects(pool.acquire('demo', {}), { code: 'DRAINING' });
});

test('a program that cannot be started is named by its reason', async () => {
  const broken = { file: process.execPath, args: ['/nowhere/lane.ts'], env: {} };
  await assert.rejects(
    createLanePool({ lanes: 1, rssMb: 300, timezone: 'UTC', log: SILENT_LOG, command: broken }),
    (error: { code: string; params: { reason: string } }) => {
      assert.equal(error.code, 'SANDBOX_UNAVAILABLE');
      assert.match(error.params.reason, /Cannot find module/);
      return true;
    },
  );
  await assert.rejects(
    createLanePool({
      lanes: 1,
      rssMb: 300,
      timezone: 'UTC',
      log: SILENT_LOG,
      command: { ...broken, file: '/nowhere/node' },
    }),
    { code: 'SANDBOX_UNAVAILABLE' },
  );
});

test('when lanes can no longer be started, runs are refused with the reason instead of waiting, until they can', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'lanes-'));
  const gate = join(dir, 'broken');
  const real = laneCommand('UTC');
  const script = `[ -e ${gate} ] && { echo "Error: no more lanes" >&2; exit 1; }; exec "$@"`;
  const command = { ...real, file: '/bin/sh', args: ['-c', script, 'sh', real.file, ...real.args] };
  const pool = await createLanePool({ lanes: 1, rssMb: 300, timezone: 'UTC', log: SILENT_LOG, command });
  try {
    writeFileSync(gate, '');
    const mine = liveLanes();
    await until(() => liveLanes().length >= mine.length);
    await assert.rejects(
      async () => {
        for (;;) {
          for (const pid of liveLanes()) process.kill(pid, 'SIGKILL');
          const slot = await pool.acquire('demo', { waitMs: 5000 });
          slot.release();
          await sleep(20);
        }
      },
      { code: 'SANDBOX_UNAVAILABLE', params: { reason: 'Error: no more lanes' } },
    );
    rmSync(gate);
    await until(() => pool.status().lanes === 1);
    for (;;) {
      try {
        assert.equal(await returnedBy(pool, 'return 7'), 7);
        break;
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'SANDBOX_UNAVAILABLE');
        await sleep(50);
      }
    }
  } finally {
    await pool.close();
    rmSync(dir, { recursive: true });
  }
});
