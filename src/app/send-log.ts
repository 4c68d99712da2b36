import type { DosResult } from '../core/dos-result.ts';
import { fail, succeed } from '../core/dos-result.ts';
import type { AppError, Lang } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import { memberText, utf8 } from '../core/json-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { ReceiveLogRecord } from '../ports/journal.ts';
import type { BuiltMessage, DraftRefusal } from './message-build.ts';

/** The answer to a send: `Data.EventId` is there also on a failure, so that the caller can repeat the same id (F14). */
export function sendResult(eventId: string, error: AppError | undefined, lang: Lang): DosResult {
  if (error !== undefined) return fail(error.toRecord(), lang, eventIdData(eventId));
  return succeed(eventIdData(eventId), { Msg: lang === 'zh' ? '消息已接收' : 'Message accepted' });
}

/** The answer to a draft that was refused before anything was sent. */
export function refusedSend(refusal: DraftRefusal, lang: Lang): DosResult {
  return fail(refusal.error, lang, eventIdData(refusal.eventId));
}

/** The send row of `diy_queue_receive_log` (mq-mqtt.md 3.7). */
export function sendLogRecord(
  clock: Clock,
  message: BuiltMessage,
  messageJson: string,
  error: AppError | undefined,
): ReceiveLogRecord {
  return {
    type: '发送',
    queue: message.queue,
    message: messageJson,
    sendTime: clock.localText(clock.now()),
    receiveTime: null,
    completeTime: null,
    status: error === undefined ? '成功' : '失败',
    statusInfo: error === undefined ? '正常' : `${error.code}: ${error.message}`,
    messageId: message.eventId,
  };
}

/** The send row of a message of the outbox, whose Message stands in its envelope. */
export function relayedLogRecord(clock: Clock, message: BuiltMessage): ReceiveLogRecord {
  const messageJson = memberText(utf8(message.body) ?? '{}', 'Message') ?? 'null';
  return sendLogRecord(clock, message, messageJson, undefined);
}

function eventIdData(eventId: string | undefined): JsonValue {
  return eventId === undefined ? null : { EventId: eventId };
}
