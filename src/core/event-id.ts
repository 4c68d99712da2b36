import { accept, type Parsed, refuse } from './errors.ts';

const LONGEST_UNITS = 128;

/** AMQP carries the EventId as message-id, a short string of at most 255 bytes (mq-mqtt.md 3.2). */
const LONGEST_BYTES = 255;

const CONTROL = /\p{Cc}/u;

/**
 * The EventId that a sender chose: trimmed, else verbatim and case-sensitive. Blank or absent is undefined: the caller
 * makes a ULID. A finite integer within ±(2^53-1) stands for its digits. Refusal: EVENT_ID_INVALID.
 */
export function parseEventId(raw: unknown): Parsed<string | undefined> {
  if (raw === undefined || raw === null) return accept(undefined);
  if (typeof raw === 'number') return Number.isSafeInteger(raw) ? accept(String(raw)) : refuse('EVENT_ID_INVALID');
  if (typeof raw !== 'string') return refuse('EVENT_ID_INVALID');
  const text = raw.trim();
  return text === '' ? accept(undefined) : checkEventId(text);
}

/**
 * Checks an EventId that came with a message, without changing it: it is compared ordinally with the broker's
 * message-id and is the key of the inbox. A lone surrogate is refused because two of them would be one id in UTF-8.
 */
export function checkEventId(text: string): Parsed<string> {
  const sound = text.length <= LONGEST_UNITS && text.isWellFormed() && !CONTROL.test(text);
  return sound && utf8Length(text) <= LONGEST_BYTES ? accept(text) : refuse('EVENT_ID_INVALID');
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
