/** One EventId tells the whole story, in one answer of the API and on one page of the command line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storyLines } from '../../src/cli/story-text.ts';
import type { EventStory } from '../../src/ports/journal.ts';
import { deadOf } from '../support/accounts.ts';
import { openApi } from '../support/api-host.ts';
import { eventually } from '../support/eventually.ts';

const BROKEN = `/**
 * @queue work
 * @retry 1
 * @backoff fixed:100ms
 */
V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
V8.MQ.SendMsg({ QueueName: 'onward', EventId: 'on-' + V8.Param.EventId, Message: { of: V8.Param.EventId } });
console.log('step of', V8.Param.EventId);
return { Code: 0, Msg: 'not yet' };
`;
const MENDED = BROKEN.replace('Code: 0', 'Code: 1');
const ONWARD = '/** @queue onward */\nreturn { Code: 1 };';

test('publish, attempts, host calls, dead letter, replay, commit and onward messages are one story', async (t) => {
  const api = await openApi(t);
  const { host } = api;
  const story = (eventId: string) => api.data<EventStory>('GET', `tenants/demo/events/${eventId}`);
  await host.push({ 'work.js': BROKEN });
  await host.host.start();
  await api.data('POST', 'tenants/demo/queues/work/messages', { EventId: 'e1', Message: { n: 1 } });
  await eventually(async () => assert.equal((await deadOf(host)).length, 1));
  const { status } = await api.ask('GET', 'tenants/demo/events/on-e1');
  assert.equal(status, 404, 'a run that was rolled back has sent nothing, and no log says so');
  const dead = await story('e1');
  assert.deepEqual(
    dead.parked.map(({ state, reason }) => [state, reason]),
    [['dead', 'budget-exhausted']],
  );

  await host.push({ 'work.js': MENDED, 'onward.js': ONWARD });
  await api.data('POST', 'tenants/demo/dead-letters/replay', { eventId: 'e1' });
  // Runs are written down after their commit.
  await eventually(async () => {
    assert.equal((await story('on-e1')).receiveLog.length, 2);
    assert.equal((await story('e1')).receiveLog.length, 4);
    assert.equal((await story('e1')).attempts.length, 4);
  });
  const whole = await story('e1');
  assert.deepEqual(
    whole.attempts.map(({ attempt, verdict, reason }) => `${attempt} ${verdict} ${reason}`.trim()),
    ['1 retry SCRIPT_REFUSED', '2 dead SCRIPT_REFUSED', '2 replayed', '1 done'],
  );
  for (const { engineKey, hostCalls, startedAt, endedAt } of whole.attempts) {
    assert.ok(startedAt > 0 && endedAt >= startedAt);
    if (engineKey === '') continue;
    assert.deepEqual(
      hostCalls.map(({ name, target, code }) => [name, target, code]),
      [
        ['FormEngine.AddFormData', 'effect', 1],
        ['MQ.SendMsg', 'onward on-e1', 1],
      ],
    );
    assert.ok(hostCalls.every(({ durationMs }) => durationMs >= 0));
  }
  assert.deepEqual([whole.inbox[0]?.status, whole.outbox], ['done', []]);
  assert.match(String(whole.inbox[0]?.doneAt), /^\d{4}-\d\d-\d\d /);
  assert.deepEqual(
    whole.parked.map(({ state, cycle }) => [state, cycle]),
    [['resolved', 2]],
  );
  const logged = ({ receiveLog }: EventStory) => receiveLog.map(({ type, status, message }) => [type, status, message]);
  const received = (outcome: string) => ['接收', outcome, '{"n":1}'];
  const sent = ['发送', '成功', '{"n":1}'];
  assert.deepEqual(logged(whole), [sent, received('失败'), received('失败'), received('成功')]);
  assert.equal(whole.sysLog.filter(({ content }) => content === 'step of e1').length, 3);
  const onward = ['发送', '接收'].map((type) => [type, '成功', '{"of":"e1"}']);
  assert.deepEqual(logged(await story('on-e1')).sort(), onward.sort(), 'it was sent once, by the run that committed');

  const time = { zone: 'UTC', text: (ms: number) => new Date(ms).toISOString() };
  const page = storyLines(whole, { lang: 'en', time, options: '' }).join('\n');
  for (const part of [
    /Inbox\n {2}microi\.demo\.work {2}done/,
    /attempt 1 {2}retry .*ms\n {6}SCRIPT_REFUSED: The script returned Code 0: not yet/,
    /MQ\.SendMsg +onward on-e1 +Code 1 +[\d.]+ ms/,
    /replayed +\d+ ms\n {6}Somebody replayed this dead letter/,
    /sent on to onward: npx v8host trace on-e1/,
    /cycle 2 .*resolved/,
    /sent +microi\.demo\.work +ok/,
    /step of e1/,
  ]) {
    assert.match(page, part);
  }
});
