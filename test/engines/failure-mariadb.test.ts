/** Rows 28 to 30 of docs/failure.md: MariaDB is killed, loses an answer, or is away. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { GateServer } from '../support/gate-server.ts';
import type { HostProcess } from '../support/host-process.ts';
import { type FreshDatabase, freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin, startMariaDb } from '../support/services/mariadb.ts';
import { TcpProxy } from '../support/services/tcp-proxy.ts';
import { column, logged, push, send, startHosts, tablesJson, troubleOf, untilSettled } from './engine-hosts.ts';

const TABLES = tablesJson({ effect: ['EventId'], onward: ['EventId'] });

const WORK = `/**
 * @queue work
 * @prefetch 3
 */
var written = V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
if (written.Code !== 1) return written;
return V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
`;

const ONWARD = `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });
`;

const FILES = { 'tables.json': TABLES, 'work.js': WORK, 'onward.js': ONWARD };

/** Stretches the moment of the commit: the statement before it, in the same packet, takes this long. */
function slowCommits(database: FreshDatabase, seconds: number): Promise<unknown> {
  return sqlAsAdmin(
    database.adminUrl,
    `create trigger ${database.name}.slow_commit before update on ${database.name}.mq_inbox
     for each row set NEW.Attempt = NEW.Attempt + sleep(${seconds})`,
  );
}

/** Waits until so many commits are under way. */
async function untilCommitting(database: FreshDatabase, count: number): Promise<void> {
  const select = "select id from information_schema.processlist where state = 'User sleep'";
  await eventually(async () => assert.ok((await sqlAsAdmin(database.adminUrl, select)).length >= count), 30_000);
}

/** What hosts said about commits that nobody answered. */
function unknownCommits(hosts: readonly HostProcess[]): number {
  return hosts.flatMap((host) => [...host.output.matchAll(/"DB_COMMIT_UNKNOWN/g)]).length;
}

function done(database: FreshDatabase): Promise<string[]> {
  return column(database.url, "select EventId from mq_inbox where Status = 'done' and QueueName like '%work'");
}

async function assertOnce(database: FreshDatabase, eventIds: readonly string[]): Promise<void> {
  const expected = [...eventIds].sort();
  const onward = expected.map((eventId) => `on-${eventId}`);
  await eventually(
    async () => assert.deepEqual(await column(database.url, 'select EventId from onward'), onward),
    60_000,
  );
  assert.deepEqual(await column(database.url, 'select EventId from effect'), expected);
  assert.deepEqual(await column(database.url, "select EventId from mq_inbox where Status <> 'done'"), []);
  assert.deepEqual(await column(database.url, 'select EventId from mq_parked'), []);
}

test('failure row 28: MariaDB is killed at commit, and an answer to a commit is lost; every event has one effect at the end', async (t) => {
  const server = await startMariaDb();
  t.after(() => server.kill());
  const [database, vhost] = [await freshDatabase({ adminUrl: server.url }), await freshVhost()];
  const proxy = await TcpProxy.open(server.url);
  t.after(() => proxy[Symbol.asyncDispose]());
  const hosts = await startHosts(t, ['one', 'two'], { databaseUrl: proxy.url(database.url), queueUrl: vhost.url });
  const [one, two] = hosts as [HostProcess, HostProcess];
  await push(one, FILES);
  await eventually(() => assert.match(two.output, /"consumer.attached".*microi.demo.onward/));
  await slowCommits(database, 0.6);
  const sent: string[] = [];
  const sendSome = async (count: number) => {
    for (let index = 0; index < count; index++) {
      const eventId = `e${100 + sent.length}`;
      sent.push(eventId);
      await send(index % 2 ? one : two, 'work', eventId);
    }
  };

  for (const _round of [1, 2]) {
    await sendSome(4);
    await untilCommitting(database, 2);
    await server.kill();
    await server.start();
  }
  const killed = unknownCommits(hosts);
  assert.ok(killed >= 2, `${killed} unknown commits in two rounds`);

  await sendSome(2);
  await untilCommitting(database, 1);
  proxy.pause('replies');
  const effects = async () => (await column(database.url, 'select EventId from effect')).length;
  const before = await effects();
  await eventually(async () => assert.ok((await effects()) > before, 'committed, and not answered'));
  proxy.cut();
  proxy.resume();
  await sqlAsAdmin(database.adminUrl, `drop trigger ${database.name}.slow_commit`);

  await eventually(async () => assert.equal((await done(database)).length, sent.length), 60_000);
  // The onward message of the commit that nobody answered is a row beside its effect, leased for 30 s; a start sends
  // what nobody holds.
  await sqlAsAdmin(
    database.adminUrl,
    `update ${database.name}.mq_outbox set ClaimUntil = ClaimUntil - interval 1 minute`,
  );
  await one.stop();
  await one.start();
  await assertOnce(database, sent);
  assert.ok(unknownCommits(hosts) > killed, hosts.map((host) => host.output.slice(-12_000)).join('\n====\n'));
  await untilSettled(vhost);
  for (const host of hosts) assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

test('failure row 29: a host freezes while its script holds a transaction; another one finishes the event, the late commit fails', async (t) => {
  const [database, vhost, gate] = [await freshDatabase(), await freshVhost(), await GateServer.listen(t)];
  const config = { outbound: { allow: [`127.0.0.1:${gate.port}`] } };
  const hosts = await startHosts(t, ['one', 'two'], { databaseUrl: database.url, queueUrl: vhost.url }, config);
  const [one, two] = hosts as [HostProcess, HostProcess];
  const stop = `V8.Http.Post({ Url: 'http://127.0.0.1:${gate.port}/', PostParam: {} });\n`;
  await push(one, { ...FILES, 'work.js': WORK.replace('if (written', `${stop}if (written`) });
  await eventually(() => assert.match(two.output, /"consumer.attached".*microi.demo.onward/));
  await send(one, 'work', 'e1');
  await eventually(() => assert.equal(gate.requests, 1));
  const busy = await Promise.all(hosts.map(async (host) => (await host.health()).lanes.busy));
  const [frozen, other] = busy[0] === 1 ? [one, two] : [two, one];

  const frozenAt = Date.now();
  process.kill(frozen.pid, 'SIGSTOP');
  t.after(() => frozen.isRunning && process.kill(frozen.pid, 'SIGCONT'));
  gate.open();
  // The broker gives the message to another host when it misses the frozen one; a producer that repeats is faster.
  const copies = setInterval(() => void send(other, 'work', 'e1').catch(() => undefined), 1_000);
  t.after(() => clearInterval(copies));
  const effect = async () => assert.deepEqual(await column(database.url, 'select EventId from effect'), ['e1']);
  await eventually(effect);
  const fencedMs = Date.now() - frozenAt;
  clearInterval(copies);
  assert.ok(fencedMs > 10_000, `fenced after ${fencedMs} ms`);

  process.kill(frozen.pid, 'SIGCONT');
  await untilSettled(vhost);
  const late = logged(frozen, 'delivery.settled').find(
    ({ eventId, durationMs }) => eventId === 'e1' && durationMs > 10_000,
  );
  assert.equal(late?.act, 'duplicate', 'its run was not committed: the inbox told it what had happened meanwhile');
  await assertOnce(database, ['e1']);
  for (const host of hosts) assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

/** A host whose second tenant has its database and its broker account elsewhere. */
async function withTenant(t: TestContext) {
  const [main, own, mainVhost, ownVhost] = [
    await freshDatabase(),
    await freshDatabase(),
    await freshVhost(),
    await freshVhost(),
  ];
  const proxy = await TcpProxy.open(own.url);
  t.after(() => proxy[Symbol.asyncDispose]());
  const [host] = (await startHosts(t, ['one'], { databaseUrl: main.url, queueUrl: mainVhost.url })) as [HostProcess];
  const added = await host.api('POST', 'tenants', { tenant: 'acme', databaseUrl: proxy.url(own.url) });
  assert.equal(added.body.Code, 1, JSON.stringify(added.body));
  const { user, password, vhost } = ownVhost;
  await sqlAsAdmin(
    main.url,
    `update sys_osclients set MQUserName = '${user}', MQPassword = '${password}', MQVitrualHost = '${vhost}'
     where OsClient = 'acme'`,
  );
  for (const tenant of ['demo', 'acme']) await push(host, FILES, tenant);
  return { host, main, own, proxy };
}

test("failure row 30: one tenant's database is away; the others work, and its messages go on when it is back", async (t) => {
  const { host, main, own, proxy } = await withTenant(t);
  await send(host, 'work', 'a1', {}, 'acme');
  await eventually(async () => assert.deepEqual(await column(own.url, 'select EventId from onward'), ['on-a1']));

  await proxy.refuse();
  for (const eventId of ['a2', 'a3']) await send(host, 'work', eventId, {}, 'acme');
  await send(host, 'work', 'd1');
  await eventually(async () => assert.deepEqual(await column(main.url, 'select EventId from onward'), ['on-d1']));
  await eventually(() => assert.equal(logged(host, 'consumer.paused')[0]?.tenantId, 'acme'), 30_000);
  const [deferred] = logged(host, 'delivery.deferred');
  assert.match(troubleOf(deferred), /DB_(UNAVAILABLE|UNREACHABLE)/);
  await send(host, 'work', 'd2');
  await eventually(async () =>
    assert.deepEqual(await column(main.url, 'select EventId from onward'), ['on-d1', 'on-d2']),
  );

  await sleep(500);
  await proxy.listen();
  await assertOnce(own, ['a1', 'a2', 'a3']);
  assert.equal(logged(host, 'consumer.resumed')[0]?.tenantId, 'acme');
  await assertOnce(main, ['d1', 'd2']);
  assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});
