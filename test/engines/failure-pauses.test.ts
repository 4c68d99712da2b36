/** Rows 36 and 37 of docs/failure.md: a dependency of a binding is away; an engine keeps costing its sandbox. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { column, logged, push, send, startHosts, tablesJson, untilSettled } from './engine-hosts.ts';

const EFFECTS = 'select EventId from effect order by 1';
const DEAD = "select EventId from mq_parked where State = 'dead'";

/** A server that answers every request with the status of the moment. */
async function statusServer(t: TestContext) {
  const state = { status: 200, target: '' };
  const server = createServer((_, response) => {
    response.statusCode = state.status;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  state.target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

/** A host on MariaDB and RabbitMQ whose scripts may reach the server. */
async function openHost(t: TestContext, target: string, breaker: Record<string, number>) {
  const [database, vhost] = [await freshDatabase(), await freshVhost()];
  const urls = { databaseUrl: database.url, queueUrl: vhost.url };
  const [host] = (await startHosts(t, ['one'], urls, { breaker, outbound: { allow: [target] } })) as [HostProcess];
  return { host, database, vhost };
}

/** The circuit of a binding or an engine as the API shows it: phase and pauses in a row. */
async function circuitOf(host: HostProcess, kind: 'breakers' | 'pauses', subject: string) {
  const { body } = await host.api('GET', 'tenants/demo/limits');
  assert.equal(body.Code, 1, JSON.stringify(body));
  return body.Data[kind].find((view: { subject: string }) => view.subject === subject);
}

async function sendAll(host: HostProcess, queue: string, prefix: string, count: number, message: unknown) {
  for (let n = 0; n < count; n++) await send(host, queue, `${prefix}${n}`, message);
}

test('failure row 36: bad data never pauses a binding; a dependency that is away does, and a good probe ends it', async (t) => {
  const server = await statusServer(t);
  const breaker = { minRuns: 10, pauseSeconds: 1, maxPauseSeconds: 2 };
  const { host, database, vhost } = await openHost(t, server.target, breaker);
  await push(host, {
    'tables.json': tablesJson({ effect: ['EventId'] }),
    'erp.js': `/**
 * @queue orders
 * @queue erp
 */
if (V8.Param.Message.Message.Bad) return { Code: 0, Msg: 'not an order' };
var answer = V8.Http.PostResponse({ Url: 'http://${server.target}/', PostParam: {} });
if (answer.StatusCode !== 200) return { Code: 0, Msg: 'the ERP is away' };
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`,
    'free.js': `/** @queue free */
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`,
  });

  await sendAll(host, 'orders', 'bad', 25, { Bad: true });
  await eventually(async () => assert.equal((await column(database.url, DEAD)).length, 25), 60_000);
  assert.deepEqual(logged(host, 'breaker.opened'), [], 'bad data is nobody’s failure');
  assert.equal((await circuitOf(host, 'breakers', 'microi.demo.orders')).phase, 'closed');

  server.status = 503;
  await sendAll(host, 'erp', 'e', 40, {});
  // It opened, and at least one probe found the server still away.
  await eventually(() => assert.ok(logged(host, 'breaker.opened').length >= 2), 60_000);
  const view = await circuitOf(host, 'breakers', 'microi.demo.erp');
  assert.ok(view.phase !== 'closed' && view.pauses >= 1, JSON.stringify(view));
  await send(host, 'free', 'free');
  await eventually(async () => assert.deepEqual(await column(database.url, EFFECTS), ['free']), 60_000);

  server.status = 200;
  const accounted = async () => {
    const done = (await column(database.url, EFFECTS)).length - 1;
    const dead = (await column(database.url, DEAD)).filter((eventId) => eventId.startsWith('e')).length;
    assert.equal(done + dead, 40);
    assert.ok(dead >= 10 && dead < 30, `${dead} messages failed`);
  };
  await eventually(accounted, 90_000);
  assert.equal(logged(host, 'breaker.closed').length, 1);
  assert.equal((await circuitOf(host, 'breakers', 'microi.demo.erp')).phase, 'closed');
  // The story is written a moment after the run.
  await eventually(async () => {
    const attempts = await column(database.url, "select Attempt from mq_attempt where EventId = 'e39'");
    assert.deepEqual(attempts, ['1'], 'what waited was not counted');
  }, 30_000);
  await untilSettled(vhost);
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

test('failure row 37: an engine that keeps killing its sandbox is paused, longer each time, and comes back by itself', async (t) => {
  const server = await statusServer(t);
  const breaker = { killMinRuns: 3, killPauseSeconds: 1, maxKillPauseSeconds: 4 };
  const { host, database, vhost } = await openHost(t, server.target, breaker);
  await push(host, {
    'tables.json': tablesJson({ effect: ['EventId'] }),
    'moody.js': `/** @queue moody */
var answer = V8.Http.GetResponse({ Url: 'http://${server.target}/' });
if (answer.StatusCode !== 200) 'x'.repeat(2 ** 28).split('');
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`,
    'calm.js': `/** @queue calm */
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`,
  });
  server.status = 404;
  await sendAll(host, 'moody', 'm', 12, {});
  await eventually(() => assert.ok(logged(host, 'engine.paused').length >= 3), 120_000);
  const pauses = logged(host, 'engine.paused');
  assert.deepEqual(
    pauses.slice(0, 3).map((line) => line.pauses),
    [1, 2, 3],
    JSON.stringify(pauses),
  );
  const [first, second, third] = pauses.map((line) => line.until - Date.parse(line.time)) as [number, number, number];
  assert.ok(first < second && second < third, `pauses of ${first}, ${second} and ${third} ms grow`);
  const view = await circuitOf(host, 'pauses', 'moody');
  assert.ok(view.phase !== 'closed' && view.pauses >= 3, JSON.stringify(view));
  const refused = await host.api('POST', 'tenants/demo/engines/moody/run', {});
  assert.deepEqual([refused.body.Code, refused.body.ReasonCode], [0, 'ENGINE_PAUSED']);
  await send(host, 'calm', 'calm');
  await eventually(async () => assert.deepEqual(await column(database.url, EFFECTS), ['calm']), 60_000);

  server.status = 200;
  await eventually(() => assert.equal(logged(host, 'engine.resumed').length, 1), 60_000);
  await eventually(async () => {
    const done = (await column(database.url, EFFECTS)).length - 1;
    const dead = (await column(database.url, DEAD)).length;
    assert.equal(done + dead, 12);
    assert.ok(dead < 12, 'only the runs that killed are dead letters');
  }, 90_000);
  assert.equal((await circuitOf(host, 'pauses', 'moody')).phase, 'closed');
  await untilSettled(vhost);
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});
