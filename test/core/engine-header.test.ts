import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEngineHeader } from '../../src/core/engine-header.ts';
import { headerBindings } from '../../src/core/header-bindings.ts';
import { accepted, refused } from '../support/parsed.ts';

const FULL = `'use strict';
/**
 * Reserves stock for an order.
 *
 * @engineKey Stock-Reserve
 * @apiName 扣减库存
 * @queue shop.order
 * @queue shop.order.late
 * @retry 3
 * @timeout 2m
 * @backoff exp:1s..5m
 * @prefetch 4
 * @inbox off
 * @legacyAck
 */
return { Code: 1 };
/** @unknown in a later block is none of our business */
`;

test('every tag of the block is read', () => {
  assert.deepEqual(accepted(parseEngineHeader('any.js', FULL)), {
    engineKey: 'Stock-Reserve',
    apiName: '扣减库存',
    queues: ['shop.order', 'shop.order.late'],
    retryCount: 3,
    timeoutSeconds: 120,
    backoff: { kind: 'exponential', baseMs: 1000, capMs: 300_000 },
    prefetch: 4,
    inbox: false,
    legacyAck: true,
    entry: {},
    queueType: undefined,
    orderKey: undefined,
  });
});

test('the kind of the queue and the order key are read; an order needs the inbox', () => {
  const header = accepted(
    parseEngineHeader('a.js', '/**\n * @queue q\n * @queueType Quorum\n * @orderKey Order.Id\n */'),
  );
  assert.deepEqual([header.queueType, header.orderKey], ['quorum', 'Order.Id']);
  const { params } = refused(parseEngineHeader('a.js', '/**\n * @queue q\n * @orderKey Id\n * @inbox off\n */'));
  assert.equal(params.line, 3);
  assert.match(String(params.rule), /ordering by key needs the inbox/);
});

const DEFAULTS = {
  engineKey: 'stock-show',
  apiName: 'stock-show',
  queues: [],
  retryCount: 0,
  timeoutSeconds: undefined,
  backoff: undefined,
  prefetch: undefined,
  inbox: true,
  legacyAck: false,
  entry: {},
  queueType: undefined,
  orderKey: undefined,
};

for (const [why, source] of [
  ['no block', 'return 1;'],
  ['an ordinary comment', '/* @queue x */ return 1;'],
  ['an empty comment', '/**/ return 1;'],
  ['a doc comment below code', 'var a = 1;\n/**\n * @param {number} n\n */\nfunction f(n) {}'],
  ['a block of prose', '/** Shows the stock, mail me@example.com */ return 1;'],
] as const) {
  test(`${why} means the defaults, the key from the file's name`, () => {
    assert.deepEqual(accepted(parseEngineHeader('shop/stock-show.js', source)), DEFAULTS);
  });
}

test('one line and Windows line ends work', () => {
  assert.deepEqual(accepted(parseEngineHeader('a.js', '/** @queue orders */')).queues, ['orders']);
  const header = accepted(parseEngineHeader('a.js', '/**\r\n * @queue orders\r\n * @retry 2\r\n */\r\n'));
  assert.deepEqual([header.queues, header.retryCount], [['orders'], 2]);
});

for (const [tag, rule] of [
  ['@ques orders', /unknown tag @ques/],
  ['@Queue orders', /unknown tag @Queue/],
  ['@', /unknown tag @,/],
  ['@queue', /Queue name {2}is invalid/],
  ['@queue microi.demo.orders', /another tenant/],
  ['@queue orders.dlq', /reserved suffix/],
  ['@queue a b', /is invalid/],
  ['@retry', /whole number from 0/],
  ['@retry -1', /whole number from 0/],
  ['@retry 1.5', /whole number from 0/],
  ['@timeout 30', /write 30s or 2m/],
  ['@timeout 0s', /write 30s or 2m/],
  ['@timeout 11m', /write 30s or 2m/],
  ['@timeout 500ms', /write 30s or 2m/],
  ['@backoff soon', /write none, fixed:5s or exp/],
  ['@prefetch 0', /from 1 to 1000/],
  ['@prefetch 1001', /from 1 to 1000/],
  ['@inbox maybe', /write on or off/],
  ['@queueType', /must be classic or quorum/],
  ['@queueType stream', /must be classic or quorum/],
  ['@orderKey', /the name of the member is missing/],
  ['@orderKey a..b', /nested ones with dots/],
  ['@legacyAck yes', /write on or off/],
  ['@engineKey a b', /Engine key a b is invalid/],
  ['@apiName', /name is missing/],
] as const) {
  test(`${tag} is refused with file and line`, () => {
    const { code, params } = refused(parseEngineHeader('shop/a.js', `\n/**\n * Text.\n * ${tag}\n */`));
    assert.equal(code, 'HEADER_INVALID');
    assert.deepEqual([params.file, params.line], ['shop/a.js', 4]);
    assert.match(String(params.rule), rule);
  });
}

test('a tag that is not @queue occurs once, and a queue is named once', () => {
  assert.match(
    String(refused(parseEngineHeader('a.js', '/**\n * @retry 1\n * @retry 2\n */')).params.rule),
    /@retry is allowed once/,
  );
  assert.match(
    String(refused(parseEngineHeader('a.js', '/**\n * @queue a\n * @queue a\n */')).params.rule),
    /named twice/,
  );
});

test("a file's name that is no key needs @engineKey", () => {
  assert.match(String(refused(parseEngineHeader('my script.js', 'return 1;')).params.rule), /^@engineKey: .*my script/);
  assert.equal(accepted(parseEngineHeader('my script.js', '/** @engineKey mine */')).engineKey, 'mine');
});

test('each queue becomes a binding of the tenant', () => {
  const bindings = accepted(headerBindings('Demo', accepted(parseEngineHeader('a.js', FULL))));
  assert.deepEqual(
    bindings.map(({ physicalQueue }) => physicalQueue),
    ['microi.demo.shop.order', 'microi.demo.shop.order.late'],
  );
  const [first] = bindings;
  assert.deepEqual(
    [first?.engineKey, first?.retries, first?.retryCount, first?.prefetch],
    ['Stock-Reserve', true, 3, 4],
  );
});

test('without @retry a binding does not retry and has the defaults', () => {
  const [binding] = accepted(headerBindings('demo', accepted(parseEngineHeader('a.js', '/** @queue q */'))));
  assert.deepEqual(binding, {
    id: '',
    logicalQueue: 'q',
    physicalQueue: 'microi.demo.q',
    engineKey: 'a',
    retries: false,
    retryCount: 0,
    inbox: true,
    legacyAck: false,
    prefetch: 1,
    timeoutSeconds: undefined,
    backoff: { kind: 'exponential', baseMs: 1000, capMs: 60_000 },
  });
});

test('a queue that is too long with the prefix of a tenant is refused', () => {
  const header = accepted(parseEngineHeader('a.js', `/** @queue ${'q'.repeat(200)} */`));
  assert.equal(refused(headerBindings('t'.repeat(50), header)).code, 'QUEUE_INVALID');
});

for (const tag of ['retry 1', 'timeout 2s', 'backoff none', 'prefetch 2', 'inbox off', 'legacyAck']) {
  test(`@${tag} without @queue is refused with its line, because it would do nothing`, () => {
    const error = refused(parseEngineHeader('a.js', `/**\n * Prose.\n * @${tag}\n */`));
    assert.equal(error.params.line, 3);
    assert.match(String(error.params.rule), /needs @queue/);
  });
}
