/** Scripts as people write them for queues and jobs (patterns 4 to 8), on the real host and on both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { DATABASES, openOutside, openPatternHost, run, scriptFiles, tableOf } from './pattern-host.ts';

const STOCK = tableOf('stock', ['Sku', 'LastEvent', 'LastUser'], ['Qty'], [{ Id: 's1', Sku: 'P-1', Qty: 10 }]);
const ORDER = tableOf('erp_order', ['ErpState', 'ErpNo', 'ErpAt'], [], [{ Id: 'o-1' }, { Id: 'o-2' }, { Id: 'o-3' }]);
const JOB_ROWS = tableOf(
  'job_row',
  ['State', 'RunBy'],
  [],
  ['a', 'b', 'c', 'd', 'e'].map((Id) => ({ Id, State: 'new' })),
);

for (const [name, urlOf] of DATABASES) {
  describe(`patterns of messages and jobs on ${name}`, () => {
    it('producer: a repeated click sends the same message; consumer: the payload is below the envelope', async (t) => {
      const host = await openPatternHost(t, urlOf, scriptFiles('stock-producer', 'stock-consumer'), [STOCK]);
      await host.host.start();
      assert.deepEqual(await run(host, 'stock-producer', {}), { Code: 0, Msg: 'OrderId is missing' });
      const order = { OrderId: 'A-1', Sku: 'P-1', Qty: 3 };
      for (const _ of ['click', 'another click']) {
        assert.deepEqual(await run(host, 'stock-producer', order), { Code: 1, Data: 'order-A-1' });
      }
      await eventually(async () => {
        const [row] = await host.rows('stock');
        assert.deepEqual([row?.Qty, row?.LastEvent, row?.LastUser], [7, 'order-A-1', 'nobody']);
        const { attempts } = await host.host.services.story('demo', 'order-A-1');
        assert.ok(
          attempts.some(({ verdict }) => verdict === 'done') && attempts.every(({ verdict }) => verdict !== 'failed'),
        );
      });
      assert.equal((await host.rows('stock'))[0]?.Qty, 7);
      const dead = await host.store.deadLetters.list({ state: 'dead', limit: 10 });
      assert.equal(dead.total, 0, 'a handler without a return acknowledges under @legacyAck');
    });

    it('ERP: what it refuses or breaks is noted on the order, and the message is acknowledged', async (t) => {
      const outside = await openOutside(t, ({ body }) => {
        const { No } = JSON.parse(body);
        if (No === 'o-1') return { body: JSON.stringify({ ok: true, no: 77 }) };
        return No === 'o-2' ? { body: '{"ok":false}' } : { status: 500, body: '<html>down</html>' };
      });
      const host = await openPatternHost(t, urlOf, scriptFiles('erp-consumer'), [ORDER], outside.options);
      await host.host.start();
      for (const OrderId of ['o-1', 'o-2', 'o-3']) {
        await host.send('erp-orders', `e-${OrderId}`, { OrderId, Sku: 'P-1', ErpUrl: outside.url });
      }
      await eventually(async () => {
        const rows = await host.rows('erp_order');
        assert.deepEqual(rows.map(({ Id, ErpState, ErpNo }) => `${Id} ${ErpState} ${ErpNo}`).sort(), [
          'o-1 sent 77',
          'o-2 refused ',
          'o-3 failed ',
        ]);
      });
      for (const OrderId of ['o-1', 'o-2', 'o-3']) {
        await eventually(async () => {
          const { attempts } = await host.host.services.story('demo', `e-${OrderId}`);
          assert.deepEqual(
            attempts.map(({ verdict }) => verdict),
            ['done'],
          );
        });
      }
      assert.deepEqual(JSON.parse(outside.calls[0]?.body ?? ''), { No: 'o-1', Lines: [{ Sku: 'P-1' }] });
      await host.store.journal.flush();
      const log = await host.rows('sys_log');
      assert.ok(log.some(({ Content, Level }) => String(Content).startsWith('erp: ') && Level === 3));
    });

    it('job: two runs at once share the rows, and do none twice', async (t) => {
      const host = await openPatternHost(t, urlOf, scriptFiles('job-claim'), [JOB_ROWS], { lanes: 2 });
      const [a, b] = await Promise.all([
        run(host, 'job-claim', { JobRunId: 'run-a' }),
        run(host, 'job-claim', { JobRunId: 'run-b' }),
      ]);
      assert.deepEqual([...a.Data, ...b.Data].sort(), ['a', 'b', 'c', 'd', 'e']);
      const rows = await host.rows('job_row');
      assert.ok(rows.every(({ State }) => State === 'done'));
      for (const { Id, RunBy } of rows) {
        assert.equal(RunBy, a.Data.includes(Id) ? 'run-a' : 'run-b');
      }
      assert.deepEqual((await run(host, 'job-claim', { JobRunId: 'run-c' })).Data, []);
    });

    it('background task: each slice says where the next goes on, and messages run them one after another', async (t) => {
      const host = await openPatternHost(t, urlOf, scriptFiles('background-slices'), [JOB_ROWS]);
      const first = await run(host, 'background-slices', { _BackgroundTaskId: 't1' });
      assert.deepEqual(first, {
        Code: 1,
        Data: { BackgroundTask: { HasMore: true, Checkpoint: { After: 'b' }, Current: 2, Total: 5 } },
        DataAppend: { Progress: 'MEMBER_UNSUPPORTED' },
      });
      await host.host.start();
      await host.send('slices', 't2-', { _BackgroundTaskId: 't2' });
      await eventually(async () => {
        const states = (await host.rows('job_row')).map(({ State }) => State);
        assert.deepEqual(states, Array(5).fill('sliced'));
      });
      for (const slice of ['t2-', 't2-b', 't2-d']) {
        await eventually(async () => {
          const { attempts } = await host.host.services.story('demo', slice);
          assert.deepEqual(
            attempts.map(({ verdict }) => verdict),
            ['done'],
            slice,
          );
        });
      }
    });
  });
}
