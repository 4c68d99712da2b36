/** Wrong input from every side: a clear message that names field and rule, nothing lost, the others go on. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { AppError } from '../../src/core/errors.ts';
import { MAX_SENT_MESSAGE_BYTES } from '../../src/core/run-limits.ts';
import { attemptsOf, deadOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { outside, QUEUE_FILE, tenantFile } from '../support/outside.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const WORK = `/** @queue work */
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`;
const SEND = 'return V8.MQ.SendMsg(V8.Param);';
const CALL = 'return V8.ApiEngine.Run(V8.Param.Key, {});';

type Answer = { Code: number; Msg: string; ReasonCode?: string; Data?: unknown };

describe('bad input', () => {
  const dataDir = tempDir({ after });
  const log = new RecordingLog();
  let host: TestHost;

  before(async () => {
    host = await TestHost.open(dataDir, { log });
    await host.push({ 'work.js': WORK, 'send.js': SEND, 'call.js': CALL, 'off.js': 'return { Code: 1 };' });
    await outside(dataDir, tenantFile('demo'), "update sys_apiengine set IsEnable = 0 where ApiEngineKey = 'off'");
    await host.host.start();
  });
  after(() => host.close());

  const run = async (engine: string, param: unknown) =>
    (await host.host.services.run('demo', engine, param as never)) as unknown as Answer;

  const refusals: readonly (readonly [what: string, param: unknown, code: string, message: RegExp])[] = [
    [
      'another tenant',
      { QueueName: 'work', Message: 1, OsClient: 'factory' },
      'TENANT_MISMATCH',
      /OsClient differs .* own tenant demo only/,
    ],
    [
      'a foreign queue',
      { QueueName: 'microi.factory.work', Message: 1 },
      'QUEUE_FOREIGN',
      /microi\.factory\.work belongs to another tenant/,
    ],
    [
      'a queue name that is none',
      { QueueName: 'no name', Message: 1 },
      'QUEUE_INVALID',
      /no name is invalid: it starts with a letter or digit/,
    ],
    [
      'a reserved queue',
      { QueueName: 'work.dlq', Message: 1 },
      'QUEUE_RESERVED',
      /work\.dlq ends in a reserved suffix/,
    ],
    ['no message', { QueueName: 'work' }, 'PARAM_MISSING', /Message is missing/],
    [
      'an EventId that is none',
      { QueueName: 'work', Message: 1, EventId: 'x'.repeat(129) },
      'EVENT_ID_INVALID',
      /at most 128 characters/,
    ],
    [
      'a message too large',
      { QueueName: 'work', Message: 'x'.repeat(MAX_SENT_MESSAGE_BYTES) },
      'MESSAGE_TOO_LARGE',
      /the limit is 4194304: split it/,
    ],
    [
      'a message of more values than a reader takes',
      { QueueName: 'work', Message: Array(600_000).fill(0) },
      'V8_TOO_MANY_VALUES',
      /arguments of MQ\.SendMsg\(\) have more than 500000 values: send portions/,
    ],
  ];
  for (const [what, param, code, message] of refusals) {
    it(`a script that sends ${what} is told ${code}, and nothing is sent`, async () => {
      const answer = await run('send', { ...(param as object), _Lang: 'en' });
      assert.deepEqual([answer.Code, answer.ReasonCode], [0, code], JSON.stringify(answer).slice(0, 300));
      assert.match(answer.Msg, message);
      const queued = await outside(dataDir, QUEUE_FILE, 'select count(*) as N from queue_message');
      assert.equal(queued[0]?.N, 0);
    });
  }

  it('a producer from outside is told the same, with the EventId to repeat', async () => {
    const message = { eventId: 'e-out', messageJson: '1' };
    const answer = await host.host.services.sendMessage('demo', 'microi.factory.work', message, 'en');
    assert.deepEqual([answer.Code, answer.ReasonCode, answer.Data], [0, 'QUEUE_FOREIGN', { EventId: 'e-out' }]);
    const unknown = host.host.services.sendMessage('nobody', 'work', message, 'en');
    await assert.rejects(unknown, /Tenant nobody does not exist: run v8host tenant add nobody first/);
  });

  it('an engine that does not exist or is disabled is named, called from inside and outside', async () => {
    for (const [key, code, advice] of [
      ['none', 'ENGINE_MISSING', /Engine none does not exist: check ApiEngineKey/],
      ['off', 'ENGINE_DISABLED', /Engine off is disabled: set IsEnable to 1/],
    ] as const) {
      const inside = await run('call', { Key: key, _Lang: 'en' });
      assert.deepEqual([inside.Code, inside.ReasonCode], [0, code]);
      assert.match(inside.Msg, advice);
      await assert.rejects(
        run(key, {}),
        (error: unknown) => error instanceof AppError && error.code === code && advice.test(error.message),
      );
    }
  });

  it('a push with a syntax error, a wrong tag and impossible binding values names each, and changes nothing', async () => {
    const file = (path: string, text: string) => ({ path, text });
    const files = [
      file('work.js', `${WORK}// changed\n`),
      file('syntax.js', 'var a = 1;\nvar b = ;\n'),
      file('tag.js', '/**\n * @qeue work\n */\n'),
      file('prefetch.js', '/**\n * @queue p\n * @prefetch 0\n */\n'),
      file('backoff.js', '/**\n * @queue b\n * @backoff exp:9s..1s\n */\n'),
      file('timeout.js', '/**\n * @queue t\n * @timeout 2h\n */\n'),
    ];
    const outcome = await host.host.services.push('demo', { files, prune: false, dryRun: false });
    assert.equal(outcome.ok, false);
    const named = outcome.ok ? [] : outcome.refusals.map(({ code, params }) => `${code} ${params.file}:${params.line}`);
    assert.deepEqual(named.sort(), [
      'HEADER_INVALID backoff.js:3',
      'HEADER_INVALID prefetch.js:3',
      'HEADER_INVALID tag.js:2',
      'HEADER_INVALID timeout.js:3',
      'SCRIPT_SYNTAX syntax.js:2',
    ]);
    assert.doesNotMatch((await host.store.engines.find('work'))?.source ?? '', /changed/);
  });

  it('a source broken by hand in the table fails its messages with file, line and column', async () => {
    await host.push({ 'broken.js': '/** @queue broken */\nreturn { Code: 1 };' });
    const statement =
      "update sys_apiengine set ApiV8Code = 'var a = 1;' || char(10) || 'return {' where ApiEngineKey = 'broken'";
    await outside(dataDir, tenantFile('demo'), statement);
    // The host believes what it read for five seconds.
    let sent = 0;
    const nextEvent = async () => {
      sent += 1;
      const eventId = `e-syntax-${sent}`;
      await host.send('broken', eventId, {});
      await eventually(async () => assert.equal((await attemptsOf(host, eventId)).length, 1));
      assert.deepEqual(await attemptsOf(host, eventId), ['1 dead SCRIPT_SYNTAX']);
    };
    await eventually(nextEvent);
    const [attempt] = (await host.store.journal.story(`e-syntax-${sent}`)).attempts;
    assert.match(attempt?.message ?? '', /broken\.js:\d+:\d+ syntax error:/);
  });

  const bindings: readonly (readonly [column: string, value: string | number, rule: RegExp])[] = [
    ['QueueName', 'microi.factory.work', /QueueName is invalid: .*belongs to another tenant/],
    ['QueueName', 'a b', /QueueName is invalid: .*starts with a letter or digit/],
    ['Type', 3, /Type is invalid: .*only 1 \(engine\) and 2/],
    ['ApiEngineKey', '../x', /ApiEngineKey is invalid: .*Engine key/],
    ['Count', 'many', /Count is invalid: .*whole number/],
    ['Prefetch', 1001, /Prefetch is invalid: .*from 1 to 1000/],
    ['TimeoutSeconds', 601, /TimeoutSeconds is invalid: .*from 1 to 600/],
    ['Inbox', 2, /Inbox is invalid: .*must be 1 or 0/],
    ['LegacyAck', 'yes', /LegacyAck is invalid: .*must be 1 or 0/],
    ['Backoff', 'exp:9s..1s', /Backoff is invalid: .*the base not above the cap/],
    ['QueueType', 'stream', /QueueType is invalid: .*must be classic or quorum/],
  ];
  it('binding rows with impossible values are refused one by one, each naming queue, column and rule', async () => {
    await eventually(() => assert.ok(host.host.reconciler.attached > 0));
    const attached = host.host.reconciler.attached;
    for (const [index, [column, value]] of bindings.entries()) {
      const row = { Id: `bad-${index}`, QueueName: `bad${index}`, Type: 1, ApiEngineKey: 'work', [column]: value };
      const names = Object.keys(row);
      const insert = `insert into diy_queue_receive (${names.join()}) values (${names.map(() => '?').join()})`;
      await outside(dataDir, tenantFile('demo'), insert, ...Object.values(row));
    }
    await host.host.reconciler.reconcile();
    const messages = log.of('binding.refused').map(({ fields }) => String(fields.message));
    assert.equal(messages.length, bindings.length);
    for (const [index, [, , rule]] of bindings.entries()) {
      assert.ok(
        messages.some((message) => rule.test(message)),
        `${rule} (row ${index}) in\n${messages.join('\n')}`,
      );
    }
    assert.equal(host.host.reconciler.attached, attached, 'the others stay attached');
    await outside(dataDir, tenantFile('demo'), "delete from diy_queue_receive where Id like 'bad-%'");
    await host.host.reconciler.reconcile();
  });

  const good = {
    EventId: 'e-field',
    Id: 'e-field',
    OsClient: 'demo',
    TraceParent: null,
    TraceState: null,
    Message: {},
    CurrentUserId: null,
  };
  const envelopes: readonly (readonly [
    what: string,
    change: object,
    rule: RegExp,
    props?: { messageId?: string; traceparent?: string },
  ])[] = [
    ['OsClient missing', { OsClient: null }, /\[2\] OsClient: .*the tenant is missing/],
    ['OsClient of another tenant', { OsClient: 'factory' }, /\[3\] OsClient: .*differs from the tenant of the queue/],
    ['OsClient no text', { OsClient: {} }, /\[0\] OsClient: .*must be a string or null/],
    ['no id at all', { EventId: ' ', Id: null }, /\[4\] EventId: .*both blank/],
    ['EventId too long', { EventId: 'x'.repeat(129), Id: null }, /\[4\] EventId: .*too long/],
    ['EventId with control characters', { EventId: 'a\nb', Id: null }, /\[4\] EventId: .*control characters/],
    ['EventId no text', { EventId: ['e'] }, /\[0\] EventId: .*must be a string or null/],
    ['Id another one', { Id: 'e-other' }, /\[5\] Id: .*differs from EventId/],
    ['message-id another one', {}, /\[6\] message-id: .*differs from EventId/, { messageId: 'e-other' }],
    ['TraceParent none', { TraceParent: 'zz' }, /\[7a\] TraceParent: .*is no W3C traceparent/],
    ['traceparent header another one', {}, /\[7b\] traceparent: .*differs from TraceParent/, { traceparent: 'x' }],
    ['TraceState no text', { TraceState: true }, /\[0\] TraceState: .*must be a string or null/],
    ['CurrentUserId no text', { CurrentUserId: [] }, /\[0\] CurrentUserId: .*must be a string or null/],
  ];
  it('an envelope with any field wrong is a dead letter that names check and field, and never runs', async () => {
    const before = (await deadOf(host)).length;
    for (const [, change, , props] of envelopes) {
      const { messageId, traceparent } = props ?? {};
      await host.publishRaw({
        queue: 'microi.demo.work',
        body: new TextEncoder().encode(JSON.stringify({ ...good, ...change })),
        props: { ...(messageId ? { messageId } : {}), headers: traceparent ? { traceparent } : {} },
      });
    }
    await eventually(async () => assert.equal((await deadOf(host)).length, before + envelopes.length));
    const rows = await host.store.parked.list({ state: 'dead', queue: 'microi.demo.work', limit: 100 });
    for (const [what, , rule] of envelopes)
      assert.ok(
        rows.some(({ error }) => rule.test(error)),
        what,
      );
    await host.publishRaw({
      queue: 'microi.demo.work',
      body: new TextEncoder().encode(JSON.stringify(good)),
      props: { headers: {} },
    });
    await eventually(async () => assert.deepEqual(await host.effects(), ['e-field'], 'the right one runs'));
  });

  it('a tenant whose file is no database is down alone, with the reason, and comes back when it is repaired', async () => {
    const file = join(dataDir, tenantFile('broken'));
    writeFileSync(
      file,
      'this is no database, and long enough to look like one to whoever does not look at it. '.repeat(20),
    );
    await outside(
      dataDir,
      tenantFile('demo'),
      "insert into sys_osclients (Id, OsClient, IsEnable, DbType) values ('b', 'broken', 1, 'Sqlite')",
    );
    await host.host.reconciler.reconcile();
    const status = (await host.host.services.listTenants()).find(({ tenant }) => tenant === 'broken');
    assert.equal(status?.state, 'unavailable');
    assert.match(status?.reason ?? '', /database is unavailable: file is not a database/);
    const send = () => host.send('work', 'e-broken', {}, 'broken');
    await assert.rejects(send, /database of tenant broken cannot be opened: .*file is not a database/);
    assert.equal(log.of('tenant.open_failed').length, 1);
    await host.send('work', 'e-alive', {});
    await eventually(async () => assert.ok((await host.effects()).includes('e-alive'), 'the others stay up'));
    writeFileSync(file, '');
    await host.host.reconciler.reconcile();
    await host.push({ 'work.js': WORK }, undefined, 'broken');
    await send();
    const repaired = host.adapters.directory.get('broken');
    await eventually(async () => assert.deepEqual(await attemptsOf(host, 'e-broken', repaired), ['1 done']));
  });
});
