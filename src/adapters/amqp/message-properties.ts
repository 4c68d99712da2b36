import type { MessageProperties, Options } from 'amqplib';
import type { MessageProps } from '../../ports/queue.ts';

/** The platform's own: what it writes and nothing more (mq-mqtt.md 3.6). */
const CONTENT_TYPE = 'application/json';
const MESSAGE_TYPE = 'microi.tenant-message.v1';

/** Headers that the broker writes. Sent back to it, they would be taken for its own. */
const BROKER_HEADERS = /^x-(death|delivery-count|acquired-count|first-death-|last-death-|opt-)/;

/** Publishes so that the message survives a restart and is returned when no queue takes it. */
export function toPublishOptions(props: MessageProps): Options.Publish {
  return {
    persistent: true,
    mandatory: true,
    contentType: CONTENT_TYPE,
    type: MESSAGE_TYPE,
    headers: props.headers,
    ...(props.messageId === undefined ? {} : { messageId: props.messageId }),
  };
}

/** Properties of a message from anybody: texts stay, bytes are UTF-8, numbers and booleans are written out. */
export function fromProperties(properties: MessageProperties): MessageProps {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(properties.headers ?? {})) {
    const text = textOf(value);
    if (text !== undefined && !BROKER_HEADERS.test(name)) headers[name] = text;
  }
  const { messageId } = properties;
  return typeof messageId === 'string' ? { messageId, headers } : { headers };
}

/** Undefined for what is no single value: tables, arrays, null. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined;
}
