import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeEnvelope, type ReceivedProps, readEnvelope } from '../../src/core/envelope.ts';
import { accepted, refused } from '../support/parsed.ts';

const TRACE_PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const GOOD = {
  EventId: 'e-1',
  Id: 'e-1',
  OsClient: 'Demo',
  TraceParent: TRACE_PARENT,
  TraceState: null,
  Message: { Sku: 'P-1' },
  CurrentUserId: null,
};

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (envelope: unknown, props: Partial<ReceivedProps> = {}, tenant = 'demo') =>
  readEnvelope(
    bytes(typeof envelope === 'string' ? envelope : JSON.stringify(envelope)),
    { headers: {}, ...props },
    tenant,
  );

test('an envelope has the seven fields in order, nulls included, and the Message verbatim', () => {
  const json = encodeEnvelope({
    eventId: 'e"1',
    tenant: 'Demo',
    traceParent: null,
    traceState: null,
    messageJson: '{"id": 7615917337495251231}',
    currentUserId: null,
  });
  assert.equal(
    json,
    '{"EventId":"e\\"1","Id":"e\\"1","OsClient":"Demo","TraceParent":null,"TraceState":null,"Message":{"id": 7615917337495251231},"CurrentUserId":null}',
  );
});

test('what was sent is what is received, digit by digit', () => {
  const messageJson = '{"id": 7615917337495251231, "n":1.50}';
  const sent = { eventId: '订单 1', tenant: 'Demo', traceParent: TRACE_PARENT, traceState: 'a=b', currentUserId: 'u1' };
  const envelope = accepted(read(encodeEnvelope({ ...sent, messageJson }), { messageId: '订单 1' }));
  const { eventId, traceParent, traceState, currentUserId } = envelope;
  assert.deepEqual(
    { eventId, traceParent, traceState, currentUserId },
    { eventId: '订单 1', traceParent: TRACE_PARENT, traceState: 'a=b', currentUserId: 'u1' },
  );
  assert.equal(envelope.messageJson, messageJson);
  assert.deepEqual(envelope.message, { id: '7615917337495251231', n: 1.5 });
});

test('scripts see the seven fields by their own names, then the unknown ones', () => {
  const { param } = accepted(read({ eventid: 'e-1', OSCLIENT: 'demo', message: [1], Extra: { a: 1 } }));
  assert.deepEqual(Object.entries(param), [
    ['EventId', 'e-1'],
    ['Id', null],
    ['OsClient', 'demo'],
    ['TraceParent', null],
    ['TraceState', null],
    ['Message', [1]],
    ['CurrentUserId', null],
    ['Extra', { a: 1 }],
  ]);
});

test('of fields that differ in case only, the last one counts', () => {
  const envelope = accepted(read('{"EventId":"a","OsClient":"demo","Message":1,"eventId":"b","message":{"x": 2}}'));
  assert.equal(envelope.eventId, 'b');
  assert.equal(envelope.messageJson, '{"x": 2}');
  assert.deepEqual(envelope.message, { x: 2 });
});

test('a message without Message is null', () => {
  const envelope = accepted(read({ EventId: 'e', OsClient: 'demo' }));
  assert.equal(envelope.messageJson, 'null');
  assert.equal(envelope.message, null);
});

test('Id stands in for a blank EventId', () => {
  assert.equal(accepted(read({ ...GOOD, EventId: ' ', Id: 'i-1' })).eventId, 'i-1');
});

test('ids of 19 digits stay two ids', () => {
  const idOf = (digits: string) => accepted(read(`{"EventId":${digits},"OsClient":"demo"}`)).eventId;
  assert.equal(idOf('7615917337495251231'), '7615917337495251231');
  assert.equal(idOf('7615917337495251232'), '7615917337495251232');
});

test('a byte order mark, a __proto__ member and surrounding space do no harm', () => {
  const envelope = accepted(
    read('\uFEFF {"EventId":"e","OsClient":" demo ","__proto__":{"x":1},"Message":{"__proto__":{"x":1}}}'),
  );
  assert.deepEqual(envelope.message, {});
  assert.equal((envelope.param as { x?: unknown }).x, undefined);
});

const without = (field: string) => ({ ...GOOD, [field]: null });

for (const [why, check, field, envelope, props] of [
  ['an empty body', 0, 'Body', ''],
  ['text that is no JSON', 0, 'Body', '{"a":'],
  ['an array', 0, 'Body', [GOOD]],
  ['a text', 0, 'Body', '"x"'],
  ['JSON nested 10,000 deep', 0, 'Body', `{"Message":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
  ['an OsClient of another type', 0, 'OsClient', { ...GOOD, OsClient: ['demo'] }],
  ['an EventId of another type', 0, 'EventId', { ...GOOD, EventId: { a: 1 } }],
  ['JSON null', 1, 'Body', 'null'],
  ['no OsClient', 2, 'OsClient', without('OsClient')],
  ['a blank OsClient', 2, 'OsClient', { ...GOOD, OsClient: '  ' }],
  ['another tenant', 3, 'OsClient', { ...GOOD, OsClient: 'demo2' }],
  ['neither EventId nor Id', 4, 'EventId', { ...GOOD, EventId: '', Id: null }],
  ['an EventId that is too long', 4, 'EventId', { ...GOOD, EventId: 'x'.repeat(129), Id: null }],
  ['an EventId with a control character', 4, 'EventId', { ...GOOD, EventId: 'a\u0001', Id: null }],
  ['an Id that differs', 5, 'Id', { ...GOOD, Id: 'e-2' }],
  ['an Id that differs in case', 5, 'Id', { ...GOOD, Id: 'E-1' }],
  ['a message-id that differs', 6, 'message-id', GOOD, { messageId: 'e-2' }],
  ['a TraceParent that is none', '7a', 'TraceParent', { ...GOOD, TraceParent: 'x' }],
  [
    'a header without TraceParent',
    '7b',
    'traceparent',
    without('TraceParent'),
    { headers: { traceparent: TRACE_PARENT } },
  ],
  ['a header that differs', '7b', 'traceparent', GOOD, { headers: { traceparent: TRACE_PARENT.replace('b7', 'b8') } }],
] as const) {
  test(`${why} fails check ${check} and names ${field}`, () => {
    const { code, params } = refused(read(envelope, props));
    assert.equal(code, 'ENVELOPE_INVALID');
    assert.equal(params.check, check);
    assert.equal(params.field, field);
    assert.match(String(params.rule), new RegExp(`^\\[${check}\\] ${field}: .*\\p{Script=Han}.* / .*[a-z]`, 'u'));
  });
}

test('bytes that are no UTF-8 fail check 0', () => {
  assert.equal(refused(readEnvelope(Uint8Array.of(0xff, 0xfe), { headers: {} }, 'demo')).params.check, 0);
});

test('the first failure wins', () => {
  const everything = { OsClient: 'other', EventId: 'a', Id: 'b', TraceParent: 'x' };
  assert.equal(refused(read(everything, { messageId: 'c' })).params.check, 3);
  assert.equal(refused(read({ ...everything, OsClient: 'demo' }, { messageId: 'c' })).params.check, 5);
  assert.equal(refused(read({ ...everything, OsClient: 'demo', Id: 'a' }, { messageId: 'c' })).params.check, 6);
});

test('a blank message-id and a blank header say nothing', () => {
  accepted(read(GOOD, { messageId: ' ', headers: { traceparent: '' } }));
});

test('a refusal never quotes the message', () => {
  const { params } = refused(read({ ...GOOD, Message: 'top secret', Id: 'other' }));
  assert.doesNotMatch(JSON.stringify(params), /secret/);
});
