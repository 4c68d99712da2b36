import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fail } from '../../src/core/dos-result.ts';
import { ScriptRun } from '../support/script-run.ts';

const SEND = 'MQ.SendMsg';

describe('MQ.SendMsg', () => {
  it('takes the object form', async () => {
    const run = new ScriptRun();
    const message = { Qty: 2, Note: null };
    const result = await run.result(SEND, { QueueName: 'orders', EventId: 'order-1', Message: message });
    assert.equal(result.Code, 1);
    assert.deepEqual(run.sent, [{ queueName: 'orders', eventId: 'order-1', osClient: undefined, message }]);
  });

  it('takes the positional form, with and without an EventId', async () => {
    const run = new ScriptRun();
    await run.call(SEND, 'orders', { Qty: 2 });
    await run.call(SEND, 'orders', { Qty: 2 }, 'order-1');
    assert.deepEqual(
      run.sent.map(({ queueName, eventId }) => [queueName, eventId]),
      [
        ['orders', undefined],
        ['orders', 'order-1'],
      ],
    );
  });

  it('takes the older name Msg, and keeps text messages text', async () => {
    const run = new ScriptRun();
    await run.call(SEND, { QueueName: 'orders', Msg: '{"Qty":2}' });
    await run.call(SEND, 'orders', '{"Qty":2}');
    assert.deepEqual(
      run.sent.map(({ message }) => message),
      ['{"Qty":2}', '{"Qty":2}'],
    );
  });

  it('prefers Message to Msg, also when it is null', async () => {
    const run = new ScriptRun();
    await run.call(SEND, { QueueName: 'orders', Message: null, Msg: 'old' });
    assert.equal(run.sent[0]?.message, null);
  });

  it('passes nothing of a forged identity or trace on', async () => {
    const run = new ScriptRun();
    await run.call(SEND, { QueueName: 'q', Message: 1, CurrentToken: { Id: 'x' }, TraceParent: 't', TraceState: 's' });
    assert.deepEqual(Object.keys(run.sent[0] ?? {}).sort(), ['eventId', 'message', 'osClient', 'queueName']);
  });

  it('passes OsClient on to be checked against the tenant', async () => {
    const run = new ScriptRun();
    await run.call(SEND, { QueueName: 'q', Message: 1, OsClient: 'other' });
    assert.equal(run.sent[0]?.osClient, 'other');
  });

  it('refuses to send when the message is missing: undefined is mostly a mistake', async () => {
    const run = new ScriptRun();
    for (const args of [[{ QueueName: 'orders' }], [{ QueueName: 'orders', Message: undefined }], ['orders']]) {
      const result = await run.result(SEND, ...args);
      assert.equal(result.ReasonCode, 'PARAM_MISSING');
      assert.match(String(result.Msg), /Message/);
    }
    assert.deepEqual(run.sent, []);
  });

  it('answers what sending answers, and names queue and EventId for the story', async () => {
    const refusal = fail({ code: 'QUEUE_UNAVAILABLE', params: {} }, 'zh', { EventId: 'order-1' });
    const run = new ScriptRun({ sendMessage: async () => refusal });
    assert.deepEqual(await run.result(SEND, 'orders', 1), refusal);
    assert.deepEqual(run.touched, ['orders order-1']);
  });
});
