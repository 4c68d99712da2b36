/** What other producers put into a queue: encodings, big numbers, hostile keys (report 25 of public ones). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { attemptsOf, consoleOf, deadOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const QUEUE = 'microi.demo.work';

const WORK = `/** @queue work */
console.log(JSON.stringify(V8.Param.Message.Message));
console.log(typeof {}.polluted + ' ' + Object.keys(V8.Param.Message).join());
return { Code: 1 };
`;

async function open(t: TestContext, scripts: Record<string, string>): Promise<TestHost> {
  const host = await TestHost.open(tempDir(t));
  t.after(() => host.close());
  await host.push(scripts);
  await host.host.start();
  return host;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** An envelope whose identity and Message are JSON text as it stands. */
const envelope = (eventId: string, message: string): string =>
  `{"EventId":${eventId},"OsClient":"demo","Message":${message}}`;

test('unreadable bodies are dead letters byte for byte, and what follows them runs (report 25)', async (t) => {
  const host = await open(t, { 'work.js': WORK });
  const bodies = {
    empty: new Uint8Array(0),
    'UTF-16 mark': new Uint8Array([0xff, 0xfe, 0x7b, 0x00]),
    random: new Uint8Array(randomBytes(16_384)),
    gzip: new Uint8Array(gzipSync(envelope('"e0"', '1'))),
    'invalid UTF-8': new Uint8Array([...bytes(envelope('"e0"', '"')), 0xc3, 0x28, ...bytes('"}')]),
    deep: bytes(envelope('"e0"', `${'['.repeat(10_000)}${']'.repeat(10_000)}`)),
    null: bytes('null'),
    list: bytes('[]'),
  };
  for (const body of Object.values(bodies)) await host.publishRaw({ queue: QUEUE, body, props: { headers: {} } });
  await host.publishRaw({ queue: QUEUE, body: bytes(envelope('"good"', '1')), props: { headers: {} } });
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'good'), ['1 done']));
  await eventually(async () => assert.equal((await deadOf(host)).length, Object.keys(bodies).length));
  const rows = await host.store.parked.list({ state: 'dead', limit: 20 });
  assert.ok(rows.every((row) => row.reason === 'invalid-envelope'));
  const hex = (body: Uint8Array) => Buffer.from(body).toString('hex');
  assert.deepEqual(rows.map((row) => hex(row.body)).sort(), Object.values(bodies).map(hex).sort());
});

test('a byte order mark is ignored, big numbers stay exact, and two ids that round alike are two events (report 25)', async (t) => {
  const host = await open(t, { 'work.js': WORK });
  const marked = new Uint8Array([0xef, 0xbb, 0xbf, ...bytes(envelope('"marked"', '{"a":1}'))]);
  await host.publishRaw({ queue: QUEUE, body: marked, props: { headers: {} } });
  for (const id of ['7615917337495251231', '7615917337495251232']) {
    await host.publishRaw({ queue: QUEUE, body: bytes(envelope(id, `{"id":${id}}`)), props: { headers: {} } });
  }
  await eventually(async () => {
    assert.deepEqual(
      await consoleOf(host, '7615917337495251232').then(([line]) => line),
      '{"id":"7615917337495251232"}',
    );
  });
  assert.deepEqual((await consoleOf(host, 'marked'))[0], '{"a":1}');
  assert.deepEqual((await consoleOf(host, '7615917337495251231'))[0], '{"id":"7615917337495251231"}');
  assert.deepEqual(await deadOf(host), []);
});

test('hostile keys change no prototype, in the script and in the host (report 25)', async (t) => {
  const host = await open(t, { 'work.js': WORK });
  const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}';
  const body = bytes(`{"EventId":"e1","OsClient":"demo","__proto__":{"polluted":1},"Message":${hostile}}`);
  await host.publishRaw({ queue: QUEUE, body, props: { headers: {} } });
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']));
  const [message, seen] = await consoleOf(host, 'e1');
  assert.equal(message, '{"constructor":{"prototype":{"polluted":1}},"a":1}');
  assert.match(seen ?? '', /^undefined EventId,Id,OsClient,TraceParent,TraceState,Message,CurrentUserId$/);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

test('text that a script sends on arrives exactly (report 25)', async (t) => {
  const hard = ['\u0000\u0001\u001f', '\u2028\u2029', '中文 émoji 🧪', '"\\/\b\f\n\r\t', '\ufeffmark', 'a\u0301'];
  const send = `return V8.MQ.SendMsg({ QueueName: 'work', EventId: 'e1', Message: ${JSON.stringify({ hard })} });`;
  const host = await open(t, { 'work.js': WORK, 'send.js': send });
  await host.host.services.run('demo', 'send', {});
  await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e1'), ['1 done']));
  assert.deepEqual(JSON.parse((await consoleOf(host, 'e1'))[0] ?? ''), { hard });
});
