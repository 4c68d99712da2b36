import assert from 'node:assert/strict';
import type { TestHost } from './test-host.ts';

/** Tries the engine `work` of TRIAL_SCRIPTS: the report names every effect, and nothing of it is there afterwards. */
export async function assertTrialOfWork(host: TestHost): Promise<void> {
  const request = { queue: 'work', eventId: 't1', messageJson: '{}', allowHttp: false };
  const before = await host.rows('stock');
  const report = await host.host.services.tryMessage('demo', request, 'en');
  assert.deepEqual([report.would, report.reason], ['acknowledge', '']);
  assert.deepEqual(report.result, { Code: 1, Data: { seen: 1 } });
  const [effect, stock] = [...(report.tables ?? [])].sort((a, b) => (a.table < b.table ? -1 : 1));
  assert.deepEqual(
    effect?.inserted.map((row) => row.EventId),
    ['t1'],
  );
  assert.deepEqual(stock?.updated.map(({ before: old, after }) => [old.Sku, old.Qty, after.Qty]).sort(), [
    ['P-1', 1, 7],
    ['P-2', 2, 3],
  ]);
  assert.ok(stock?.updated.every(({ changed }) => changed.includes('Qty')));
  assert.deepEqual(
    stock?.deleted.map((row) => row.Sku),
    ['P-3'],
  );
  assert.deepEqual([effect?.complete, stock?.complete], [true, true]);
  const [message] = report.messages;
  assert.deepEqual([report.messages.length, message?.queue, message?.eventId], [1, 'microi.demo.onward', 'on-t1']);
  assert.deepEqual(
    report.cacheWrites.map(({ operation }) => operation),
    ['set'],
  );
  assert.deepEqual(
    report.logs.map(({ text }) => text),
    ['cache says yes'],
  );
  assert.ok(report.hostCalls.length >= 7);
  assert.deepEqual(await host.rows('stock'), before);
  assert.deepEqual(await host.effects(), []);
  const story = await host.host.services.story('demo', 't1');
  assert.deepEqual([story.inbox, story.attempts, story.sysLog, story.outbox], [[], [], [], []]);
}
