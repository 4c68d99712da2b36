import { encodeEnvelope } from '../core/envelope.ts';
import { accept, type ErrorRecord, type Parsed, refuse } from '../core/errors.ts';
import { parseEventId } from '../core/event-id.ts';
import { findTooMany } from '../core/json-scan.ts';
import { toPhysicalQueue } from '../core/queue-name.ts';
import { MAX_JSON_VALUES, MAX_SENT_MESSAGE_BYTES } from '../core/run-limits.ts';
import { sameTenant } from '../core/tenant.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import type { Ids } from '../ports/ids.ts';
import type { MessageProps } from '../ports/queue.ts';

/** A message somebody wants to send, unchecked. */
export interface MessageDraft {
  readonly queueName: unknown;
  readonly eventId: unknown;
  /** The Message's JSON text, kept as it is. */
  readonly messageJson: string;
  /** The tenant the caller named; blank or its own. */
  readonly osClient: unknown;
}

/** Who sends: always from the trusted context, never from the draft. */
export interface SenderContext {
  readonly tenant: string;
  readonly userId: string | null;
  /** Of the span that makes the message: the message carries it on. */
  readonly trace: TraceContext;
}

/** A checked message, ready for the queue or the outbox. */
export interface BuiltMessage {
  readonly queue: string;
  readonly eventId: string;
  readonly body: Uint8Array;
  readonly props: MessageProps;
}

/** A refused draft. The EventId is there when the refusal came after it, so that the caller can repeat the same one. */
export interface DraftRefusal {
  readonly error: ErrorRecord;
  readonly eventId: string | undefined;
}

/** Checks a draft in the platform's order (mq-mqtt.md 3.4): EventId, tenant, queue, size and values; then builds the envelope. */
export function buildMessage(
  draft: MessageDraft,
  sender: SenderContext,
  ids: Pick<Ids, 'ulid'>,
): { ok: true; value: BuiltMessage } | { ok: false; refusal: DraftRefusal } {
  const parsedId = parseEventId(draft.eventId);
  if (!parsedId.ok) return { ok: false, refusal: { error: parsedId.error, eventId: undefined } };
  const eventId = parsedId.value ?? ids.ulid();
  const refused = (error: ErrorRecord) => ({ ok: false as const, refusal: { error, eventId } });
  const tenant = checkTenant(draft.osClient, sender.tenant);
  if (!tenant.ok) return refused(tenant.error);
  const queue = toPhysicalQueue(sender.tenant, draft.queueName);
  if (!queue.ok) return refused(queue.error);
  const { traceParent, traceState } = sender.trace;
  const envelope = encodeEnvelope({
    eventId,
    tenant: sender.tenant,
    traceParent,
    traceState,
    messageJson: draft.messageJson,
    currentUserId: sender.userId,
  });
  const body = new TextEncoder().encode(envelope);
  const unfit = checkMessageSize(body, envelope);
  if (!unfit.ok) return refused(unfit.error);
  return { ok: true, value: { queue: queue.value, eventId, body, props: propsOf(eventId, sender.trace) } };
}

/** What the receiver would make a dead letter is refused. @param body the bytes of `envelope`. */
export function checkMessageSize(body: Uint8Array, envelope: string): Parsed<void> {
  const size = body.length;
  if (size > MAX_SENT_MESSAGE_BYTES) return refuse('MESSAGE_TOO_LARGE', { size, limit: MAX_SENT_MESSAGE_BYTES });
  if (findTooMany(envelope, MAX_JSON_VALUES) === undefined) return accept(undefined);
  return refuse('MESSAGE_TOO_MANY_VALUES', { limit: MAX_JSON_VALUES });
}

/** Headers as the platform sends them: only what is not blank (mq-mqtt.md 3.6). */
function propsOf(eventId: string, { traceParent, traceState }: TraceContext): MessageProps {
  const headers: Record<string, string> = { traceparent: traceParent };
  if (traceState !== null && traceState !== '') headers.tracestate = traceState;
  return { messageId: eventId, headers };
}

/** A script may name only its own tenant, also in the main tenant (mq-mqtt.md 3.3). */
function checkTenant(requested: unknown, own: string): Parsed<string> {
  if (requested === undefined || requested === null) return accept(own);
  const text = String(requested).trim();
  if (text === '' || sameTenant(text, own)) return accept(own);
  return refuse('TENANT_MISMATCH', { tenant: own });
}
