/** Rows 25 and 26 of docs/failure.md, on the real host process: it is told to stop, or frozen. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { GateServer } from '../support/gate-server.ts';
import { HostProcess } from '../support/host-process.ts';
import { outside, QUEUE_FILE, tenantFile } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';

const TABLES = '[{"Name":"effect","Fields":[{"Name":"EventId","Type":"varchar(200)"}]}]';

/** A host process with an engine that stops at the gate in the middle of its run, and messages of it. */
async function start(t: TestContext, messages: readonly string[]) {
  const gate = await GateServer.listen(t);
  const script = `/**
 * @queue work
 * @prefetch 3
 */
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
V8.Http.PostResponse({ Url: 'http://127.0.0.1:${gate.port}/', PostParam: {}, Timeout: 60 });
return { Code: 1 };
`;
  const config = {
    sandbox: { lanes: 1 },
    outbound: { allow: [`127.0.0.1:${gate.port}`] },
    drainSeconds: 30,
    lang: 'en',
  };
  const host = await HostProcess.create(tempDir(t), config);
  t.after(() => host.kill());
  await host.start();
  const files = [
    { path: 'work.js', text: script },
    { path: 'tables.json', text: TABLES },
  ];
  const pushed = await host.api('PUT', 'tenants/demo/engines', { files });
  assert.equal(pushed.body.Code, 1, JSON.stringify(pushed.body));
  for (const eventId of messages) {
    const sent = await host.api('POST', 'tenants/demo/queues/work/messages', { EventId: eventId, Message: {} });
    assert.equal(sent.body.Code, 1, JSON.stringify(sent.body));
  }
  await eventually(() => assert.equal(gate.requests, 1));
  return { host, gate };
}

async function effectsOf(host: HostProcess): Promise<unknown[]> {
  const rows = await outside(host.dataDir, tenantFile('demo'), 'select EventId from effect order by EventId');
  return rows.map((row) => row.EventId);
}

/** Messages in the queue's file: EventId and whether a run of theirs may have begun. */
async function queuedIn(host: HostProcess): Promise<Record<string, unknown>> {
  const rows = await outside(host.dataDir, QUEUE_FILE, 'select MessageId, Delivered from queue_message order by Seq');
  return Object.fromEntries(rows.map((row) => [row.MessageId, row.Delivered]));
}

test('failure row 25: SIGTERM lets the run end, gives back what has not begun, and exits with 0', async (t) => {
  const { host, gate } = await start(t, ['e1', 'e2', 'e3']);
  const stopped = host.stop();
  await eventually(() => assert.match(host.output, /host\.drain_started/));
  const late = await host.api('POST', 'tenants/demo/queues/work/messages', { EventId: 'late', Message: {} });
  assert.equal(late.status, 503, 'no new work');
  gate.open();
  assert.equal(await stopped, 0, host.output);
  assert.deepEqual(await effectsOf(host), ['e1']);
  assert.deepEqual(await queuedIn(host), { e2: 0, e3: 0 }, 'given back as never begun');
  await host.start();
  await eventually(async () => assert.deepEqual(await effectsOf(host), ['e1', 'e2', 'e3']));
});

test('failure row 25: a second signal shortens the wait; the run is undone and runs after the next start', async (t) => {
  const { host, gate } = await start(t, ['e1']);
  const signalledAt = Date.now();
  const stopped = host.stop();
  await eventually(() => assert.match(host.output, /host\.drain_started/));
  process.kill(host.pid, 'SIGTERM');
  assert.equal(await stopped, 3, host.output);
  assert.ok(Date.now() - signalledAt < 15_000, 'long before the 30 s of drainSeconds');
  assert.deepEqual(await effectsOf(host), []);
  gate.open();
  await host.start();
  await eventually(async () => assert.deepEqual(await effectsOf(host), ['e1']));
});

test('failure row 26: a frozen host keeps its data directory, and goes on where it was', async (t) => {
  const { host, gate } = await start(t, ['e1', 'e2']);
  process.kill(host.pid, 'SIGSTOP');
  const second = await HostProcess.create(host.dataDir, { sandbox: { lanes: 1 }, lang: 'en' });
  const child = second.spawn();
  t.after(() => second.kill());
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 1);
  assert.match(second.output, new RegExp(`HOST_LOCKED|is used by another host process \\(pid ${host.pid}\\)`));
  assert.deepEqual(await effectsOf(host), [], 'the frozen run has committed nothing');
  gate.open();
  process.kill(host.pid, 'SIGCONT');
  await eventually(async () => assert.deepEqual(await effectsOf(host), ['e1', 'e2']));
  const story = await host.api('GET', 'tenants/demo/events/e1');
  assert.deepEqual(
    story.body.Data.attempts.map((attempt: { verdict: string }) => attempt.verdict),
    ['done'],
    'one run, not a second one after the thaw',
  );
  assert.equal(await host.stop(), 0, host.output);
});
