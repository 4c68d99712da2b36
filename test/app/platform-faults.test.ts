/** Faults of the original platform's queues that no other test shows closed (docs/platform-faults.md). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadOf } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { RecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';

const WORK = `/**
 * @queue work
 */
console.log('seen', V8.Param.EventId);
return V8.FormEngine.AddFormData('effect', { EventId: V8.Param.EventId });
`;

test('a log that takes no rows holds up no message', async (t) => {
  const dataDir = tempDir(t);
  const log = new RecordingLog();
  const host = await TestHost.open(dataDir, { log });
  t.after(() => host.close());
  await host.push({ 'work.js': WORK });
  for (const table of ['diy_queue_receive_log', 'sys_log']) {
    const refuse = `create trigger no_${table} before insert on ${table} begin select raise(abort, 'no'); end`;
    await outside(dataDir, tenantFile('demo'), refuse);
  }
  await host.host.start();
  for (const eventId of ['e1', 'e2', 'e3']) await host.send('work', eventId, {});
  await eventually(async () => assert.deepEqual(await host.effects(), ['e1', 'e2', 'e3']));
  await eventually(async () => {
    assert.deepEqual(await host.adapters.queue.depth('demo', 'microi.demo.work'), { ready: 0, unsettled: 0 });
  });
  assert.deepEqual(await deadOf(host), []);
  await eventually(() => assert.ok(log.of('journal.flush_failed').length > 0, 'the operator is told'));
});
