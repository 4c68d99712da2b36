/** Several contents under one EventId: whatever the order of failures, each content ends done or dead, none is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadOf, replayDead } from '../support/accounts.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, TestHost } from '../support/test-host.ts';

const script = (inbox: 'on' | 'off') => `/**
 * @queue work
 * @retry 1
 * @backoff fixed:50ms
 * @inbox ${inbox}
 */
if (V8.Param.Message.Message.Fail) throw new Error('content ' + V8.Param.Message.Message.Name);
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId, Note: V8.Param.Message.Message.Name });
`;

async function open(t: Parameters<typeof tempDir>[0], inbox: 'on' | 'off'): Promise<TestHost> {
  const host = await TestHost.open(tempDir(t));
  t.after(() => host.close());
  await host.push({ 'work.js': script(inbox) });
  await host.host.start();
  return host;
}

/** Names of the contents in the dead letters, sorted. */
async function deadContents(host: TestHost): Promise<string[]> {
  const rows = await host.store.parked.list({ state: 'dead', limit: 100 });
  const names = rows.map(({ body }) => JSON.parse(new TextDecoder().decode(body)) as { Message: { Name: string } });
  return names.map(({ Message }) => Message.Name).sort();
}

for (const inbox of ['on', 'off'] as const) {
  test(`contents that fail one after the other are all dead letters (inbox ${inbox})`, async (t) => {
    const host = await open(t, inbox);
    const names: string[] = [];
    for (const name of ['A', 'B', 'C']) {
      await host.send('work', 'e1', { Fail: true, Name: name });
      names.push(name);
      await eventually(async () => assert.deepEqual(await deadContents(host), names));
    }
  });

  test(`contents that fail side by side are all dead letters (inbox ${inbox})`, async (t) => {
    const host = await open(t, inbox);
    await Promise.all(['A', 'B', 'C'].map((name) => host.send('work', 'e1', { Fail: true, Name: name })));
    await eventually(async () => assert.deepEqual(await deadContents(host), ['A', 'B', 'C']));
    assert.deepEqual(await host.store.parked.list({ state: 'waiting', limit: 10 }), []);
  });
}

test('a dead letter stays dead, and says why, when another content of its EventId succeeded', async (t) => {
  const host = await open(t, 'on');
  await host.send('work', 'e1', { Fail: true, Name: 'A' });
  await eventually(async () => assert.deepEqual(await deadContents(host), ['A']));
  await host.send('work', 'e1', { Name: 'B' });
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1']));
  assert.equal(await replayDead(host, { eventId: 'e1' }), 0);
  assert.deepEqual(await deadOf(host), ['e1 2 event-id-reused']);
  assert.deepEqual(await deadContents(host), ['A']);
});

test('two sends of the same content are one event, although their trace differs', async (t) => {
  const host = await open(t, 'on');
  await Promise.all([1, 2].map(() => host.send('work', 'e1', { Fail: true, Name: 'A' })));
  await eventually(async () => assert.deepEqual(await deadContents(host), ['A']));
  await eventually(async () =>
    assert.equal((await host.adapters.queue.depth('demo', 'microi.demo.work')).unsettled, 0),
  );
  assert.deepEqual(await deadContents(host), ['A']);
});
