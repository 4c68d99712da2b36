import { describeError, type Lang } from '../core/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { AttemptRecord } from '../ports/journal.ts';
import type { ReceivedMessage } from './received-message.ts';
import type { Settlement } from './settlement.ts';

export interface JournalServices {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lang: Lang;
}

/** Longest message of an attempt row. */
const MAX_MESSAGE = 1_000;

/**
 * Writes what a settled delivery leaves for people: one attempt and one row of the receive log, which a message that only
 * waits for its turn does not get.
 */
export function journalDelivery(
  services: JournalServices,
  message: ReceivedMessage,
  settlement: Exclude<Settlement, { act: 'defer' }>,
  startedAt: number,
): void {
  const endedAt = services.clock.now();
  const account = accountFor(settlement, services.lang);
  message.store.journal.attempt(attemptRecord(services, message, settlement, { startedAt, endedAt, ...account }));
  if (account.verdict === 'behind') return;
  message.store.journal.receiveLog({
    type: '接收',
    queue: message.key.queue,
    message: message.envelope.messageJson,
    sendTime: null,
    receiveTime: services.clock.localText(startedAt),
    completeTime: services.clock.localText(endedAt),
    status: account.failed ? '失败' : '成功',
    statusInfo: account.message === '' ? '正常' : account.message,
    messageId: message.key.eventId,
  });
}

const VERDICT_OF_PARKING = { waiting: 'retry', behind: 'behind', dead: 'dead' } as const;

interface Account {
  readonly verdict: string;
  readonly reason: string;
  readonly message: string;
  readonly failed: boolean;
}

function accountFor(settlement: Exclude<Settlement, { act: 'defer' }>, lang: Lang): Account {
  switch (settlement.act) {
    case 'done':
      return { verdict: 'done', reason: '', message: '', failed: false };
    case 'duplicate':
      return {
        verdict: 'duplicate',
        reason: 'duplicate',
        message: lang === 'zh' ? '重复消息：此前已处理，未再次运行' : 'Duplicate: handled before, not run again',
        failed: false,
      };
    case 'parked': {
      const { request, error } = settlement;
      return {
        verdict: VERDICT_OF_PARKING[request.state],
        // Why this run failed; why the message is given up is in its parked row.
        reason: error?.code ?? request.reason,
        message: request.error,
        failed: request.state !== 'behind',
      };
    }
  }
}

function attemptRecord(
  services: JournalServices,
  message: ReceivedMessage,
  settlement: Exclude<Settlement, { act: 'defer' }>,
  account: Account & { startedAt: number; endedAt: number },
): AttemptRecord {
  const tree = settlement.act === 'duplicate' ? undefined : settlement.tree;
  return {
    runId: tree?.runId ?? services.ids.ulid(),
    queue: message.key.queue,
    eventId: message.key.eventId,
    attempt: message.attempt,
    engineKey: message.binding.engineKey,
    version: versionOf(settlement),
    // What it waited for a lane or the writer is not its own time.
    startedAt: tree?.startedAt ?? account.startedAt,
    endedAt: account.endedAt,
    verdict: account.verdict,
    reason: account.reason,
    message: account.message.slice(0, MAX_MESSAGE),
    hostCalls: tree?.traces ?? [],
  };
}

function versionOf(settlement: Exclude<Settlement, { act: 'defer' }>): string {
  if (settlement.act === 'done') return settlement.version;
  return settlement.act === 'parked' ? (settlement.request.version ?? '') : '';
}

/** A refused envelope leaves a receive-log row only: it has no event that a script could know. */
export function journalRefusal(
  services: JournalServices,
  store: ReceivedMessage['store'],
  settlement: Extract<Settlement, { act: 'parked' }>,
  startedAt: number,
): void {
  store.journal.receiveLog({
    type: '接收',
    queue: settlement.request.queue,
    message: null,
    sendTime: null,
    receiveTime: services.clock.localText(startedAt),
    completeTime: services.clock.localText(services.clock.now()),
    status: '失败',
    statusInfo:
      settlement.error === undefined ? settlement.request.error : describeError(settlement.error, services.lang),
    messageId: settlement.request.eventId,
  });
}
