import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mqttEventParam, payloadMembers } from '../../src/core/mqtt-event.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('payloads', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['', null],
    ['{"t":21.5}', { t: 21.5 }],
    ['hello', 'hello'],
    ["{'single':1}", "{'single':1}"],
    ['{"id":7615917337495251231}', { id: '7615917337495251231' }],
    ['\ufeff{"a":1}', { a: 1 }],
  ];
  for (const [text, value] of cases) {
    assert.deepEqual(payloadMembers(bytes(text)), { Payload: value, PayloadRaw: text, PayloadBase64: null });
  }
  const binary = payloadMembers(Uint8Array.of(0xff, 0xfe));
  assert.deepEqual(binary, { Payload: '\ufffd\ufffd', PayloadRaw: '\ufffd\ufffd', PayloadBase64: '//4=' });
});

test('an event has every member; what it does not know is null', () => {
  assert.deepEqual(mqttEventParam({ tenant: 'TenA' }), {
    ClientId: null,
    Topic: null,
    Payload: null,
    PayloadRaw: null,
    PayloadBase64: null,
    OsClient: 'TenA',
    UserName: null,
    Qos: 0,
    Retain: false,
    UserProperties: null,
    UserPropertyList: [],
    ResponseTopic: null,
    CorrelationData: null,
    ContentType: null,
    PayloadFormatIndicator: null,
    MessageExpiryInterval: null,
    ConnectionEpoch: null,
  });
});

test('the first value of a repeated User Property wins, and all can be had', () => {
  const userProperties = [
    ['a', '1'],
    ['A', '2'],
    ['a', '3'],
    ['__proto__', '4'],
  ] as const;
  const param = mqttEventParam({ tenant: 't', userProperties });
  assert.deepEqual(param.UserProperties, { a: '1', A: '2' });
  assert.equal((param.UserPropertyList as unknown[]).length, 4);
});
