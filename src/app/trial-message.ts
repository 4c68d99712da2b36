import type { Binding } from '../core/binding.ts';
import { encodeEnvelope, type ReceivedEnvelope, readEnvelope } from '../core/envelope.ts';
import { AppError, orThrow } from '../core/errors.ts';
import type { Ids } from '../ports/ids.ts';
import type { TenantStore } from '../ports/tenant-store.ts';

/** What to try: a dead letter or an earlier delivery by its EventId, or a sample message. */
export interface TrialRequest {
  /** Needed unless `messageJson` is given. */
  readonly eventId?: string;
  /** Physical name; needed for a sample message unless `engineKey` is given. */
  readonly queue?: string;
  /** JSON text of the Message, in the place of the one that is stored. */
  readonly messageJson?: string;
  /** Another engine than the binding's. */
  readonly engineKey?: string;
  /** A draft in the place of what is stored under `engineKey`, where perhaps nothing is stored yet. */
  readonly source?: string;
  /** Requests leave the host, for real. */
  readonly allowHttp: boolean;
}

/** A message to try, as a run would get it. */
export interface TrialMessage {
  /** Physical name; empty when no queue is meant. */
  readonly queue: string;
  readonly envelope: ReceivedEnvelope;
  readonly binding: Binding | undefined;
}

interface Found {
  readonly queue: string;
  readonly envelope: ReceivedEnvelope;
}

/**
 * Finds or makes the message of a trial.
 * @throws AppError NOT_FOUND (no message with this EventId is stored), ENVELOPE_INVALID, REQUEST_INVALID, JSON_INVALID.
 */
export async function findTrialMessage(store: TenantStore, request: TrialRequest, ids: Ids): Promise<TrialMessage> {
  const found =
    request.messageJson === undefined ? await findStored(store, request) : await makeSample(store, request, ids);
  const { bindings } = await store.bindings.readAll();
  const binding = bindings.find(({ physicalQueue }) => physicalQueue === found.queue);
  return { ...found, binding };
}

/** A parked row first: it has the message byte for byte. */
async function findStored(store: TenantStore, { eventId, queue }: TrialRequest): Promise<Found> {
  if (eventId === undefined) {
    throw new AppError('REQUEST_INVALID', {
      field: 'body.eventId',
      rule: '须填写 eventId 或 Message / give an eventId or a Message',
    });
  }
  const [row] = await store.deadLetters.find({ eventId, ...(queue === undefined ? {} : { queue }) });
  if (row !== undefined) {
    const envelope = orThrow(readEnvelope(row.body, row.props, store.tenant));
    return { queue: row.queue, envelope };
  }
  const { receiveLog } = await store.journal.story(eventId);
  const received = receiveLog.findLast(
    (entry) => entry.type === '接收' && entry.message !== null && (queue ?? entry.queue) === entry.queue,
  );
  if (received?.message === null || received === undefined) {
    throw new AppError('NOT_FOUND', { what: `EventId ${eventId}` });
  }
  return { queue: received.queue, envelope: envelopeOf(store.tenant, eventId, received.message) };
}

async function makeSample(store: TenantStore, request: TrialRequest, ids: Ids): Promise<Found> {
  const eventId = request.eventId ?? ids.ulid();
  const envelope = envelopeOf(store.tenant, eventId, request.messageJson ?? 'null');
  const [row] = request.eventId === undefined ? [] : await store.deadLetters.find({ eventId });
  return { queue: request.queue ?? row?.queue ?? '', envelope };
}

/** Written and read again, so that a trial sees exactly what a delivery would. */
function envelopeOf(tenant: string, eventId: string, messageJson: string): ReceivedEnvelope {
  const fields = { eventId, tenant, traceParent: null, traceState: null, messageJson, currentUserId: null };
  const body = new TextEncoder().encode(encodeEnvelope(fields));
  return orThrow(readEnvelope(body, { headers: {} }, tenant));
}
