/** Traces: one for everything that follows from a message or a request, exported over OTLP. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { OtlpCollector, type PostedSpan, treeOf } from '../support/otlp-collector.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost, type TestHostOptions } from '../support/test-host.ts';
import { openTestTracer, type TestTracer } from '../support/test-tracer.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = `00-${TRACE}-b7ad6b7169203331-01`;

/** A host that exports its traces. */
async function startTraced(
  t: TestContext,
  url: string,
  { sampleRatio = 1, ...options }: TestHostOptions & { readonly sampleRatio?: number } = {},
): Promise<TestTracer & { readonly host: TestHost }> {
  const { log = SILENT_LOG } = options;
  const traced = openTestTracer(t, url, { sampleRatio, log });
  const host = await TestHost.open(tempDir(t), { ...options, decorate: traced.decorate });
  t.after(() => host.close());
  return { ...traced, host };
}

const SCRIPTS = (port: number) => ({
  'order.js': `/** @queue order */
var added = V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
if (added.Code !== 1) return added;
V8.Http.Post({ Url: 'http://127.0.0.1:${port}/hook?key=1', PostParam: {} });
V8.ApiEngine.Run('price', {});
return V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
`,
  'price.js': `V8.Db.FromSql('select count(*) as n from effect where Note = @p').AddInParameter('p', 'secret').ToArray();
return { Code: 1 };
`,
  'onward.js': `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });
`,
});

/** A server that keeps the headers of what comes. */
async function listen(t: TestContext): Promise<{ port: number; seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, seen };
}

function find(spans: readonly PostedSpan[], name: string): PostedSpan {
  const found = spans.filter((span) => span.name === name);
  assert.equal(found.length, 1, `spans ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found[0] as PostedSpan;
}

test('one trace from the sending of a message to the last effect of what it caused', async (t) => {
  const collector = await OtlpCollector.listen(t);
  const server = await listen(t);
  const allow = [{ host: '127.0.0.1', port: server.port }];
  const { host } = await startTraced(t, collector.url, { allow });
  await host.push(SCRIPTS(server.port));
  await host.host.start();
  await host.send('order', 'e1', { secret: 1 });
  await eventually(async () => assert.deepEqual(await host.effects('onward'), ['on-e1']));
  const spans = await collector.until(['process microi.demo.onward', 'send microi.demo.onward']);

  const root = find(spans, 'send microi.demo.order');
  assert.deepEqual(treeOf(spans, root.traceId), [
    'send microi.demo.order',
    '  process microi.demo.order',
    '    commit',
    '    run order',
    '      V8.ApiEngine.Run',
    '        run price',
    '          V8.Db.FromSql',
    '      V8.FormEngine.AddFormData',
    '      V8.Http.Post',
    '      V8.MQ.SendMsg',
    '        create microi.demo.onward',
    '          process microi.demo.onward',
    '            commit',
    '            run onward',
    '              V8.FormEngine.AddFormData',
    '          send microi.demo.onward',
  ]);
  assert.equal(spans.length, 16, 'nothing beside it');

  const http = find(spans, 'V8.Http.Post');
  assert.equal(
    server.seen[0]?.traceparent,
    `00-${root.traceId}-${http.spanId}-01`,
    'the request goes on from its call',
  );
  assert.deepEqual(http.attributes, {
    'v8host.tenant': 'demo',
    'http.request.method': 'POST',
    'server.address': `127.0.0.1:${server.port}`,
  });
  assert.deepEqual(find(spans, 'process microi.demo.order').attributes, {
    'messaging.system': 'v8host',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': 'microi.demo.order',
    'messaging.message.id': 'e1',
    'messaging.message.body.size': spans[0]?.attributes['messaging.message.body.size'],
    'v8host.tenant': 'demo',
    'v8host.engine': 'order',
    'v8host.attempt': 1,
    'v8host.redelivered': false,
    'v8host.outcome': 'done',
  });
  assert.deepEqual(find(spans, 'V8.Db.FromSql').attributes, {
    'v8host.tenant': 'demo',
    'v8host.code': 1,
    'db.system.name': 'sqlite',
    'db.operation.name': 'FromSql',
    'db.collection.name': 'effect',
  });
  assert.deepEqual([...new Set(collector.paths)], ['/v1/traces']);
  assert.equal(collector.headers[0]?.authorization, 'Bearer of-the-collector');
  assert.ok(!collector.bodies.join().includes('secret'), 'neither messages nor parameters are told');
});

test('messages that share a transaction have traces of their own, each with the commit', async (t) => {
  const collector = await OtlpCollector.listen(t);
  const { host } = await startTraced(t, collector.url);
  const quick = "/** @queue quick */ return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });";
  await host.push({ 'quick.js': quick });
  const wanted = Array.from({ length: 80 }, (_, n) => `q${String(n).padStart(2, '0')}`);
  for (const eventId of wanted) await host.send('quick', eventId, {});
  await host.host.start();
  await eventually(async () => assert.deepEqual(await host.effects(), wanted));
  const spans = await collector.until(['process microi.demo.quick', 'commit'], wanted.length);
  const roots = spans.filter(({ name }) => name === 'send microi.demo.quick');
  assert.equal(roots.length, wanted.length);
  for (const { traceId } of roots) {
    assert.deepEqual(treeOf(spans, traceId), [
      'send microi.demo.quick',
      '  process microi.demo.quick',
      '    commit',
      '    run quick',
      '      V8.FormEngine.AddFormData',
    ]);
  }
});

test('a run that fails says so in its trace, and its next attempt stands in the same one', async (t) => {
  const collector = await OtlpCollector.listen(t);
  const { host } = await startTraced(t, collector.url);
  const script = `/**
 * @queue flaky
 * @retry 3
 * @backoff fixed:100ms
 */
if (V8.Cache.Get('tried') !== 'yes') { V8.Cache.Set('tried', 'yes', 60); throw new Error('private words'); }
return { Code: 1 };
`;
  await host.push({ 'flaky.js': script });
  await host.host.start();
  await host.send('flaky', 'f1', {});
  const spans = await collector.until(['process microi.demo.flaky'], 2);
  const [first, second] = spans.filter(({ name }) => name === 'process microi.demo.flaky');
  assert.equal(first?.traceId, second?.traceId);
  const facts = (span: PostedSpan | undefined) => [
    span?.attributes['v8host.attempt'],
    span?.attributes['v8host.outcome'],
    span?.attributes['error.type'],
  ];
  assert.deepEqual(facts(first), [1, 'retry', 'SCRIPT_THREW']);
  assert.deepEqual(facts(second), [2, 'done', undefined]);
  assert.ok(!collector.bodies.join().includes('private words'), 'what a script throws is its own');
});

test('a trace that somebody else began goes on, with its state and by its decision', async (t) => {
  const collector = await OtlpCollector.listen(t);
  const { host } = await startTraced(t, collector.url);
  await host.push(SCRIPTS(1));
  await host.host.start();
  const send = (eventId: string, traceParent: string) =>
    host.host.services.sendMessage(
      'demo',
      'onward',
      { eventId, messageJson: '1', trace: { traceParent, traceState: 'vendor=1' } },
      'en',
    );
  await send('unsampled', CALLER.replace(/01$/, '00'));
  await send('sampled', CALLER);
  await eventually(async () => assert.deepEqual(await host.effects('onward'), ['sampled', 'unsampled']));
  const spans = await collector.until(['process microi.demo.onward']);
  assert.deepEqual([...new Set(spans.map(({ traceId }) => traceId))], [TRACE]);
  assert.equal(find(spans, 'send microi.demo.onward').parent, 'b7ad6b7169203331');
  assert.deepEqual([...new Set(spans.map(({ traceState }) => traceState))], ['vendor=1']);
  assert.ok(!collector.bodies.join().includes('unsampled'), 'its caller keeps no trace of it');
});

test('with a ratio of 0 nothing is exported, whoever asks for it', async (t) => {
  const collector = await OtlpCollector.listen(t);
  const { host, sent, tracer } = await startTraced(t, collector.url, { sampleRatio: 0 });
  await host.push(SCRIPTS(1));
  await host.host.start();
  await host.send('onward', 'e1', {});
  const trace = { traceParent: CALLER, traceState: null };
  await host.host.services.sendMessage('demo', 'onward', { eventId: 'e2', messageJson: '1', trace }, 'en');
  await eventually(async () => assert.deepEqual(await host.effects('onward'), ['e1', 'e2']));
  await tracer.close();
  assert.deepEqual([collector.bodies, sent], [[], {}]);
});

test('with a ratio of a quarter about a quarter of the traces is exported, each whole', async (t) => {
  const collector = await OtlpCollector.listen(t);
  const { host } = await startTraced(t, collector.url, { sampleRatio: 0.25 });
  await host.push(SCRIPTS(1));
  await host.host.start();
  const wanted = Array.from({ length: 200 }, (_, n) => `e${String(n).padStart(3, '0')}`);
  for (const eventId of wanted) await host.send('onward', eventId, {});
  await eventually(async () => assert.deepEqual(await host.effects('onward'), wanted));
  await eventually(() => {
    const { spans } = collector;
    const traces = new Set(spans.map(({ traceId }) => traceId));
    // The odds of fewer or more are below one in a billion.
    assert.ok(traces.size >= 14 && traces.size <= 92, `${traces.size} of 200`);
    for (const traceId of traces) assert.equal(treeOf(spans, traceId).length, 5);
  });
});

test('a collector that is away, or never answers, keeps nothing back and fills no memory', async (t) => {
  const collector = await OtlpCollector.listen(t);
  collector.mode = 'hang';
  const log = new RecordingLog();
  const { host, sent, tracer } = await startTraced(t, collector.url, { log });
  await host.push(SCRIPTS(1));
  await host.host.start();
  await eventually(() => {
    tracer.start('filler', { kind: 'internal' }).end();
    assert.ok(collector.paths.length > 0, 'a post is under way');
  });
  for (let n = 0; n < 20_000; n += 1) tracer.start('filler', { kind: 'internal' }).end();
  // 4,096 wait, and those of the post under way; the rest is gone.
  assert.ok((sent.dropped ?? 0) >= 20_000 - 4_096 - 512, JSON.stringify(sent));
  await host.send('onward', 'e1', {});
  await eventually(async () => assert.deepEqual(await host.effects('onward'), ['e1']));
  const begun = performance.now();
  await tracer.close();
  assert.ok(performance.now() - begun < 10_000, 'an end is not held up');
});

test('a collector that refuses is told of once, and once more when it takes spans again', async (t) => {
  const collector = await OtlpCollector.listen(t);
  collector.mode = 'refuse';
  const log = new RecordingLog();
  const { sent, tracer } = await startTraced(t, collector.url, { log });
  const post = async (outcome: string, count: number): Promise<void> => {
    tracer.start('one', { kind: 'internal' }).end();
    await eventually(() => assert.equal(sent[outcome], count));
  };
  await post('failed', 1);
  await post('failed', 2);
  collector.mode = 'take';
  await post('exported', 1);
  await post('exported', 2);
  const told = log.lines.filter(({ event }) => event.startsWith('traces.'));
  assert.deepEqual(
    told.map(({ event }) => event),
    ['traces.export_failed', 'traces.export_resumed'],
  );
  assert.ok(!JSON.stringify(told).includes('of-the-collector'));
});

test('a host that exports nothing carries traces on all the same', async (t) => {
  const server = await listen(t);
  const host = await TestHost.open(tempDir(t), { allow: [{ host: '127.0.0.1', port: server.port }] });
  t.after(() => host.close());
  await host.push(SCRIPTS(server.port));
  await host.host.start();
  const trace = { traceParent: CALLER, traceState: 'vendor=1' };
  await host.host.services.sendMessage('demo', 'order', { eventId: 'e1', messageJson: '1', trace }, 'en');
  await eventually(async () => assert.deepEqual(await host.effects('onward'), ['on-e1']));
  assert.match(String(server.seen[0]?.traceparent), new RegExp(`^00-${TRACE}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
  assert.equal(server.seen[0]?.tracestate, 'vendor=1');
});
