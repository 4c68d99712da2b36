/** The tenant's log as it grows, over real sockets. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { StreamTimes } from '../../src/admin/log-stream-route.ts';
import { LogFollower } from '../../src/app/log-follower.ts';
import { ulidAt } from '../../src/core/ulid-time.ts';
import { type ApiHost, HOST_TOKEN, openApi } from '../support/api-host.ts';
import { EventStream } from '../support/event-stream.ts';
import { eventually } from '../support/eventually.ts';

async function listening(t: TestContext, streamTimes?: StreamTimes): Promise<{ api: ApiHost; url: string }> {
  const api = await openApi(t, streamTimes === undefined ? {} : { server: { streamTimes } });
  await api.host.host.start();
  return { api, url: await api.server.listen({ port: 0, host: '127.0.0.1' }) };
}

async function follow(
  t: TestContext,
  url: string,
  path: string,
  token = HOST_TOKEN,
  headers = {},
): Promise<EventStream> {
  const stream = await EventStream.open(`${url}/api/v1/${path}`, { authorization: `Bearer ${token}`, ...headers });
  assert.ok(stream instanceof EventStream, stream instanceof Response ? await stream.text() : '');
  t.after(() => stream.close());
  return stream;
}

const write = async ({ host }: ApiHost, text: string, tenant = 'demo', title = 'a') => {
  const store = host.adapters.directory.get(tenant);
  store?.journal.sysLog({ type: 'console', title, content: text, level: 1, eventId: '', runId: '' });
  await store?.journal.flush();
};
const texts = ({ events }: EventStream) =>
  events.filter(({ event }) => event === 'log').map(({ data }) => data.content);

test('shows the latest lines, then each new one once, and goes on after a break where it was', async (t) => {
  const { api, url } = await listening(t);
  for (const text of ['old 1', 'old 2', 'old 3']) await write(api, text);
  const stream = await follow(t, url, 'tenants/demo/logs/stream?limit=2');
  await eventually(() => assert.deepEqual(texts(stream), ['old 2', 'old 3']));
  await write(api, 'line\nbreak 中文');
  await write(api, 'other', 'demo', 'b');
  await eventually(() => assert.deepEqual(texts(stream), ['old 2', 'old 3', 'line\nbreak 中文', 'other']));
  stream.close();
  const last = stream.events.at(-2)?.id ?? '';
  await write(api, 'missed');
  const again = await follow(t, url, 'tenants/demo/logs/stream', HOST_TOKEN, { 'last-event-id': last });
  await eventually(() => assert.deepEqual(texts(again), ['other', 'missed']));
  const one = await follow(t, url, 'tenants/demo/logs/stream?engine=B&limit=10');
  await eventually(() => assert.deepEqual(texts(one), ['other']));
  assert.ok(one.comments > 0);
});

test('never shows lines of another tenant, and a foreign token opens nothing', async (t) => {
  const { api, url } = await listening(t);
  await api.data('POST', 'tenants', { tenant: 'factory' });
  const own = await follow(t, url, 'tenants/demo/logs/stream?limit=0');
  const theirs = await follow(t, url, 'tenants/FACTORY/logs/stream?limit=0');
  await write(api, 'of demo');
  await write(api, 'of factory', 'factory');
  await eventually(() => assert.deepEqual([texts(own), texts(theirs)], [['of demo'], ['of factory']]));
  const token = await api.login('admin', 'factory');
  const refused = await EventStream.open(`${url}/api/v1/tenants/demo/logs/stream`, {
    authorization: `Bearer ${token}`,
  });
  assert.ok(refused instanceof Response && refused.status === 403);
  const viewer = await api.login('viewer');
  const blind = await EventStream.open(`${url}/api/v1/tenants/demo/logs/stream`, { authorization: `Bearer ${viewer}` });
  assert.ok(blind instanceof Response && blind.status === 403);
});

test('ends with the login, saying why, and shows nothing of what comes after', async (t) => {
  const { api, url } = await listening(t);
  const token = await api.login('developer');
  const stream = await follow(t, url, 'tenants/demo/logs/stream?limit=0', token);
  await write(api, 'before');
  await eventually(() => assert.deepEqual(texts(stream), ['before']));
  await api.data('DELETE', 'session', undefined, token);
  await write(api, 'after');
  await eventually(() => assert.ok(stream.isEnded));
  assert.deepEqual(texts(stream), ['before']);
  const { event, data } = stream.events.at(-1) ?? { event: '', data: { ReasonCode: '' } };
  assert.deepEqual([event, data.ReasonCode], ['end', 'SESSION_ENDED']);
});

test('is bounded for each caller, frees its place, and ends with the host', async (t) => {
  const { api, url } = await listening(t);
  const address = `${url}/api/v1/tenants/demo/logs/stream?limit=0`;
  const headers = { authorization: `Bearer ${HOST_TOKEN}` };
  const streams = await Promise.all(
    Array.from({ length: 20 }, () => follow(t, url, 'tenants/demo/logs/stream?limit=0')),
  );
  const refused = await EventStream.open(address, headers);
  assert.ok(refused instanceof Response && refused.status === 429);
  assert.equal(((await refused.json()) as { ReasonCode: string }).ReasonCode, 'LOG_STREAMS_FULL');
  const other = await follow(t, url, 'tenants/demo/logs/stream?limit=0', await api.login('operator'));
  streams[0]?.close();
  await eventually(async () => {
    const next = await EventStream.open(address, headers);
    assert.ok(next instanceof EventStream);
    streams.push(next);
  });
  await api.server.close();
  await eventually(() => assert.ok(other.isEnded));
  assert.equal(other.events.at(-1)?.data.ReasonCode, 'DRAINING');
});

test('a client that leaves before the first look is over keeps no place', async (t) => {
  const { api, url } = await listening(t);
  const journal = api.host.adapters.directory.get('demo')?.journal;
  assert.ok(journal);
  const [logs, gate] = [journal.logs.bind(journal), Promise.withResolvers<void>()];
  let asked = 0;
  t.mock.method(journal, 'logs', async (filter: Parameters<typeof logs>[0]) => {
    asked++;
    await gate.promise;
    return logs(filter);
  });
  let left = 0;
  api.server.server.on('connection', (socket) => socket.once('close', () => void left++));
  const head = `GET /api/v1/tenants/demo/logs/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${HOST_TOKEN}\r\n\r\n`;
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(head));
    return socket;
  });
  await eventually(() => assert.equal(asked, 20));
  for (const socket of sockets) socket.destroy();
  await eventually(() => assert.equal(left, 20));
  gate.resolve();
  const stream = await follow(t, url, 'tenants/demo/logs/stream?limit=0');
  await write(api, 'seen');
  await eventually(() => assert.deepEqual(texts(stream), ['seen']));
});

test('what is no id of a line is refused, naming the parameter, and never followed from somewhere', async (t) => {
  const { api } = await listening(t);
  await write(api, 'seen');
  const known = await api.data<{ id: string }[]>('GET', 'tenants/demo/logs');
  const id = known[0]?.id ?? '';
  for (const after of ['zzz', '0', '-', id.toLowerCase(), `${id}0`, `8${id.slice(1)}`, 'ILOU'.padEnd(26, '0')]) {
    for (const path of ['logs/stream', 'logs']) {
      const { status, body } = await api.ask('GET', `tenants/demo/${path}?after=${after}`);
      assert.equal(status, 400, `${path}?after=${after}`);
      assert.equal(body.ReasonCode, 'REQUEST_INVALID');
      assert.match(String(body.Msg), /query\.after.*the id of a line/);
    }
  }
  const guid = '0f8fad5b-d9cb-469f-a165-70867728950e';
  for (const after of [id, guid]) assert.equal((await api.ask('GET', `tenants/demo/logs?after=${after}`)).status, 200);
});

test('a stream that nothing happens on says that it lives', async (t) => {
  const { api, url } = await listening(t, { lookMs: 20, beatMs: 200, stuckMs: 60_000 });
  const stream = await follow(t, url, 'tenants/demo/logs/stream?limit=0');
  await eventually(() => assert.ok(stream.comments >= 4, 'the first comment and three beats'));
  assert.equal(stream.events.length, 0);
  await write(api, 'still there');
  await eventually(() => assert.deepEqual(texts(stream), ['still there']));
});

test('a client that never reads costs a socket its buffer and no more, and is given up', async (t) => {
  const { api, url } = await listening(t, { lookMs: 20, beatMs: 15_000, stuckMs: 1_500 });
  let held = 0;
  let looks = 0;
  const journal = api.host.adapters.directory.get('demo')?.journal;
  assert.ok(journal);
  const logs = journal.logs.bind(journal);
  t.mock.method(journal, 'logs', (filter: Parameters<typeof logs>[0]) => {
    looks += 1;
    return logs(filter);
  });
  const watches: NodeJS.Timeout[] = [];
  t.after(() => watches.forEach(clearInterval));
  const given = Promise.withResolvers<void>();
  api.server.server.on('connection', (socket) => {
    watches.push(setInterval(() => (held = Math.max(held, socket.writableLength)), 5));
    socket.once('close', () => given.resolve());
  });
  const head = `GET /api/v1/tenants/demo/logs/stream?limit=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${HOST_TOKEN}\r\n\r\n`;
  const client = connect(Number(new URL(url).port), '127.0.0.1', () => client.write(head)).pause();
  t.after(() => client.destroy());
  client.on('error', () => {});
  await eventually(() => assert.ok(looks > 1, 'the stream has begun'));
  const line = 'x'.repeat(50_000);
  const store = api.host.adapters.directory.get('demo');
  // Some megabytes are the kernel's.
  for (let batch = 0; batch < 6; batch++) {
    for (let n = 0; n < 100; n++)
      store?.journal.sysLog({ type: 'console', title: 'a', content: line, level: 1, eventId: '', runId: '' });
    await store?.journal.flush();
  }
  await given.promise;
  assert.ok(held > 0, 'it did stand in the way of a line');
  assert.ok(held < 1_000_000, `${held} bytes of 30 million waited for it`);
  const before = looks;
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(looks, before, 'nobody looks for it any more');
});

test('a look back finds lines that another host wrote late, and no line twice', async () => {
  const rows: string[] = [];
  const id = (ms: number, end = '') => `${ulidAt(1_800_000_000_000 + ms).slice(0, 26 - end.length)}${end}`;
  const journal = {
    logs: async ({ after, limit }: { after?: string; limit: number }) => {
      const sorted = [...rows].sort();
      const found = after === undefined ? sorted.slice(-limit) : sorted.filter((each) => each > after).slice(0, limit);
      return found.map((each) => ({
        id: each,
        time: '',
        type: '',
        title: '',
        content: '',
        level: 1,
        eventId: '',
        runId: '',
      }));
    },
  };
  const follower = new LogFollower({ journal, limit: 10 });
  const look = async () => (await follower.look()).map((line) => line.id);
  assert.deepEqual(await look(), []);
  rows.push(id(5_000));
  assert.deepEqual(await look(), [id(5_000)]);
  rows.push(id(4_000), id(6_000));
  assert.deepEqual(await look(), [id(4_000), id(6_000)], 'one came late');
  assert.deepEqual(await look(), []);
  const many = Array.from({ length: 1_200 }, (_, at) => id(6_001 + at));
  rows.push(...many);
  const seen: string[] = [];
  for (let looks = 0; looks < 6; looks++) seen.push(...(await look()));
  assert.deepEqual(seen, many);
});
