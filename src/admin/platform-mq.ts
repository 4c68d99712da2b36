import type { ChangeOrigin } from '../core/change-origin.ts';
import { type DosResult, fail } from '../core/dos-result.ts';
import { type EntrySources, entryValue } from '../core/entry-param.ts';
import type { ErrorRecord, Lang } from '../core/errors.ts';
import { parseEventId } from '../core/event-id.ts';
import { memberText } from '../core/json-text.ts';
import type { TraceContext } from '../core/trace-parent.ts';
import type { AdminServices } from './services.ts';

/** A request to one of the platform's own addresses, from an administrator of the tenant. */
export interface PlatformRequest {
  readonly tenant: string;
  readonly userId: string;
  readonly origin: ChangeOrigin;
  readonly sources: EntrySources;
  /** Text of a JSON body: a message keeps its own JSON. */
  readonly bodyJson: string | undefined;
  /** A JSON body that is a text and no object. */
  readonly bodyText: string | undefined;
  readonly lang: Lang;
  /** Of the request. */
  readonly trace: TraceContext | undefined;
}

type MqServices = Pick<AdminServices, 'sendMessage' | 'writeLog'>;

/** Longest message through the managed engines. Bytes of compact JSON, UTF-8 (mq-mqtt.md 8). */
export const MANAGED_BYTES = 1024 * 1024;

/** Stricter than a queue's name elsewhere (mq-mqtt.md 8.1). */
const MANAGED_QUEUE = /^[A-Za-z0-9_.-]{1,128}$/;

/** `/api/mq/sendmsg`: sends as the user who is logged in. Refusals are the result's `Code: 0`. */
export async function sendByController(services: MqServices, request: PlatformRequest): Promise<DosResult> {
  return send(services, request, textOf(entryValue(request.sources, 'QueueName')), request.userId);
}

/**
 * `/apiengine/platform-mq`: its only action is `Send`, with a shorter name and message than elsewhere. Each send is a
 * line of the tenant's log: queue, size and EventId, never what is in the message (mq-mqtt.md 8.1).
 */
export async function manageMq(services: MqServices, request: PlatformRequest): Promise<DosResult> {
  const { sources, lang } = request;
  if (textOf(entryValue(sources, 'Action')).toLowerCase() !== 'send') return refused('Action', 'Send', lang);
  const queue = textOf(entryValue(sources, 'QueueName'));
  if (!MANAGED_QUEUE.test(queue)) return refused('QueueName', '[A-Za-z0-9_.-]{1,128}', lang);
  const size = Buffer.byteLength(JSON.stringify(messageOf(sources)?.value ?? null));
  if (size > MANAGED_BYTES) {
    return fail({ code: 'MESSAGE_TOO_LARGE', params: { size, limit: MANAGED_BYTES } }, lang);
  }
  const result = await send(services, request, queue, null);
  const eventId = eventIdOf(result);
  await services.writeLog(request.tenant, {
    type: 'MQ',
    title: 'PublishByApiEngine',
    content: `${queue}, ${size} bytes, EventId ${eventId}`,
    level: result.Code === 1 ? 1 : 3,
    eventId,
  });
  return result;
}

async function send(
  services: MqServices,
  { tenant, sources, bodyJson, lang, trace }: PlatformRequest,
  queue: string,
  userId: string | null,
): Promise<DosResult> {
  const eventId = parseEventId(entryValue(sources, 'EventId'));
  if (!eventId.ok) return fail(eventId.error, lang);
  const message = messageOf(sources);
  if (message === undefined) return fail({ code: 'PARAM_MISSING', params: { field: 'Message' } }, lang);
  const written = message.inBody && bodyJson !== undefined ? memberText(bodyJson, message.name) : undefined;
  const messageJson = written ?? JSON.stringify(message.value);
  return services.sendMessage(tenant, queue, { eventId: eventId.value, messageJson, userId, trace }, lang);
}

/** `Message`, or `Msg` as older clients write it (mq-mqtt.md 3.1), in any case; query before form before body. */
function messageOf({ query, form, body }: EntrySources) {
  for (const wanted of ['message', 'msg']) {
    for (const source of [query, form, body]) {
      const name = Object.keys(source).find((candidate) => candidate.toLowerCase() === wanted);
      if (name !== undefined) return { name, value: source[name] ?? null, inBody: source === body };
    }
  }
  return undefined;
}

function refused(field: string, rule: string, lang: Lang): DosResult {
  const error: ErrorRecord = { code: 'REQUEST_INVALID', params: { field, rule } };
  return fail(error, lang);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function eventIdOf({ Data }: DosResult): string {
  const eventId = typeof Data === 'object' && Data !== null && 'EventId' in Data ? Data.EventId : undefined;
  return typeof eventId === 'string' ? eventId : '';
}
