/** Row 27 of docs/failure.md: copies of one event at the same moment, over several hosts. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { column, push, send, startHosts, tablesJson, untilSettled } from './engine-hosts.ts';

const COPIES = 50;

const scripts = (port: number) => ({
  'tables.json': tablesJson({ effect: ['EventId'], onward: ['EventId'] }),
  'work.js': `/**
 * @queue work
 * @prefetch 20
 */
V8.Http.Post({ Url: 'http://127.0.0.1:${port}/', PostParam: {} });
var written = V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
if (written.Code !== 1) return written;
return V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
`,
  'onward.js': `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });
`,
});

/** Answers slowly, so that the other copies come while the first one runs, and counts. */
class SlowServer {
  readonly #server: Server;
  requests = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (_, response) => {
      this.requests += 1;
      setTimeout(() => response.end('{}'), 1_500);
    });
  }

  static async listen(t: TestContext): Promise<SlowServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    return new SlowServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }
}

test('failure row 27: 50 copies of an event at once over two hosts; one effect, one onward message, also when a host is killed meanwhile', async (t) => {
  const [database, vhost, server] = [await freshDatabase(), await freshVhost(), await SlowServer.listen(t)];
  const urls = { databaseUrl: database.url, queueUrl: vhost.url };
  const hosts = await startHosts(t, ['one', 'two'], urls, { outbound: { allow: [`127.0.0.1:${server.port}`] } });
  const [one, two] = hosts as [HostProcess, HostProcess];
  await push(one, scripts(server.port));
  await eventually(() => assert.match(two.output, /"consumer.attached".*microi.demo.onward/));

  await Promise.all(Array.from({ length: COPIES }, (_, copy) => send(copy % 2 ? one : two, 'work', 'e1')));
  await eventually(async () => assert.deepEqual(await column(database.url, 'select EventId from onward'), ['on-e1']));
  await untilQuiet(database.url, 'e1', COPIES);
  assert.equal(server.requests, 1, 'no copy got as far as the request');
  assert.deepEqual(await runsOf(database.url, 'e1'), ['done']);

  server.requests = 0;
  await Promise.all(Array.from({ length: COPIES }, () => send(two, 'work', 'e2')));
  await eventually(() => assert.ok(server.requests > 0));
  await one.kill();
  const onward = "select EventId from onward where EventId = 'on-e2'";
  await eventually(async () => assert.deepEqual(await column(database.url, onward), ['on-e2']), 30_000);
  await untilSettled(vhost);
  const runs = await runsOf(database.url, 'e2');
  assert.ok(server.requests <= runs.length + 1, `${server.requests} requests of ${runs.length} runs and one kill`);

  const inbox = "select concat(EventId, ' ', Status) from mq_inbox";
  assert.deepEqual(await column(database.url, inbox), ['e1 done', 'e2 done', 'on-e1 done', 'on-e2 done']);
  assert.deepEqual(await column(database.url, 'select EventId from effect'), ['e1', 'e2']);
  assert.deepEqual(await column(database.url, 'select EventId from onward'), ['on-e1', 'on-e2']);
  assert.deepEqual(await column(database.url, 'select EventId from mq_parked'), [], 'no copy is a dead letter');
  assert.equal(await two.stop(), 0, two.output.slice(-3_000));
});

/** Verdicts of the attempts that ran. */
function runsOf(url: string, eventId: string): Promise<string[]> {
  return column(url, `select Verdict from mq_attempt where EventId = '${eventId}' and Verdict <> 'duplicate'`);
}

/** Every copy has its attempt row: one that ran, the others duplicates. */
async function untilQuiet(url: string, eventId: string, copies: number): Promise<void> {
  await eventually(async () => {
    const rows = await column(url, `select RunId from mq_attempt where EventId = '${eventId}'`);
    assert.equal(rows.length, copies);
  }, 30_000);
}
