import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBindingEnabled, parseBinding } from '../../src/core/binding.ts';
import { accepted, refused } from '../support/parsed.ts';

const ROW = { Id: 'b1', QueueName: 'orders', Type: 1, ApiEngineKey: 'stock-reserve', FailToReject: '是', Count: 3 };

test("a row of the platform's own table gets our defaults", () => {
  assert.deepEqual(accepted(parseBinding('Demo', ROW)), {
    id: 'b1',
    logicalQueue: 'orders',
    physicalQueue: 'microi.demo.orders',
    engineKey: 'stock-reserve',
    retries: true,
    retryCount: 3,
    inbox: true,
    legacyAck: false,
    prefetch: 1,
    timeoutSeconds: undefined,
    backoff: { kind: 'exponential', baseMs: 1000, capMs: 60_000 },
  });
});

test('our columns are read, whatever the case of their names', () => {
  const ours = {
    inbox: 0,
    LEGACYACK: 'true',
    Prefetch: '8',
    TimeoutSeconds: 90n,
    Backoff: 'fixed:5s',
    QueueType: 'quorum',
  };
  const binding = accepted(parseBinding('demo', { ...ROW, ...ours }));
  const { inbox, legacyAck, prefetch, timeoutSeconds, backoff, queueType } = binding;
  assert.deepEqual(
    { inbox, legacyAck, prefetch, timeoutSeconds, backoff, queueType },
    {
      inbox: false,
      legacyAck: true,
      prefetch: 8,
      timeoutSeconds: 90,
      backoff: { kind: 'fixed', delayMs: 5000 },
      queueType: 'quorum',
    },
  );
});

for (const [failToReject, retries] of [
  ['是', true],
  ['否', false],
  [' 是', false],
  ['yes', false],
  [1, false],
  ['', false],
  [null, false],
] as const) {
  test(`FailToReject ${JSON.stringify(failToReject)} ${retries ? 'retries' : 'does not retry'}`, () => {
    assert.equal(accepted(parseBinding('demo', { ...ROW, FailToReject: failToReject })).retries, retries);
  });
}

for (const [count, retryCount] of [
  [-1, 0],
  ['-5', 0],
  [null, 0],
  ['', 0],
  [' 2 ', 2],
  ['3.0', 3],
  [7n, 7],
] as const) {
  test(`Count ${String(count)} is ${retryCount} requeues`, () => {
    assert.equal(accepted(parseBinding('demo', { ...ROW, Count: count })).retryCount, retryCount);
  });
}

for (const [field, value] of [
  ['QueueName', 'microi.other.orders'],
  ['QueueName', ''],
  ['QueueName', 'orders.dlq'],
  ['Type', 3],
  ['Type', '接口引擎'],
  ['ApiEngineKey', null],
  ['ApiEngineKey', 'a b'],
  ['Count', 'many'],
  ['Count', 2.5],
  ['Count', '1e3'],
  ['Count', 2 ** 31],
  ['Prefetch', 0],
  ['Prefetch', 1001],
  ['Prefetch', -1],
  ['Prefetch', 'x'],
  ['TimeoutSeconds', 0],
  ['TimeoutSeconds', 601],
  ['Inbox', 'yes'],
  ['LegacyAck', 2],
  ['Backoff', 'sometimes'],
  ['Backoff', 'fixed:2h'],
  ['QueueType', 'stream'],
  ['OrderKey', 'a b'],
  ['OrderKey', '$[0]'],
  ['OrderKey', 7],
] as const) {
  test(`${field} ${JSON.stringify(value)} cannot be bound and says why`, () => {
    const { code, params } = refused(parseBinding('demo', { ...ROW, [field]: value }));
    assert.equal(code, 'BINDING_INVALID');
    assert.equal(params.field, field);
    assert.match(String(params.rule), /\p{Script=Han}.* \/ .*[a-z]/u);
    assert.equal(params.queue, field === 'QueueName' ? value : 'orders');
  });
}

for (const value of [1, '1', true, 'true', 'TRUE', null, undefined, 1n]) {
  test(`IsEnable ${String(value)} is on`, () => assert.ok(isBindingEnabled({ ...ROW, IsEnable: value })));
}

for (const value of [0, '0', false, 'false', '']) {
  test(`IsEnable ${JSON.stringify(value)} is off`, () => assert.ok(!isBindingEnabled({ ...ROW, isenable: value })));
}

test('a row without IsEnable is on', () => assert.ok(isBindingEnabled(ROW)));

test('an order key is a path in the message, and needs the inbox', () => {
  assert.equal(accepted(parseBinding('demo', { ...ROW, OrderKey: ' Order.客户 ' })).orderKey, 'Order.客户');
  assert.equal(accepted(parseBinding('demo', { ...ROW, OrderKey: '' })).orderKey, undefined);
  assert.equal(refused(parseBinding('demo', { ...ROW, OrderKey: 'Id', Inbox: 0 })).params.field, 'OrderKey');
});
