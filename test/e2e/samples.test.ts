/** Every sample of scripts-sample, run by the real host as its demo. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';

/** Longer than the retries of a sample take, on a busy machine too. */
const RETRIES_MS = 60_000;

let directory: string;
let host: HostProcess;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'v8host-samples-'));
  host = await HostProcess.create(directory, { demo: true });
  await host.start();
});
after(async () => {
  await host.kill();
  rmSync(directory, { recursive: true, force: true });
});

describe('the chain of the demo', () => {
  it('takes an order from intake to the ERP once, however often it is sent', async () => {
    const order = JSON.stringify({ OrderId: 'A-1', Sku: 'P-1', Qty: 2 });
    for (const _time of [1, 2, 3]) assert.equal((await host.cli('run', 'order-intake', '--param', order)).code, 0);
    await eventually(() => assert.deepEqual(erpCalls('erp-A-1'), [{ OrderId: 'A-1', StatusCode: 200 }]), RETRIES_MS);
    await eventually(() => assert.deepEqual(verdicts('order-A-1'), ['done', 'duplicate', 'duplicate']));
    assert.deepEqual([...verdicts('reserved-A-1'), ...verdicts('erp-A-1')], ['done', 'done']);
    assert.equal(await stockOf('P-1'), 98);
    assert.deepEqual(host.sql('demo', 'SELECT OrderId, State FROM shop_order').map(plain), [
      { OrderId: 'A-1', State: 'confirmed' },
    ]);
  });

  it('is told step by step, each leading on to the next', async () => {
    const next = async (eventId: string) =>
      / npx v8host trace (\S+)$/m.exec((await host.cli('trace', eventId)).out)?.[1];
    assert.equal(await next('order-A-1'), 'reserved-A-1');
    assert.equal(await next('reserved-A-1'), 'erp-A-1');
    assert.equal(await next('erp-A-1'), undefined);
  });

  it('writes down an order for more than there is, and takes nothing', async () => {
    await host.cli('run', 'order-intake', '--param', '{"OrderId":"A-2","Sku":"P-2","Qty":51}');
    await eventually(() => assert.deepEqual(verdicts('order-A-2'), ['done']));
    assert.equal(await stockOf('P-2'), 50);
    const [order] = host.sql('demo', "SELECT State FROM shop_order WHERE OrderId = 'A-2'");
    assert.equal(order?.State, 'rejected');
  });
});

describe('stock-show', () => {
  it('refuses what it cannot look up', async () => {
    const unknown = await host.cli('run', 'stock-show', '--param', '{"Sku":"P-9"}');
    assert.deepEqual([unknown.code, unknown.out], [1, '']);
    assert.match(unknown.err, /\(Code 2\)/);
    assert.match((await host.cli('run', 'stock-show')).err, /Sku is missing \(Code 0\)/);
  });
});

describe('flaky-twice', () => {
  it('fails twice, then succeeds', async () => {
    await host.cli('send', 'demo.flaky', '{"OrderId":"F-1"}', '--event-id', 'flaky-1');
    await eventually(() => assert.deepEqual(verdicts('flaky-1'), ['retry', 'retry', 'done']), RETRIES_MS);
    assert.deepEqual(erpCalls('flaky-1'), [{ OrderId: 'F-1', StatusCode: 200 }]);
    const { out } = await host.cli('trace', 'flaky-1');
    assert.match(out, /attempt 1 {2}retry .*\n {6}SCRIPT_REFUSED: .*not available yet: 503/);
    assert.match(out, /attempt 3 {2}done/);
  });
});

describe('always-fails', () => {
  it('is dead after two attempts, with the lines of the script', async () => {
    await host.cli('send', 'demo.broken', '{"Amount":"12,5"}', '--event-id', 'broken-1');
    await eventually(() => assert.deepEqual(verdicts('broken-1'), ['retry', 'dead']), RETRIES_MS);
    const story = (await host.cli('trace', 'broken-1')).out;
    assert.match(story, /^ {8}at readAmount \(always-fails\.js:14:9\)\n {8}at always-fails\.js:17:16$/m);
    assert.match(story, /cycle 1 {2}attempt 2 {2}dead {2}budget-exhausted$/m);
    const list = await host.cli('dead-letters', 'list', '--queue', 'demo.broken');
    assert.match(list.out, /broken-1 {2}2 .*cannot be read: \{"Amount":"12,5"\}/);
    assert.equal(list.out.split('\n').length, 3, 'a head, one line, the end');
  });

  it('runs again when it is replayed, in a new cycle', async () => {
    const { code, err } = await host.cli('dead-letters', 'replay', 'broken-1');
    assert.deepEqual([code, err], [0, 'Replayed: 1\n']);
    await eventually(
      () => assert.deepEqual(verdicts('broken-1'), ['retry', 'dead', 'replayed', 'retry', 'dead']),
      RETRIES_MS,
    );
    assert.match((await host.cli('trace', 'broken-1')).out, /cycle 2 {2}attempt 2 {2}dead/);
  });
});

/** What happened to an event, in its order: how each run ended, and what people did between them. */
function verdicts(eventId: string): unknown[] {
  const rows = host.sql('demo', 'SELECT Verdict FROM mq_attempt WHERE EventId = ? ORDER BY StartedAt, RunId', eventId);
  return rows.map(({ Verdict }) => Verdict);
}

function erpCalls(eventId: string): object[] {
  return host.sql('demo', 'SELECT OrderId, StatusCode FROM erp_call WHERE EventId = ?', eventId).map(plain);
}

/** The driver's rows have no prototype, which deepEqual would mind. */
function plain(row: object): object {
  return { ...row };
}

async function stockOf(sku: string): Promise<unknown> {
  const { out } = await host.cli('run', 'stock-show', '--param', JSON.stringify({ Sku: sku }));
  return (JSON.parse(out) as { Stock: number }).Stock;
}
