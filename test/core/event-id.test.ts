import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEventId, parseEventId } from '../../src/core/event-id.ts';
import { accepted, refused } from '../support/parsed.ts';

for (const [raw, eventId] of [
  ['order-A-1', 'order-A-1'],
  ['  order 1 ', 'order 1'],
  ['订单-1', '订单-1'],
  [42, '42'],
  [-7, '-7'],
  ['', undefined],
  [' \n', undefined],
  [null, undefined],
  [undefined, undefined],
  ['x'.repeat(128), 'x'.repeat(128)],
  ['订'.repeat(85), '订'.repeat(85)],
] as const) {
  test(`EventId ${JSON.stringify(raw)?.slice(0, 30)} is kept`, () =>
    assert.equal(accepted(parseEventId(raw)), eventId));
}

for (const raw of [
  'x'.repeat(129),
  '订'.repeat(86),
  'a\u0000b',
  'a\tb',
  'a\u0085b',
  '\ud800',
  1.5,
  2 ** 53,
  Number.NaN,
  {},
  true,
]) {
  test(`EventId ${String(JSON.stringify(raw)).slice(0, 30)} is refused`, () => {
    assert.equal(refused(parseEventId(raw)).code, 'EVENT_ID_INVALID');
  });
}

test('the EventId of a message is checked as it is, blanks included', () => {
  assert.equal(accepted(checkEventId(' a ')), ' a ');
  assert.equal(refused(checkEventId('a\n')).code, 'EVENT_ID_INVALID');
});
