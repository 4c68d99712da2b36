/** Trials: what a message would do, with nothing of it done. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { AppError } from '../../src/core/errors.ts';
import { deadOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost, type TestHostOptions } from '../support/test-host.ts';
import { assertTrialOfWork } from '../support/trial-check.ts';
import { TRIAL_SCRIPTS, TRIAL_TABLES } from '../support/trial-scripts.ts';

async function open(t: TestContext, options: TestHostOptions = {}) {
  const host = await TestHost.open(tempDir(t), options);
  t.after(() => host.close());
  await host.push(TRIAL_SCRIPTS, TRIAL_TABLES);
  await host.host.start();
  return host;
}

test('a trial of a sample message shows every effect and leaves none', async (t) => {
  await assertTrialOfWork(await open(t));
});

test('a dead letter is tried as it is and with another content, then replayed for real', async (t) => {
  const host = await open(t);
  const { services } = host.host;
  await host.send('work', 'e1', { Bad: true });
  await eventually(async () => assert.deepEqual(await deadOf(host), ['e1 1 rejected']));
  const bad = await services.tryMessage('demo', { eventId: 'e1', allowHttp: false }, 'en');
  assert.deepEqual([bad.would, bad.reasonCode], ['dead', 'SCRIPT_REFUSED']);
  assert.match(bad.reason, /bad e1/);
  const messageJson = '{"Bad":false}';
  const good = await services.tryMessage('demo', { eventId: 'e1', messageJson, allowHttp: false }, 'en');
  assert.equal(good.would, 'acknowledge');
  assert.deepEqual(await deadOf(host), ['e1 1 rejected'], 'trials change nothing');
  await services.editDeadLetter('demo', { eventId: 'e1' }, { messageJson }, 'en');
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1', 'on-e1']));
  const done = await services.tryMessage('demo', { eventId: 'e1', allowHttp: false }, 'en');
  assert.equal(done.would, 'already-done');
});

test('an earlier delivery is tried again from what was received', async (t) => {
  const host = await open(t);
  await host.send('work', 'e1', {});
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1', 'on-e1']));
  const report = await host.host.services.tryMessage('demo', { eventId: 'e1', queue: 'work', allowHttp: false }, 'en');
  assert.equal(report.would, 'already-done');
  assert.deepEqual(report.result, { Code: 1, Data: { seen: 3 } });
  await assert.rejects(
    host.host.services.tryMessage('demo', { eventId: 'nobody', allowHttp: false }, 'en'),
    (error) => error instanceof AppError && error.code === 'NOT_FOUND',
  );
});

test('requests are refused unless allowed, and then have a key of their own', async (t) => {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    response.end('hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const host = await open(t, { allow: [{ host: '127.0.0.1', port }] });
  const messageJson = JSON.stringify({ Url: `http://127.0.0.1:${port}/x?secret=1` });
  const { services } = host.host;
  const refused = await services.tryMessage('demo', { queue: 'work', messageJson, allowHttp: false }, 'en');
  const url = `http://127.0.0.1:${port}/x`;
  assert.deepEqual(refused.requests, [{ method: 'GET', url, status: null, refused: true }]);
  assert.deepEqual(keys, []);
  const sent = await services.tryMessage('demo', { queue: 'work', messageJson, allowHttp: true }, 'en');
  assert.deepEqual(sent.requests, [{ method: 'GET', url, status: 200, refused: false }]);
  await host.send('work', sent.eventId, JSON.parse(messageJson));
  await eventually(async () => assert.equal(keys.length, 2));
  assert.notEqual(keys[0], keys[1]);
});

test('a trial that runs out of time ends as a delivery would, and leaves nothing', async (t) => {
  const host = await open(t, { limits: { wallMs: 500 } });
  const loop = "/**\n * @queue loop\n */\nV8.FormEngine.AddFormData('effect', { EventId: 'x' }); for (;;) {}";
  await host.push({ 'loop.js': loop }, TRIAL_TABLES);
  const report = await host.host.services.tryMessage(
    'demo',
    { queue: 'loop', messageJson: '1', allowHttp: false },
    'en',
  );
  assert.deepEqual([report.would, report.tables], ['dead', undefined]);
  assert.match(report.reasonCode, /^V8_/);
  assert.deepEqual(await host.effects(), []);
});

test('a row that was there is updated, not inserted; a table that outgrows the comparison is said to be shown in part', async (t) => {
  const host = await open(t);
  const rows = Array.from({ length: 1_998 }, (_, n) => ({ Name: `n${n}` }));
  await host.push(
    {
      'add-or-update.js': `var row = { Id: 'r-1', Name: 'after' };
if (V8.FormEngine.AddFormData('one', row).Code !== 1) V8.FormEngine.UptFormData('one', row);
return { Code: 1 };`,
      'grow.js': `for (var i = 0; i < 10; i++) V8.Db.FromSql("insert into many (Id, Name) values ('x" + i + "', 'x')").ExecuteNonQuery();
return { Code: 1 };`,
    },
    [
      { Name: 'one', Fields: [{ Name: 'Name', Type: 'varchar(20)' }], Rows: [{ Id: 'r-1', Name: 'before' }] },
      { Name: 'many', Fields: [{ Name: 'Name', Type: 'varchar(20)' }], Rows: rows },
    ],
  );
  const tried = (engineKey: string) =>
    host.host.services.tryMessage('demo', { engineKey, messageJson: '{}', allowHttp: false }, 'en');
  const [one] = (await tried('add-or-update')).tables ?? [];
  assert.deepEqual([one?.inserted.length, one?.updated.map(({ changed }) => changed.includes('Name'))], [0, [true]]);
  const [many] = (await tried('grow')).tables ?? [];
  assert.deepEqual([many?.complete, many?.deleted.length, many?.updated.length], [false, 0, 0]);
  await assert.rejects(
    host.host.services.tryMessage('demo', { messageJson: '{}', allowHttp: false }, 'en'),
    (error) => error instanceof AppError && error.code === 'REQUEST_INVALID',
  );
});

test('a draft is held to the time that it asks for itself', async (t) => {
  const host = await open(t);
  const source = '/**\n * @queue work\n * @timeout 1s\n */\nreturn { Code: 1, Data: V8.Limits.TimeoutSeconds };';
  const request = { messageJson: '{}', queue: 'work', engineKey: 'work', source, allowHttp: false };
  const report = await host.host.services.tryMessage('demo', request, 'en');
  assert.deepEqual(report.result, { Code: 1, Data: 1 });
});
