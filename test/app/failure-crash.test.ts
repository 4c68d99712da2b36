/** Rows 1 to 6, 9 and 10 of docs/failure.md: the host dies by SIGKILL at an exact step, and starts again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { outside, tenantFile } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, FIXTURE_SCRIPTS, TestHost } from '../support/test-host.ts';
import type { CrashPoint } from './crash-points.ts';

/** Prepares a message, lets a host die at the point, and opens the next one on what is left. */
async function crashAt(t: TestContext, point: CrashPoint, message: unknown = {}): Promise<TestHost> {
  const dataDir = tempDir(t);
  const before = await TestHost.open(dataDir);
  await before.push(FIXTURE_SCRIPTS);
  // The push attached consumers; the message waits for the process that is to die.
  await before.host.reconciler.stop();
  await before.send('work', 'e1', message);
  await before.close();
  await runUntilKilled(dataDir, point);
  // What the dead host had leased of parked rows runs out now instead of in 20 s.
  await outside(dataDir, tenantFile('demo'), 'update mq_parked set ClaimUntil = 0 where ClaimUntil is not null');
  const after = await TestHost.open(dataDir);
  t.after(() => after.close());
  return after;
}

async function runUntilKilled(dataDir: string, point: CrashPoint): Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'crash-child.ts'), dataDir, point], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL', `the child ended with ${code} instead of dying at ${point}`);
}

async function expectOnce(host: TestHost): Promise<void> {
  await eventually(async () => {
    assert.deepEqual(await host.effects(), ['e1']);
    assert.deepEqual(await host.effects('onward'), ['on-e1']);
    assert.equal((await host.store.outbox.pending()).rows, 0);
  });
}

async function verdictsOf(host: TestHost, eventId: string): Promise<string[]> {
  return (await host.store.journal.story(eventId)).attempts.map((attempt) => attempt.verdict).sort();
}

for (const [row, point, what] of [
  [1, 'before-claim', 'before the claim'],
  [2, 'during-run', 'while the script runs'],
  [3, 'before-commit', 'after the script, before the commit'],
] as const) {
  test(`failure row ${row}: the host dies ${what}; nothing is left, and the message runs once`, async (t) => {
    const host = await crashAt(t, point);
    assert.deepEqual(await host.effects(), [], 'no effect before it runs again');
    assert.equal(await host.store.findInbox({ queue: 'microi.demo.work', eventId: 'e1' }), undefined);
    await host.host.start();
    await expectOnce(host);
    assert.deepEqual(await verdictsOf(host, 'e1'), ['done']);
  });
}

test('failure row 4: the host dies between commit and acknowledgement; the inbox answers the redelivery', async (t) => {
  const host = await crashAt(t, 'after-commit');
  assert.deepEqual(await host.effects(), ['e1'], 'the effect is committed');
  await host.host.start();
  await expectOnce(host);
  await eventually(async () => assert.ok((await verdictsOf(host, 'e1')).includes('duplicate')));
});

test('failure row 5: the host dies between commit and dispatch; the next start sends the onward message once', async (t) => {
  const host = await crashAt(t, 'after-ack');
  assert.equal((await host.store.outbox.pending()).rows, 1, 'the message is a row of the outbox');
  await host.host.start();
  await expectOnce(host);
  assert.deepEqual(await verdictsOf(host, 'on-e1'), ['done']);
});

test('failure row 6: the host dies between sending on and removing the row; the receiver acknowledges the copy', async (t) => {
  const host = await crashAt(t, 'after-onward-publish');
  await host.host.start();
  await expectOnce(host);
  await eventually(async () => assert.deepEqual(await verdictsOf(host, 'on-e1'), ['done', 'duplicate']));
});

for (const [row, point] of [
  [9, 'before-park'],
  [9, 'after-park'],
  [10, 'before-move'],
  [10, 'after-move'],
] as const) {
  test(`failure row ${row}: the host dies ${point}; the failed message keeps its budget and ends dead once`, async (t) => {
    const host = await crashAt(t, point, { Fail: true });
    await host.host.start();
    await eventually(async () => {
      const dead = await host.store.parked.list({ state: 'dead', limit: 10 });
      assert.deepEqual(
        dead.map((row) => [row.eventId, row.attempt, row.reason]),
        [['e1', 4, 'budget-exhausted']],
      );
    }, 40_000);
    assert.deepEqual(await host.effects(), [], 'no failed attempt left an effect');
    const waiting = await host.store.parked.list({ state: 'waiting', limit: 10 });
    assert.deepEqual(waiting, []);
  });
}
