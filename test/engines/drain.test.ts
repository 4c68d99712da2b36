/** A drain on RabbitMQ and MariaDB: SIGTERM in the middle of a run, with messages that have not begun. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { GateServer } from '../support/gate-server.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { column, messagesIn, only, push, send, startHosts, tablesJson, untilSettled } from './engine-hosts.ts';

/** Longest wait for a host that starts or ends on a busy machine. Milliseconds. */
const PATIENCE_MS = 60_000;

async function startInRun(t: TestContext, eventIds: readonly string[]) {
  const gate = await GateServer.listen(t);
  const [database, vhost] = await Promise.all([freshDatabase(), freshVhost()]);
  const host = only(
    await startHosts(
      t,
      ['one'],
      { databaseUrl: database.url, queueUrl: vhost.url },
      {
        outbound: { allow: [`127.0.0.1:${gate.port}`] },
        drainSeconds: 40,
      },
    ),
  );
  const work = `/**
 * @queue work
 */
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
V8.Http.PostResponse({ Url: 'http://127.0.0.1:${gate.port}/', PostParam: {}, Timeout: 60 });
return { Code: 1 };
`;
  await push(host, { 'tables.json': tablesJson({ effect: ['EventId'] }), 'work.js': work });
  for (const eventId of eventIds) await send(host, 'work', eventId);
  await eventually(() => assert.equal(gate.requests, 1), PATIENCE_MS);
  return { host, gate, vhost, effects: () => column(database.url, 'select EventId from effect') };
}

test('SIGTERM lets the run end and settles it, gives back what has not begun, and exits with 0', async (t) => {
  const { host, gate, vhost, effects } = await startInRun(t, ['e1', 'e2', 'e3']);
  const stopped = host.stop();
  await eventually(() => assert.match(host.output, /host\.drain_started/), PATIENCE_MS);
  gate.open();
  assert.equal(await stopped, 0, host.output.slice(-3_000));
  assert.deepEqual(await effects(), ['e1']);
  await eventually(async () => assert.equal(await messagesIn(vhost), 2, 'e1 was acknowledged'), PATIENCE_MS);
  await host.start();
  await eventually(async () => assert.deepEqual(await effects(), ['e1', 'e2', 'e3']), PATIENCE_MS);
  await untilSettled(vhost, PATIENCE_MS);
  assert.equal(gate.requests, 3, 'each ran once');
});

test('a second signal shortens the drain: exit code 3, the run is undone and its message comes again', async (t) => {
  const { host, gate, vhost, effects } = await startInRun(t, ['e1']);
  const stopped = host.stop();
  await eventually(() => assert.match(host.output, /host\.drain_started/), PATIENCE_MS);
  process.kill(host.pid, 'SIGTERM');
  assert.equal(await stopped, 3, host.output.slice(-3_000));
  assert.deepEqual(await effects(), []);
  await eventually(async () => assert.equal(await messagesIn(vhost), 1), PATIENCE_MS);
  gate.open();
  await host.start();
  await eventually(async () => assert.deepEqual(await effects(), ['e1']), PATIENCE_MS);
  await untilSettled(vhost, PATIENCE_MS);
});
