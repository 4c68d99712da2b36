import type { DosResult } from '../core/dos-result.ts';
import { coerceError, type Lang } from '../core/errors.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Queue } from '../ports/queue.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { Tracer } from '../ports/tracer.ts';
import { buildMessage } from './message-build.ts';
import { describeSend, placeOf, startSendSpan } from './message-spans.ts';
import { refusedSend, sendLogRecord, sendResult } from './send-log.ts';

export interface SendServices {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly tracer: Tracer;
}

/** A message sent from outside any script. */
export interface SendRequest {
  readonly queueName: string;
  readonly eventId: string | undefined;
  /** JSON text of the Message, kept as it is. */
  readonly messageJson: string;
  readonly userId: string | null;
  readonly lang: Lang;
  /** Of the request that sends it. */
  readonly trace?: TraceContext | undefined;
}

/** Accepts a message: Code 1 means stored (G1). The EventId comes back also on failure, to be sent again. */
export async function sendMessage(
  services: SendServices,
  store: TenantStore,
  request: SendRequest,
): Promise<DosResult> {
  const draft = {
    queueName: request.queueName,
    eventId: request.eventId,
    messageJson: request.messageJson,
    osClient: undefined,
  };
  const { tracer } = services;
  const span = startSendSpan(tracer, 'send', request.trace);
  const built = buildMessage(draft, { tenant: store.tenant, userId: request.userId, trace: span }, services.ids);
  if (!built.ok) {
    span.end(built.refusal.error.code);
    return refusedSend(built.refusal, request.lang);
  }
  describeSend(span, tracer, 'send', placeOf(built.value, store.tenant));
  const error = await services.queue.publish(store.tenant, [built.value]).then(() => undefined, coerceError);
  span.end(error?.code);
  store.journal.receiveLog(sendLogRecord(services.clock, built.value, request.messageJson, error));
  return sendResult(built.value.eventId, error, request.lang);
}
