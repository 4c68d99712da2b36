import { encodeEnvelope } from '../core/envelope.ts';
import { accept, type ErrorRecord, type Parsed, refuse } from '../core/errors.ts';
import { parseEventId } from '../core/event-id.ts';
import { toPhysicalQueue } from '../core/queue-name.ts';
import { MAX_SENT_MESSAGE_BYTES } from '../core/run-limits.ts';
import { sameTenant } from '../core/tenant.ts';
import { childTraceParent } from '../core/trace-parent.ts';
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
  /** W3C traceparent of the message that started the run. */
  readonly traceParent: string | null;
  readonly traceState: string | null;
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

/** Checks a draft in the platform's order (mq-mqtt.md 3.4): EventId, tenant, queue, size; then builds the envelope. */
export function buildMessage(
  draft: MessageDraft,
  sender: SenderContext,
  ids: Ids,
): { ok: true; value: BuiltMessage } | { ok: false; refusal: DraftRefusal } {
  const parsedId = parseEventId(draft.eventId);
  if (!parsedId.ok) return { ok: false, refusal: { error: parsedId.error, eventId: undefined } };
  const eventId = parsedId.value ?? ids.ulid();
  const refused = (error: ErrorRecord) => ({ ok: false as const, refusal: { error, eventId } });
  const tenant = checkTenant(draft.osClient, sender.tenant);
  if (!tenant.ok) return refused(tenant.error);
  const queue = toPhysicalQueue(sender.tenant, draft.queueName);
  if (!queue.ok) return refused(queue.error);
  const traceParent = childTraceParent(sender.traceParent, hex(ids, 32), hex(ids, 16));
  const body = new TextEncoder().encode(
    encodeEnvelope({
      eventId,
      tenant: sender.tenant,
      traceParent,
      traceState: sender.traceState,
      messageJson: draft.messageJson,
      currentUserId: sender.userId,
    }),
  );
  if (body.length > MAX_SENT_MESSAGE_BYTES) {
    return refused({ code: 'MESSAGE_TOO_LARGE', params: { size: body.length, limit: MAX_SENT_MESSAGE_BYTES } });
  }
  return { ok: true, value: { queue: queue.value, eventId, body, props: propsOf(eventId, traceParent, sender) } };
}

/** Headers as the platform sends them: only what is not blank (mq-mqtt.md 3.6). */
function propsOf(eventId: string, traceParent: string, sender: SenderContext): MessageProps {
  const headers: Record<string, string> = { traceparent: traceParent };
  if (sender.traceState !== null && sender.traceState !== '') headers.tracestate = sender.traceState;
  return { messageId: eventId, headers };
}

/** A script may name only its own tenant, also in the main tenant (mq-mqtt.md 3.3). */
function checkTenant(requested: unknown, own: string): Parsed<string> {
  if (requested === undefined || requested === null) return accept(own);
  const text = String(requested).trim();
  if (text === '' || sameTenant(text, own)) return accept(own);
  return refuse('TENANT_MISMATCH', { tenant: own });
}

function hex(ids: Ids, digits: number): string {
  return ids.guid().replaceAll('-', '').slice(0, digits);
}
