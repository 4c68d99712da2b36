/**
 * Distinctive strings go in wherever secrets and tenants' data go in; at the end they are looked for everywhere else:
 * in what the host logs at its most talkative, in the sandboxes, in another tenant's answers and file.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { childrenOf } from '../support/child-processes.ts';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import { OtlpCollector } from '../support/otlp-collector.ts';
import { outside, QUEUE_FILE } from '../support/outside.ts';
import { tempDir } from '../support/temp-dir.ts';

const CANARY = {
  payload: 'canary_payload_5f1d',
  source: 'canary_source_8a2c',
  console: 'canary_console_c93e',
  requestHeader: 'canary_request_header_17b4',
  requestBody: 'canary_request_body_e6d0',
  query: 'canary_query_42fa',
  responseHeader: 'canary_response_header_b80c',
  responseBody: 'canary_response_body_3e71',
  thrown: 'canary_thrown_90ab',
  stored: 'canary_stored_7cc2',
  broken: 'canary_broken_d415',
  /** Lent to the script by name: it must not even be in the tenant's own tables. */
  credential: 'canary_credential_6b90',
  cached: 'canary_cached_a2e8',
  collector: 'canary_collector_0f6a',
  /** The one that HostProcess uses. */
  token: 'test-token-0123456789abcdef',
} as const;

/** The tenant has none of them either. */
const HOST_ONLY: readonly string[] = [CANARY.token, CANARY.credential, CANARY.collector];

const TABLES = '[{"Name":"effect","Fields":[{"Name":"EventId","Type":"varchar(200)","Unique":true}]}]';

const script = (url: string) => `/** @queue work */
// ${CANARY.source}
console.error('${CANARY.console}', V8.Param.Message.Message);
var url = '${url}?key=${CANARY.query}';
var answer = V8.Http.PostResponse({
  Url: url, ParamType: 'json', PostParamString: '"${CANARY.requestBody}"',
  Headers: { authorization: 'Bearer ${CANARY.requestHeader}' },
});
V8.FormEngine.AddFormData('effect', { EventId: '${CANARY.stored}' });
V8.FormEngine.AddFormData('effect', { EventId: '${CANARY.stored}' });
V8.FormEngine.AddFormData('effect', { '${CANARY.stored}': 1 });
V8.FormEngine.GetFormData('effect', { _Where: [['${CANARY.stored}', 'nonsense', '${CANARY.stored}']] });
V8.Http.PostResponse({ Url: url, PostParam: { a: 1 }, Credentials: 'erp' });
V8.Http.PutResponse({ Url: url, FilesByteString: { '${CANARY.requestBody}': '${CANARY.requestBody}' }, Credentials: 'none' });
V8.Http.GetResponse({ Url: 'http://127.0.0.1:1/', Credentials: 'erp' });
V8.Http.GetResponse({ Url: url, Credentials: { UserName: 'u', Password: '${CANARY.requestHeader}' } });
V8.Cache.Set('secret', '${CANARY.cached}', 60);
V8.Cache.HashGet('secret', '${CANARY.cached}');
V8.Http.Post('http://user:${CANARY.query}@127.0.0.1:1/?key=${CANARY.query}', {});
if (V8.Param.Message.Message.Throw) throw new Error('${CANARY.thrown} ' + answer.Content);
return { Code: 1, Msg: answer.Content };
`;

/** Ends its sandbox so hard that the process has last words of its own. */
const CRASH = `/** @queue crash */
function ${CANARY.source}(text) { return text.charAt(0).repeat(2 ** 28).split(''); }
return ${CANARY.source}('${CANARY.payload}');
`;

/** What the server was shown as authorization. */
const seen: string[] = [];

async function startServer(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    seen.push(String(request.headers.authorization));
    response.setHeader('x-secret', CANARY.responseHeader);
    response.end(CANARY.responseBody);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function canariesIn(text: string | Buffer, allowed: readonly string[] = []): string[] {
  return Object.values(CANARY).filter((canary) => !allowed.includes(canary) && text.includes(canary));
}

/** Everything that runs below a process. */
function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** What can be asked of the host about another tenant, and with a wrong token. */
async function answersToOthers(host: HostProcess): Promise<string> {
  const asked = await Promise.all([
    host.api('GET', 'tenants/factory/events/e-good'),
    host.api('GET', 'tenants/factory/deliveries'),
    host.api('GET', 'tenants/factory/dead-letters'),
    host.api('POST', 'tenants/factory/engines/work/run', {}),
    host.api('POST', 'tenants/factory/queues/microi.demo.work/messages', { Message: 1 }),
    host.api('GET', 'tenants'),
  ]);
  const wrongToken = await fetch(`http://127.0.0.1:${host.port}/api/v1/tenants`, {
    headers: { authorization: 'Bearer wrong-token-0123456789' },
  });
  const open = await Promise.all(
    ['livez', 'readyz', 'metrics'].map((path) =>
      fetch(`http://127.0.0.1:${host.port}/${path}`, { headers: { authorization: `Bearer ${CANARY.token}` } }),
    ),
  );
  const texts = await Promise.all([wrongToken, ...open].map((response) => response.text()));
  return JSON.stringify([...asked, ...texts]);
}

test('secrets and tenant data show up in the tenant’s own tables and nowhere else', async (t) => {
  const server = await startServer(t);
  const collector = await OtlpCollector.listen(t);
  const config = {
    log: { level: 'debug', format: 'json' },
    outbound: {
      allow: [server],
      tenants: { demo: { credentials: { erp: { hosts: [server], bearer: CANARY.credential } } } },
    },
    sandbox: { rssMb: 2_000 },
    telemetry: { otlpUrl: collector.url, otlpHeaders: { 'x-token': CANARY.collector } },
    lang: 'en',
  };
  const host = await HostProcess.create(tempDir(t), config, { V8HOST_HTTP_TOKEN: CANARY.token });
  t.after(() => host.kill());
  await host.start();
  assert.equal((await host.api('POST', 'tenants', { tenant: 'factory' })).status, 201);
  await provoke(host, server);
  const answers = await answersToOthers(host);
  const lanes = descendantsOf(host.pid);
  assert.ok(lanes.length > 0);
  for (const pid of [host.pid, ...lanes]) {
    assert.deepEqual(canariesIn(readFileSync(`/proc/${pid}/cmdline`)), [], `command line of ${pid}`);
  }
  for (const pid of lanes)
    assert.deepEqual(canariesIn(readFileSync(`/proc/${pid}/environ`)), [], `environment of ${pid}`);
  assert.equal(await host.stop(), 0);

  assert.match(host.output, /"level":"debug"/, 'the log was at its most talkative');
  assert.match(host.output, /"event":"lane.stderr_seen"/, 'a sandbox had last words');
  assert.deepEqual(canariesIn(host.output), [], 'host log');
  assert.deepEqual(canariesIn(answers), [], 'answers to others');
  const traced = new Set(collector.spans.map(({ name }) => name));
  for (const name of [
    'run work',
    'run crash',
    'process microi.demo.work',
    'V8.Cache.Set',
    'V8.Http.PostResponse',
    'send',
  ])
    assert.ok(traced.has(name), `${name} is among ${[...traced].join(', ')}`);
  assert.deepEqual(canariesIn(collector.bodies.join('')), [], 'traces');
  assert.equal(collector.headers[0]?.['x-token'], CANARY.collector);
  assert.ok(seen.includes(`Bearer ${CANARY.credential}`), 'the credential did go out');
  const own = databaseOf(host, 'demo');
  for (const name of ['payload', 'source', 'console', 'thrown', 'stored', 'broken', 'responseBody'] as const) {
    assert.ok(own.includes(CANARY[name]), `${name} did get in, or this test looks for nothing`);
  }
  assert.deepEqual(
    canariesIn(
      own,
      Object.values(CANARY).filter((canary) => !HOST_ONLY.includes(canary)),
    ),
    [],
  );
  assert.deepEqual(canariesIn(databaseOf(host, 'factory')), [], "the other tenant's database");
  const queued = await outside(host.dataDir, QUEUE_FILE, 'select count(*) as N from queue_message');
  assert.equal(queued[0]?.N, 0, 'messages leave the queue');
});

/** Brings every canary in, over ways that succeed and ways that fail. */
async function provoke(host: HostProcess, server: string): Promise<void> {
  const files = [
    { path: 'work.js', text: script(`http://${server}/`) },
    { path: 'crash.js', text: CRASH },
    { path: 'tables.json', text: TABLES },
  ];
  const refused = await host.api('PUT', 'tenants/demo/engines', {
    files: [{ path: 'bad.js', text: `var a = '${CANARY.source}' ${CANARY.source};` }],
  });
  assert.equal(refused.status, 422);
  assert.equal((await host.api('PUT', 'tenants/demo/engines', { files })).body.Code, 1);
  await send(host, 'e-good', { Text: CANARY.payload });
  await send(host, 'e-crash', { Text: CANARY.payload }, 'crash');
  await send(host, 'e-bad', { Text: CANARY.payload, Throw: true });
  await send(host, 'e-good', { Text: `${CANARY.payload} another` });
  await host.api('POST', 'tenants/demo/engines/work/run', {
    Message: { Message: { Text: CANARY.payload, Throw: true } },
  });
  await host.api('POST', 'tenants/demo/queues/work/messages', { [CANARY.payload]: CANARY.payload });
  await host.api('POST', `tenants/demo/queues/${CANARY.payload}%20x/messages`, { Message: CANARY.payload });
  await outside(
    host.dataDir,
    QUEUE_FILE,
    `insert into queue_message (QueueName, Headers, EnqueuedAt, Body) values ('microi.demo.work', '{}', 0, ?)`,
    new TextEncoder().encode(`{"Message":"${CANARY.broken}"`),
  );
  await send(host, 'e-last', { Text: CANARY.payload });
  await eventually(async () => {
    const dead = await host.api('GET', 'tenants/demo/dead-letters');
    assert.equal(dead.body.DataCount, 4, JSON.stringify(dead.body));
    const story = await host.api('GET', 'tenants/demo/events/e-last');
    assert.equal(story.body.Data?.attempts.at(-1)?.verdict, 'done');
  });
}

async function send(host: HostProcess, eventId: string, message: unknown, queue = 'work'): Promise<void> {
  const answer = await host.api('POST', `tenants/demo/queues/${queue}/messages`, {
    EventId: eventId,
    Message: message,
  });
  assert.equal(answer.body.Code, 1, JSON.stringify(answer.body));
}

function databaseOf(host: HostProcess, tenant: string): Buffer {
  const folder = join(host.dataDir, 'tenants');
  const files = readdirSync(folder).filter((file) => file.startsWith(`${tenant}.db`));
  return Buffer.concat(files.map((file) => readFileSync(join(folder, file))));
}
