/** Traces over several hosts: RabbitMQ carries them from one to the next. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { HostProcess } from '../support/host-process.ts';
import { OtlpCollector, type PostedSpan, treeOf } from '../support/otlp-collector.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { freshVhost } from '../support/services/fresh-vhost.ts';
import { column, logged, push, send, startHosts, tablesJson } from './engine-hosts.ts';

const SCRIPTS = {
  'tables.json': tablesJson({ effect: ['EventId'], onward: ['EventId'] }),
  'work.js': `/** @queue work */
var written = V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
if (written.Code !== 1) return written;
return V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: {} });
`,
  'onward.js': `/** @queue onward */
return V8.FormEngine.AddFormData('onward', { EventId: V8.Param.EventId });
`,
};

const MESSAGES = 4;

const WHOLE = [
  'POST /api/v1/tenants/:tenant/queues/:queue/messages',
  '  send microi.demo.work',
  '    process microi.demo.work',
  '      commit',
  '      run work',
  '        V8.FormEngine.AddFormData',
  '        V8.MQ.SendMsg',
  '          create microi.demo.onward',
  '            process microi.demo.onward',
  '              commit',
  '              run onward',
  '                V8.FormEngine.AddFormData',
  '            send microi.demo.onward',
];

test('each message is one trace over two hosts, and a collector that goes away keeps no message back', async (t) => {
  const [database, vhost, collector] = [await freshDatabase(), await freshVhost(), await OtlpCollector.listen(t)];
  const urls = { databaseUrl: database.url, queueUrl: vhost.url };
  const telemetry = { otlpUrl: collector.url, serviceName: 'factory' };
  const hosts = await startHosts(t, ['one', 'two'], urls, { telemetry });
  const [one, two] = hosts as [HostProcess, HostProcess];
  await push(one, SCRIPTS);
  await eventually(() => assert.match(two.output, /"consumer.attached".*microi.demo.onward/));

  for (let n = 0; n < MESSAGES; n += 1) await send(one, 'work', `e${n}`);
  const traces = await eventuallyWhole(collector);
  const shared = traces.filter((spans) => new Set(spans.map(({ instance }) => instance)).size === 2);
  assert.ok(shared.length > 0, 'RabbitMQ gives every second message to the other host');
  const spans = traces.flat();
  assert.deepEqual([...new Set(spans.map(({ service }) => service))], ['factory']);
  const delivery = spans.find(({ name }) => name === 'process microi.demo.work');
  assert.equal(delivery?.attributes['messaging.system'], 'rabbitmq');
  assert.equal(spans.find(({ name }) => name === 'commit')?.attributes['db.system.name'], 'mysql');

  collector.close();
  for (let n = 0; n < MESSAGES; n += 1) await send(two, 'work', `later${n}`);
  const done = async () =>
    assert.equal((await column(database.url, 'select EventId from onward')).length, 2 * MESSAGES);
  await eventually(done);
  await eventually(() => assert.equal(logged(two, 'traces.export_failed').length, 1));
  for (const host of hosts) assert.equal(await host.stop(), 0, host.output.slice(-3_000));
});

/** @returns the traces of all messages, each of which is whole. */
async function eventuallyWhole(collector: OtlpCollector): Promise<PostedSpan[][]> {
  let traces: PostedSpan[][] = [];
  await eventually(() => {
    const { spans } = collector;
    const roots = spans.filter(({ name }) => name === 'send microi.demo.work');
    assert.equal(roots.length, MESSAGES);
    for (const { traceId } of roots) assert.deepEqual(treeOf(spans, traceId), WHOLE);
    traces = roots.map(({ traceId }) => spans.filter((span) => span.traceId === traceId));
  });
  return traces;
}
