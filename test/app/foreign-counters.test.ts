/** Headers of ours with what no host writes, on a database whose columns hold 32 bits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadOf, replayDead } from '../support/accounts.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually, TestHost } from '../support/test-host.ts';

const WORK = `/** @queue work */
return { Code: V8.Param.Message.Message.Fail ? 0 : 1 };
`;

const COUNTS = ['2147483647', '2147483648', '9007199254740991', '1e3', '-1', '0x10', '٣', ''];

test('counters that a producer made up neither block a message nor its replay', async (t) => {
  const { url } = await freshDatabase();
  const host = await TestHost.open(tempDir(t), { databaseUrl: url });
  t.after(() => host.close());
  await host.push({ 'work.js': WORK }, []);
  await host.host.start();
  const names: string[] = [];
  for (const header of ['x-v8-attempt', 'x-v8-cycle']) {
    for (const [index, count] of COUNTS.entries()) {
      for (const fails of [true, false]) {
        const name = `${header} ${index} ${fails ? 'fails' : 'works'}`;
        if (fails) names.push(name);
        const envelope = { EventId: name, OsClient: 'demo', Message: { Fail: fails } };
        const body = new TextEncoder().encode(JSON.stringify(envelope));
        await host.publishRaw({ queue: 'microi.demo.work', body, props: { headers: { [header]: count } } });
      }
    }
  }
  const dead = names.map((name) => `${name} 1 rejected`).sort();
  await eventually(async () => assert.deepEqual((await deadOf(host)).sort(), dead), 30_000);
  const first = names[0] ?? '';
  assert.equal(await replayDead(host, { eventId: first }), 1);
  await eventually(async () => assert.deepEqual((await deadOf(host)).sort(), dead), 30_000);
  assert.equal(
    (await host.store.findInbox({ queue: 'microi.demo.work', eventId: 'x-v8-cycle 2 works' }))?.status,
    'done',
  );
});
