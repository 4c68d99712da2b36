/** What the host tells of messages in their traces: names and attributes (docs/traces.md). */
import { readTraceContext, type TraceContext } from '../core/trace-parent.ts';
import type { BrokerMessage } from '../ports/broker.ts';
import type { OutgoingMessage } from '../ports/queue.ts';
import type { Span, SpanAttributes, Tracer } from '../ports/tracer.ts';
import type { BuiltMessage } from './message-build.ts';
import type { CheckedMessage } from './received-message.ts';

/** Where a message goes or comes from. */
interface Place {
  /** Physical queue, or topic. */
  readonly destination: string;
  readonly system: string;
  readonly tenant: string;
  readonly eventId?: string;
  readonly bytes: number;
}

/** Queues are few; topics are as many as devices. */
function nameOf({ system, destination }: Place): string {
  return system === 'mqtt' ? 'mqtt' : destination;
}

function messagingAttributes(operation: string, type: string, place: Place): SpanAttributes {
  return {
    'messaging.system': place.system,
    'messaging.operation.name': operation,
    'messaging.operation.type': type,
    'messaging.destination.name': place.destination,
    'messaging.message.id': place.eventId,
    'messaging.message.body.size': place.bytes,
    'v8host.tenant': place.tenant,
  };
}

/** The handling of one delivery, from its receipt to its settlement. */
export function startDeliverySpan(tracer: Tracer, message: CheckedMessage): Span {
  const { envelope, key, store, delivery, attempt, binding } = message;
  const parent = readTraceContext(envelope.traceParent, envelope.traceState);
  if (!tracer.isOn) return tracer.start('', { kind: 'consumer', parent });
  const place = {
    destination: key.queue,
    system: tracer.messagingSystem,
    tenant: store.tenant,
    eventId: key.eventId,
    bytes: delivery.body.length,
  };
  return tracer.start(`process ${key.queue}`, {
    kind: 'consumer',
    parent,
    attributes: {
      ...messagingAttributes('process', 'process', place),
      'v8host.engine': binding.engineKey,
      'v8host.attempt': attempt,
      'v8host.redelivered': delivery.redelivered,
    },
  });
}

/** The making of a message; its context is the message's. @param operation `create` when the outbox sends it later. */
export function startSendSpan(tracer: Tracer, operation: 'create' | 'send', parent: TraceContext | undefined): Span {
  return tracer.start(operation, { kind: 'producer', parent });
}

/** Where a built message goes. */
export function placeOf({ queue, eventId, body }: BuiltMessage, tenant: string): Omit<Place, 'system'> {
  return { destination: queue, tenant, eventId, bytes: body.length };
}

/** Says what a message became. */
export function describeSend(
  span: Span,
  tracer: Tracer,
  operation: 'create' | 'send',
  message: Omit<Place, 'system'> & { readonly system?: string },
): void {
  if (!tracer.isOn) return;
  const place = { system: tracer.messagingSystem, ...message };
  span.rename(`${operation} ${nameOf(place)}`);
  span.set(messagingAttributes(operation, operation, place));
}

/** Sends messages that have their contexts already, each under a span of its own. @throws what `send` throws. */
export async function traceRelay(
  tracer: Tracer,
  tenant: string,
  messages: readonly OutgoingMessage[],
  send: () => Promise<void>,
): Promise<void> {
  if (!tracer.isOn) return send();
  const spans = messages.map((message) => startRelaySpan(tracer, tenant, message));
  const end = (error?: string): void => {
    for (const span of spans) span.end(error);
  };
  try {
    await send();
    end();
  } catch (e) {
    end('QUEUE_UNAVAILABLE');
    throw e;
  }
}

function startRelaySpan(tracer: Tracer, tenant: string, { queue, props, body }: OutgoingMessage): Span {
  const { traceparent, tracestate, topic } = props.headers;
  const place = {
    destination: topic ?? queue,
    system: topic === undefined ? tracer.messagingSystem : 'mqtt',
    tenant,
    ...(props.messageId === undefined ? {} : { eventId: props.messageId }),
    bytes: body.length,
  };
  return tracer.start(`send ${nameOf(place)}`, {
    kind: 'client',
    parent: readTraceContext(traceparent, tracestate),
    attributes: messagingAttributes('send', 'send', place),
  });
}

/** The context that a device gave its message: user properties of MQTT 5, named as the headers of HTTP. */
export function contextOfDevice({ properties }: Pick<BrokerMessage, 'properties'>): TraceContext | undefined {
  const named = (wanted: string) => properties.userProperties?.find(([name]) => name.toLowerCase() === wanted)?.[1];
  return readTraceContext(named('traceparent'), named('tracestate'));
}

/** The same, for a message to devices. One that a script gave it stays. */
export function withDeviceContext(message: BrokerMessage, { traceParent, traceState }: TraceContext): BrokerMessage {
  if (contextOfDevice(message) !== undefined) return message;
  const { userProperties = [] } = message.properties;
  const state: [string, string][] = traceState === null ? [] : [['tracestate', traceState]];
  const own: [string, string][] = [['traceparent', traceParent], ...state];
  return { ...message, properties: { ...message.properties, userProperties: [...userProperties, ...own] } };
}

/** What a device's message is to the gate or to a queue: `process` or `send`. */
export function startDeviceSpan(tracer: Tracer, message: BrokerMessage, tenant: string): Span {
  const place = { destination: message.topic, system: 'mqtt', tenant, bytes: message.payload.length };
  return tracer.start('process mqtt', {
    kind: 'consumer',
    parent: contextOfDevice(message),
    ...(tracer.isOn ? { attributes: messagingAttributes('process', 'process', place) } : {}),
  });
}
