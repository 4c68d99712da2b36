import type { Binding } from '../core/binding.ts';
import { type ReceivedEnvelope, readEnvelope } from '../core/envelope.ts';
import type { ErrorRecord } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import { orderKeyOf } from '../core/order-key.ts';
import { MAX_RECEIVED_MESSAGE_BYTES } from '../core/run-limits.ts';
import type { Ids } from '../ports/ids.ts';
import type { Delivery } from '../ports/queue.ts';
import type { EventKey, TenantStore } from '../ports/tenant-store.ts';
import type { Span } from '../ports/tracer.ts';

/** Longest order key that is kept as it is. */
const MAX_KEY_LENGTH = 100;

/** Headers in which a message carries its attempt and its replay cycle, both counted from 1 (F3). */
export const ATTEMPT_HEADER = 'x-v8-attempt';
export const CYCLE_HEADER = 'x-v8-cycle';

/** A count as a host writes it. */
const COUNTER = /^[1-9]\d{0,8}$/;

/** Borne by a message that comes from a parked row which stays until the message is decided. */
export const PARKED_HEADER = 'x-v8-parked';

/** A delivery that passed every check of its envelope. */
export interface ReceivedMessage {
  readonly store: TenantStore;
  readonly binding: Binding;
  readonly delivery: Delivery;
  readonly envelope: ReceivedEnvelope;
  readonly key: EventKey;
  /** SHA-256 of the Message alone: the envelope's trace fields differ between two sends of the same event. */
  readonly messageHash: string;
  readonly attempt: number;
  readonly cycle: number;
  /** By the binding's path; undefined when the message needs no order. */
  readonly orderKey: string | undefined;
  /** Its handling in its trace, up to its settlement. */
  readonly span: Span;
}

/** A message before it is handled. */
export type CheckedMessage = Omit<ReceivedMessage, 'span'>;

/** True when rows of this message may be parked. */
export function mayBeParked({ attempt, cycle, delivery }: ReceivedMessage): boolean {
  return attempt > 1 || cycle > 1 || delivery.props.headers[PARKED_HEADER] !== undefined;
}

/** True when an earlier delivery or attempt of this message may have left something behind. */
export function isRepeated(message: ReceivedMessage): boolean {
  return mayBeParked(message) || message.delivery.redelivered;
}

/** A delivery that no script may see: it is parked dead. */
export interface RefusedMessage {
  readonly eventId: string;
  readonly reason: 'invalid-envelope' | 'too-large';
  readonly error: ErrorRecord;
}

/** Checks a delivery (delivery.md 3.1 step 1, mq-mqtt.md 4.2). */
export function receiveMessage(
  store: TenantStore,
  binding: Binding,
  delivery: Delivery,
  ids: Ids,
): { ok: true; value: CheckedMessage } | { ok: false; value: RefusedMessage } {
  if (delivery.body.length > MAX_RECEIVED_MESSAGE_BYTES) {
    const params = { size: delivery.body.length, limit: MAX_RECEIVED_MESSAGE_BYTES };
    return refused(delivery, ids, 'too-large', { code: 'MESSAGE_TOO_LARGE', params });
  }
  const envelope = readEnvelope(delivery.body, delivery.props, store.tenant);
  if (!envelope.ok) return refused(delivery, ids, 'invalid-envelope', envelope.error);
  return {
    ok: true,
    value: {
      store,
      binding,
      delivery,
      envelope: envelope.value,
      key: { queue: delivery.queue, eventId: envelope.value.eventId },
      messageHash: ids.sha256Hex(JSON.stringify(envelope.value.message)),
      attempt: counterOf(delivery, ATTEMPT_HEADER),
      cycle: counterOf(delivery, CYCLE_HEADER),
      orderKey: keyOf(binding, envelope.value.message, ids),
    },
  };
}

/** A long key is one by its hash: the column of parked rows holds 128 characters. */
function keyOf({ orderKey: path }: Binding, message: JsonValue, ids: Ids): string | undefined {
  const key = path === undefined ? undefined : orderKeyOf(path, message);
  return key === undefined || key.length <= MAX_KEY_LENGTH ? key : `sha256:${ids.sha256Hex(key)}`;
}

/** The id of a message without a usable one: the same bytes always meet in the same dead letter. */
function refused(delivery: Delivery, ids: Ids, reason: RefusedMessage['reason'], error: ErrorRecord) {
  const props = JSON.stringify([delivery.props.messageId ?? null, Object.entries(delivery.props.headers).sort()]);
  const hash = ids.sha256Hex(`${ids.sha256Hex(delivery.body)}|${props}`);
  return { ok: false as const, value: { eventId: `sha256:${hash}`, reason, error } };
}

/**
 * Any producer may write these headers. What no host wrote counts for nothing: a number that the columns of parked rows
 * cannot hold, or of which a later attempt or replay could not be counted, would keep its message going round for ever.
 */
function counterOf(delivery: Delivery, header: string): number {
  const text = delivery.props.headers[header] ?? '';
  return COUNTER.test(text) ? Number(text) : 1;
}
