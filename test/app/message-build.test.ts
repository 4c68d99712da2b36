import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemIds } from '../../src/adapters/system/system-ids.ts';
import { buildMessage, type MessageDraft } from '../../src/app/message-build.ts';
import { readEnvelope } from '../../src/core/envelope.ts';
import { MAX_SENT_MESSAGE_BYTES } from '../../src/core/run-limits.ts';

const ids = systemIds();
const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const sender = { tenant: 'Factory-A', userId: 'u1', trace: { traceParent, traceState: null } };
const draft: MessageDraft = { queueName: 'orders', eventId: 'e-1', messageJson: '{"a":1}', osClient: undefined };

function refusalOf(changes: Partial<MessageDraft>): { code: string; eventId: string | undefined } {
  const built = buildMessage({ ...draft, ...changes }, sender, ids);
  assert.equal(built.ok, false);
  return built.ok ? { code: '', eventId: '' } : { code: built.refusal.error.code, eventId: built.refusal.eventId };
}

test('a message carries the envelope and properties that its receiver checks', () => {
  const built = buildMessage(draft, sender, ids);
  assert.ok(built.ok);
  const { queue, body, props } = built.value;
  assert.equal(queue, 'microi.factory-a.orders');
  assert.equal(props.messageId, 'e-1');
  const received = readEnvelope(body, props, 'factory-a');
  assert.ok(received.ok, JSON.stringify(received));
  assert.deepEqual(received.value.message, { a: 1 });
  assert.equal(received.value.currentUserId, 'u1');
  assert.deepEqual(Object.keys(JSON.parse(new TextDecoder().decode(body))), [
    'EventId',
    'Id',
    'OsClient',
    'TraceParent',
    'TraceState',
    'Message',
    'CurrentUserId',
  ]);
});

test('checks come in the order EventId, tenant, queue, size; the first failure wins', () => {
  const bad = { eventId: 'x'.repeat(129), osClient: 'other', queueName: 'microi.other.q' };
  assert.deepEqual(refusalOf(bad), { code: 'EVENT_ID_INVALID', eventId: undefined });
  assert.deepEqual(refusalOf({ ...bad, eventId: 'e' }), { code: 'TENANT_MISMATCH', eventId: 'e' });
  assert.deepEqual(refusalOf({ queueName: 'microi.other.q' }), { code: 'QUEUE_FOREIGN', eventId: 'e-1' });
  const huge = JSON.stringify('x'.repeat(MAX_SENT_MESSAGE_BYTES));
  assert.deepEqual(refusalOf({ messageJson: huge }), { code: 'MESSAGE_TOO_LARGE', eventId: 'e-1' });
});

test('the own tenant may be named in any case; a missing EventId becomes a ULID', () => {
  const built = buildMessage({ ...draft, osClient: ' FACTORY-a ', eventId: ' ' }, sender, ids);
  assert.ok(built.ok);
  assert.match(built.value.eventId, /^[0-9A-HJKMNP-TV-Z]{26}$/);
});

test('a message carries the trace of what makes it, in its envelope and beside it', () => {
  const built = buildMessage(draft, { ...sender, trace: { traceParent, traceState: 'a=b' } }, ids);
  assert.ok(built.ok);
  const { body, props } = built.value;
  assert.deepEqual(props.headers, { traceparent: traceParent, tracestate: 'a=b' });
  const received = readEnvelope(body, props, 'factory-a');
  assert.ok(received.ok);
  assert.equal(received.value.traceParent, traceParent);
  assert.equal(received.value.traceState, 'a=b');
});
