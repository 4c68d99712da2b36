import { accept, type Parsed, refuse } from './errors.ts';
import { parseEventId } from './event-id.ts';

/** What `V8.Inbox.Once` claims: a row of the inbox under a name that no queue can have. */
export interface OnceKey {
  /** `once:` and the engine in lower case, as engines are looked up. Physical queues begin with `microi.`. */
  readonly queue: string;
  readonly eventId: string;
}

/**
 * The inbox row of a key of an engine. A key follows the rules of an EventId, is compared byte by byte, and is never
 * made up: PARAM_MISSING when it is blank or absent, EVENT_ID_INVALID.
 */
export function onceKey(engineKey: string, raw: unknown): Parsed<OnceKey> {
  const eventId = parseEventId(raw);
  if (!eventId.ok) return eventId;
  if (eventId.value === undefined) return refuse('PARAM_MISSING', { field: 'key' });
  return accept({ queue: `once:${engineKey.toLowerCase()}`, eventId: eventId.value });
}
