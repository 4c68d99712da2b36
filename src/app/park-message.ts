import { formatBackoff } from '../core/backoff.ts';
import { describeError, type ErrorRecord, type Lang } from '../core/errors.ts';
import type { DeadReason } from '../core/parked.ts';
import { decideRetry, type RetryDecision } from '../core/retry.ts';
import type { Delivery } from '../ports/queue.ts';
import type { ParkRequest, TenantStore } from '../ports/tenant-store.ts';
import type { ReceivedMessage, RefusedMessage } from './received-message.ts';

/** Longest sentence kept with a parked message. */
const MAX_ERROR_LENGTH = 2_000;

/** The parked form of a message whose run failed: waiting for its next attempt, or dead (delivery.md 3.2). */
export function parkFailed(
  message: ReceivedMessage,
  failure: { error: ErrorRecord; version: string | null; deadReason: DeadReason | undefined },
  jitter: number,
  lang: Lang,
): ParkRequest {
  const decision = decideRetry(message.binding, message.attempt, jitter, failure.deadReason);
  return {
    ...baseOf(message, failure.version),
    ...stateOf(decision, message.attempt),
    error: explain(failure.error, message, decision, lang),
  };
}

/** The parked form of a message that committed state refuses: never run again by itself. */
export function parkRefused(message: ReceivedMessage, reason: DeadReason, lang: Lang): ParkRequest {
  return {
    ...baseOf(message, null),
    ...stateOf({ act: 'dead', reason }, message.attempt),
    error: DEAD_EXPLANATION[reason]?.[lang] ?? reason,
  };
}

/** The parked form of a message that must not overtake an earlier one of its order key. */
export function parkBehind(message: ReceivedMessage, lang: Lang): ParkRequest {
  return {
    ...baseOf(message, null),
    attempt: message.attempt,
    state: 'behind',
    delayMs: 0,
    reason: 'order',
    error: BEHIND[lang],
  };
}

/** The parked form of a message that no script may see. */
export function parkInvalid(delivery: Delivery, refusal: RefusedMessage, lang: Lang): ParkRequest {
  return {
    queue: delivery.queue,
    eventId: refusal.eventId,
    messageHash: '',
    cycle: 1,
    ...stateOf({ act: 'dead', reason: refusal.reason }, 1),
    body: delivery.body,
    props: delivery.props,
    error: describeError(refusal.error, lang),
    engineKey: null,
    version: null,
  };
}

/** Parks and clears the crash count: a verdict was reached. */
export async function park(store: TenantStore, request: ParkRequest, crashCounted: boolean): Promise<void> {
  await store.parked.park(request);
  if (crashCounted) await store.crashes.clear(request);
}

function baseOf(message: ReceivedMessage, version: string | null) {
  return {
    ...message.key,
    messageHash: message.messageHash,
    cycle: message.cycle,
    body: message.delivery.body,
    props: message.delivery.props,
    engineKey: message.binding.engineKey,
    version,
    ...(message.orderKey === undefined ? {} : { orderKey: message.orderKey }),
  };
}

function stateOf(
  decision: RetryDecision,
  attempt: number,
): Pick<ParkRequest, 'attempt' | 'state' | 'delayMs' | 'reason'> {
  if (decision.act === 'retry') {
    return { attempt: decision.attempt, state: 'waiting', delayMs: decision.delayMs, reason: 'retry' };
  }
  return { attempt, state: 'dead', delayMs: 0, reason: decision.reason };
}

function explain(error: ErrorRecord, message: ReceivedMessage, decision: RetryDecision, lang: Lang): string {
  const stack = error.params.stack;
  const where = typeof stack === 'string' && stack !== '' ? `\n${stack}` : '';
  const budget = decision.act === 'dead' ? `\n${budgetNote(message, lang)}` : '';
  return `${describeError(error, lang)}${where}${budget}`.slice(0, MAX_ERROR_LENGTH);
}

function budgetNote(message: ReceivedMessage, lang: Lang): string {
  const { retries, retryCount, backoff } = message.binding;
  if (!retries) {
    return lang === 'zh'
      ? '绑定没有打开重试（FailToReject 不是“是”），失败即进入死信。'
      : 'The binding does not retry (FailToReject is not 是), so the first failure is a dead letter.';
  }
  const spacing = formatBackoff(backoff);
  return lang === 'zh'
    ? `已用完重试次数：Count=${retryCount}，间隔 ${spacing}。`
    : `Every attempt is used up: Count=${retryCount}, backoff ${spacing}.`;
}

const BEHIND: Readonly<Record<Lang, string>> = {
  zh: '同一个键的前一条消息还在等待重试：本条消息排在它之后，随后自动处理。',
  en: 'An earlier message of the same key waits for its next attempt: this one follows it by itself.',
};

const DEAD_EXPLANATION: Partial<Record<DeadReason, Record<Lang, string>>> = {
  'torn-transaction': {
    zh: '这条消息的事务曾被中途提交，结果可能不完整：请人工核对后再重放。',
    en: 'A transaction of this message was committed half-way; check its effects by hand before you replay it.',
  },
  'event-id-reused': {
    zh: '同一个 EventId 已处理过内容不同的消息：发送方应为每个事件使用新的 EventId。',
    en: 'Another message with this EventId and different content was handled before: senders need a new EventId for each event.',
  },
  'host-crash': {
    zh: '这条消息开始运行后主机多次异常退出：请检查脚本，确认后可重放。',
    en: 'The host died several times after this message had begun to run: look at the script, then replay it.',
  },
};
