import { AppError, coerceError } from '../core/errors.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import type { BrokerMessage, MessageProperties, Qos } from '../ports/broker.ts';
import type { Downlink } from '../ports/downlink.ts';
import type { Ids } from '../ports/ids.ts';
import type { OutgoingMessage, Queue } from '../ports/queue.ts';
import type { BuiltMessage } from './message-build.ts';

/** Name under which messages to devices stand in the outbox; no queue can have it. */
const DOWNLINK = 'mqtt:downlink';

/** A message to devices as the outbox keeps it. @param trace of the span that makes it. */
export function toOutboxMessage(message: BrokerMessage, ids: Ids, trace: TraceContext): BuiltMessage {
  const eventId = ids.ulid();
  const { topic, qos, retain, payload, properties } = message;
  const headers = {
    topic,
    qos: String(qos),
    retain: String(retain),
    properties: JSON.stringify(properties),
    traceparent: trace.traceParent,
    ...(trace.traceState === null ? {} : { tracestate: trace.traceState }),
  };
  return { queue: DOWNLINK, eventId, body: payload, props: { messageId: eventId, headers } };
}

/** True for what goes to devices and not to a queue. */
export function isDownlink(message: Pick<OutgoingMessage, 'queue'>): boolean {
  return message.queue === DOWNLINK;
}

/** The queue, with messages to devices going to the broker: so they leave after the commit that sends them. */
export function withDownlinks(queue: Queue, downlink: Pick<Downlink, 'publish'>): Queue {
  return {
    consume: (...args) => queue.consume(...args),
    refreshTenant: (...args) => queue.refreshTenant(...args),
    closeTenant: (tenant) => queue.closeTenant(tenant),
    inspect: (tenant, name) => queue.inspect(tenant, name),
    depth: (...args) => queue.depth(...args),
    connections: () => queue.connections(),
    close: () => queue.close(),
    async publish(tenant, messages) {
      const forDevices = messages.filter(isDownlink);
      if (forDevices.length === 0) return queue.publish(tenant, messages);
      await queue.publish(
        tenant,
        messages.filter((message) => !isDownlink(message)),
      );
      for (const message of forDevices) await send(downlink, tenant, message);
    },
  };
}

/** A broker that does not run, or a tenant in a hurry, is a matter of time: the outbox keeps the message. */
async function send(downlink: Pick<Downlink, 'publish'>, tenant: string, message: OutgoingMessage): Promise<void> {
  try {
    await downlink.publish(tenant, fromOutboxMessage(message), message.props.messageId);
  } catch (e) {
    throw new AppError('QUEUE_UNAVAILABLE', {}, { cause: coerceError(e) });
  }
}

function fromOutboxMessage({ body, props }: OutgoingMessage): BrokerMessage {
  const { topic = '', qos, retain, properties = '{}' } = props.headers;
  return {
    topic,
    payload: body,
    qos: Number(qos) as Qos,
    retain: retain === 'true',
    properties: JSON.parse(properties) as MessageProperties,
  };
}
