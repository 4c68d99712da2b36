import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBinding } from '../../src/core/binding.ts';
import { decideRetry } from '../../src/core/retry.ts';
import { readCases } from '../support/cases.ts';
import { accepted } from '../support/parsed.ts';

interface RetryCase {
  readonly FailToReject: string | null;
  readonly Count: number;
  readonly runsWhenAlwaysFailing: number;
  readonly requeues: number;
}

/** Runs a handler that always fails until it is dead. */
function failUntilDead(row: Readonly<Record<string, unknown>>): { runs: number; requeues: number; reason: string } {
  const binding = accepted(parseBinding('demo', { QueueName: 'q', ApiEngineKey: 'e', ...row }));
  for (let attempt = 1; ; ) {
    const decision = decideRetry(binding, attempt, 0, undefined);
    if (decision.act === 'dead') return { runs: attempt, requeues: attempt - 1, reason: decision.reason };
    assert.equal(decision.attempt, attempt + 1);
    attempt = decision.attempt;
  }
}

for (const { runsWhenAlwaysFailing: runs, requeues, ...row } of readCases<RetryCase>('retry-decisions.json')) {
  test(`FailToReject ${JSON.stringify(row.FailToReject)} with Count ${row.Count} runs ${runs} times`, () => {
    const { reason, ...counted } = failUntilDead(row);
    assert.deepEqual(counted, { runs, requeues });
    assert.equal(reason, row.FailToReject === '是' ? 'budget-exhausted' : 'rejected');
  });
}

const BINDING = { retries: true, retryCount: 1, backoff: { kind: 'fixed', delayMs: 5000 } } as const;

test('a retry waits as the backoff says', () => {
  assert.deepEqual(decideRetry(BINDING, 1, 0.7, undefined), { act: 'retry', attempt: 2, delayMs: 5000 });
});

test('a dead letter keeps the reason of its own', () => {
  assert.deepEqual(decideRetry(BINDING, 2, 0, 'sandbox-crash'), { act: 'dead', reason: 'sandbox-crash' });
});

test('a crash spends the budget like any failure', () => {
  assert.equal(decideRetry(BINDING, 1, 0, 'sandbox-crash').act, 'retry');
});
