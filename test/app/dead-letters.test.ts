/** What people do with dead letters, over the real embedded parts. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AppError } from '../../src/core/errors.ts';
import { deadOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

/** Fails until its message says that it is good. */
const WORK = `/**
 * @queue work
 */
if (!V8.Param.Message.Message.Good) return { Code: 0, Msg: 'no stock for ' + V8.Param.EventId };
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
return { Code: 1 };`;

async function open(t: TestContext) {
  const host = await TestHost.open(tempDir(t));
  t.after(() => host.close());
  await host.push({ 'work.js': WORK });
  await host.host.start();
  return host;
}

const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

async function deeds(host: TestHost, eventId: string): Promise<string[]> {
  const { attempts } = await host.host.services.story('demo', eventId);
  return attempts.map(({ verdict }) => verdict);
}

test('an edited dead letter runs once under its EventId, and its story tells of the edit', async (t) => {
  const host = await open(t);
  await host.send('work', 'e1', { Good: false });
  await eventually(async () => assert.equal((await deadOf(host)).length, 1));
  const change = { messageJson: '{"Good":true}' };
  const { services } = host.host;
  assert.equal(await services.editDeadLetter('demo', { eventId: 'e1', queue: 'work' }, change, 'en'), 'e1');
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1']));
  await eventually(async () => assert.deepEqual(await deeds(host, 'e1'), ['dead', 'edited', 'done']));
  const { parked } = await services.story('demo', 'e1');
  assert.deepEqual(
    parked.map(({ state }) => state),
    ['resolved'],
  );
  await assert.rejects(
    services.editDeadLetter('demo', { eventId: 'e1' }, change, 'en'),
    withCode('DEAD_LETTER_NOT_DEAD'),
  );
  await assert.rejects(services.editDeadLetter('demo', { eventId: 'none' }, change, 'en'), withCode('NOT_FOUND'));
});

test('a message whose EventId was used for another content gets one of its own', async (t) => {
  const host = await open(t);
  await host.send('work', 'e1', { Good: true });
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1']));
  await host.publishRaw({ queue: 'microi.demo.work', ...raw('e1', '{"Good":true,"Other":1}') });
  await eventually(async () => assert.deepEqual(await deadOf(host), ['e1 1 event-id-reused']));
  const { services } = host.host;
  const stays = await services.replayDeadLetters('demo', { eventId: 'e1' }, 'en');
  assert.deepEqual([stays.replayed.length, stays.refused[0]?.error.code], [0, 'DEAD_LETTER_ID_REUSED']);
  const same = { messageJson: '{"Good":true,"Other":1}' };
  await assert.rejects(
    services.editDeadLetter('demo', { eventId: 'e1' }, same, 'en'),
    withCode('DEAD_LETTER_ID_REUSED'),
  );
  await services.editDeadLetter('demo', { eventId: 'e1' }, { ...same, eventId: 'e2' }, 'en');
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1', 'e2']));
  assert.ok((await deeds(host, 'e1')).includes('edited'), 'the old id leads on');
});

test('an unreadable body is repaired by an edit', async (t) => {
  const host = await open(t);
  const body = new TextEncoder().encode('{"a":');
  await host.publishRaw({ queue: 'microi.demo.work', body, props: { headers: { traceparent: 'bad' } } });
  await eventually(async () => assert.equal((await deadOf(host)).length, 1));
  const [row] = (await host.host.services.deadLetters('demo', { state: 'dead', limit: 1 })).rows;
  const change = { messageJson: '{"Good":true}', eventId: 'mended' };
  await host.host.services.editDeadLetter('demo', { eventId: row?.eventId ?? '' }, change, 'en');
  await eventually(async () => assert.deepEqual(await host.effects(), ['mended']));
});

test('messages that failed for one cause are one group, are purged as one and do not come back', async (t) => {
  const host = await open(t);
  for (const eventId of ['A-1', 'A-2', 'A-3']) await host.send('work', eventId, { Good: false });
  await eventually(async () => assert.equal((await deadOf(host)).length, 3));
  const { services } = host.host;
  const [group, ...others] = await services.deadLetterGroups('demo', {});
  assert.deepEqual([group?.rows, others], [3, []]);
  assert.equal(await services.purgeDeadLetters('demo', { group: group?.group ?? '' }, 'en'), 3);
  assert.deepEqual(await deadOf(host), []);
  assert.deepEqual(await deeds(host, 'A-1'), ['dead', 'purged']);
  assert.deepEqual((await services.replayDeadLetters('demo', { all: true }, 'en')).replayed, []);
});

function raw(eventId: string, message: string) {
  const envelope = `{"EventId":"${eventId}","Id":"${eventId}","OsClient":"demo","Message":${message}}`;
  return { body: new TextEncoder().encode(envelope), props: { messageId: eventId, headers: {} } };
}

test('a change of many dead letters lets the host do its other work, and every story tells of it', async (t) => {
  const host = await open(t);
  const { store } = host;
  const rows = 1_000;
  const body = new TextEncoder().encode('{}');
  for (let n = 0; n < rows; n++) {
    await store.parked.park({
      ...{
        queue: 'microi.demo.gone',
        eventId: `m${n}`,
        messageHash: '',
        cycle: 1,
        attempt: 1,
        state: 'dead',
        delayMs: 0,
      },
      ...{ body, props: { headers: {} }, reason: 'rejected', error: 'no', engineKey: null, version: null },
    });
  }
  let turns = 0;
  const count = setInterval(() => turns++, 1);
  const removed = await host.host.services.purgeDeadLetters('demo', { all: true }, 'en');
  clearInterval(count);
  assert.equal(removed, rows);
  assert.ok(turns >= 5, `timers ran ${turns} times meanwhile`);
  for (const n of [0, rows - 1]) assert.deepEqual(await deeds(host, `m${n}`), ['purged']);
});

test('a blank EventId in an edit means the old one', async (t) => {
  const host = await open(t);
  await host.send('work', 'e1', { Good: false });
  await eventually(async () => assert.equal((await deadOf(host)).length, 1));
  const change = { messageJson: '{"Good":true}', eventId: ' ' };
  assert.equal(await host.host.services.editDeadLetter('demo', { eventId: 'e1' }, change, 'en'), 'e1');
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1']));
});
