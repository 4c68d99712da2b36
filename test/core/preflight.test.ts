import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBinding } from '../../src/core/binding.ts';
import { describeError } from '../../src/core/errors.ts';
import { deadlineFindings, type Finding, preflight } from '../../src/core/preflight.ts';
import { accepted } from '../support/parsed.ts';

const BINDING = accepted(parseBinding('demo', { Id: 'b', QueueName: 'q', ApiEngineKey: 'e', OrderKey: 'Id' }));

function told(findings: readonly Finding[]): string[] {
  return findings.map(({ kind, error }) => {
    assert.match(describeError(error, 'zh'), /microi\.demo\.q/);
    return `${kind}: ${describeError(error, 'en')}`;
  });
}

for (const [what, version, durable, args, rule] of [
  ['a classic queue', '3.10.8', true, {}, undefined],
  ['a quorum queue', '3.13.0', true, { 'x-queue-type': 'quorum' }, undefined],
  ['a quorum queue of ours on 4', '4.2.0', true, { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 }, undefined],
  [
    'a quorum queue that gives up its messages',
    '4.0.1',
    true,
    { 'x-queue-type': 'quorum' },
    /refusal: .*after 20 deliv/,
  ],
  ['a delivery limit', '3.10.8', true, { 'x-queue-type': 'quorum', 'x-delivery-limit': 5 }, /refusal: .*after 5 deliv/],
  [
    'a delivery limit with dead-lettering',
    '4.1.0',
    true,
    { 'x-queue-type': 'quorum', 'x-delivery-limit': 5, 'x-dead-letter-exchange': 'dlx' },
    undefined,
  ],
  ['a queue that is not durable', '3.10.8', false, {}, /refusal: .*not durable/],
  ['a stream', '3.12.0', true, { 'x-queue-type': 'stream' }, /refusal: .*type stream/],
  ['messages that expire', '3.10.8', true, { 'x-message-ttl': 60_000 }, /warning: .*expire unrun after 60000 ms/],
  ['a bounded queue', '3.10.8', true, { 'x-max-length': 10 }, /warning: .*drops its oldest/],
  ['one that refuses new ones', '3.10.8', true, { 'x-max-length': 10, 'x-overflow': 'reject-publish' }, undefined],
  ['a queue that goes away', '3.10.8', true, { 'x-expires': 1000 }, /warning: .*deletes the queue/],
  ['priorities in order', '3.10.8', true, { 'x-max-priority': 5 }, /warning: .*order that OrderKey keeps/],
  ['an old server', '3.8.2', true, {}, /warning: RabbitMQ|warning: .*older than 3\.10/],
] as const) {
  test(`${what} on ${version}: ${rule ?? 'nothing to say'}`, () => {
    const findings = told(preflight(BINDING, { version, queue: { durable, arguments: args } }));
    if (rule === undefined) assert.deepEqual(findings, []);
    else assert.match(findings.join(), rule);
    assert.ok(findings.length <= 1);
  });
}

test('a queue that does not exist yet is made as it must be', () => {
  assert.deepEqual(preflight(BINDING, { version: '4.2.0' }), []);
});

test('public report 12: a deadline must end before the server takes the message back', () => {
  assert.deepEqual(deadlineFindings(BINDING, 60_000, 1_800_000), []);
  assert.deepEqual(deadlineFindings(BINDING, 600_000, Number.POSITIVE_INFINITY), []);
  assert.match(
    told(deadlineFindings(BINDING, 60_000, 100_000)).join(),
    /warning: .*over half of RabbitMQ's consumer_timeout/,
  );
  assert.match(told(deadlineFindings(BINDING, 60_000, 60_000)).join(), /refusal: .*may take 60 s, which is not below/);
});
