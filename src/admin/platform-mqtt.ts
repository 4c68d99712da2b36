import { type DosResult, fail, succeed } from '../core/dos-result.ts';
import type { EntryAnswer } from '../core/entry-answer.ts';
import { type EntrySources, entryValue } from '../core/entry-param.ts';
import { coerceError, type ErrorRecord, type Lang } from '../core/errors.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { memberText } from '../core/json-text.ts';
import type { DownlinkDraft } from '../ports/downlink.ts';
import type { PlatformRequest } from './platform-mq.ts';
import type { AdminServices } from './services.ts';

type MqttServices = Pick<AdminServices, 'mqtt' | 'writeLog'>;

/** Where `send-command` publishes (mq-mqtt.md 7). */
const COMMAND_TOPIC = 'M100/command';

const PUBLISHED: Readonly<Record<Lang, string>> = { zh: '消息已发布', en: 'The message was published' };

/** `/api/mqtt/getstatus/status`: the status alone, in no DosResult (mq-mqtt.md 7). */
export async function statusByController({ mqtt }: MqttServices, { tenant }: PlatformRequest): Promise<EntryAnswer> {
  return { kind: 'json', value: await statusOf(mqtt, tenant) };
}

/**
 * `/api/mqtt/sendcommand/send-command`: its body is a JSON text, which goes to the topic `M100/command` with QoS 0. The
 * answer is plain text; a refusal is a DosResult.
 */
export async function commandByController(services: MqttServices, request: PlatformRequest): Promise<EntryAnswer> {
  const { bodyText, lang } = request;
  if (bodyText === undefined) return json(refused('body', 'JSON "…"', lang));
  const result = await publish(services, request, draftOf(COMMAND_TOPIC, bodyText, 0, false));
  return result.Code === 1 ? { kind: 'text', html: false, text: 'Command sent' } : json(result);
}

/** `/apiengine/platform-mqtt`: `Action` is `Status` or `Publish`, in any case (mq-mqtt.md 8.2). */
export async function manageMqtt(services: MqttServices, request: PlatformRequest): Promise<EntryAnswer> {
  const { sources, tenant, lang } = request;
  switch (textOf(entryValue(sources, 'Action')).toLowerCase()) {
    case 'status':
      return json(succeed(await statusOf(services.mqtt, tenant)));
    case 'publish':
      return json(await publishByAction(services, request));
    default:
      return json(refused('Action', 'Status, Publish', lang));
  }
}

async function publishByAction(services: MqttServices, request: PlatformRequest): Promise<DosResult> {
  const { sources, lang } = request;
  const topic = textOf(entryValue(sources, 'Topic'));
  if (topic === '') return fail({ code: 'PARAM_MISSING', params: { field: 'Topic' } }, lang);
  const qos = String(entryValue(sources, 'Qos') ?? 0).trim();
  if (!/^[012]$/.test(qos)) return refused('Qos', '0, 1, 2', lang);
  const retain = ['true', '1'].includes(String(entryValue(sources, 'Retain') ?? false).toLowerCase());
  return publish(services, request, draftOf(topic, payloadOf(request), Number(qos), retain));
}

/** Each publish is a line of the tenant's log: topic, QoS, retained or not and bytes, never the payload. */
async function publish(
  { mqtt, writeLog }: MqttServices,
  { tenant, origin, lang }: PlatformRequest,
  draft: DownlinkDraft,
): Promise<DosResult> {
  const outcome = await mqtt.publish(tenant, draft, origin).then(
    () => ({ ...succeed(null), Msg: PUBLISHED[lang] }),
    (thrown: unknown) => fail(coerceError(thrown).toRecord(), lang),
  );
  const { topic, qos, retain, payload } = draft;
  await writeLog(tenant, {
    type: 'MQTT',
    title: 'PublishByApiEngine',
    content: `${topic.slice(0, 512)}, QoS ${qos}, retain ${retain}, ${payload.byteLength} bytes`,
    level: outcome.Code === 1 ? 1 : 3,
    eventId: '',
  });
  return outcome;
}

async function statusOf(mqtt: MqttServices['mqtt'], tenant: string): Promise<JsonObject> {
  const { isRunning } = await mqtt.status(tenant);
  const clients = isRunning ? (await mqtt.sessions(tenant)).filter(({ online }) => online) : [];
  return {
    IsRunning: isRunning,
    OsClient: tenant,
    StatusScope: 'CurrentNode',
    ConnectedClients: Object.fromEntries(clients.map(({ clientId }) => [clientId, tenant])),
  };
}

/** `Payload`, else `Message`. Text goes as it is, anything else as the JSON that was sent; none is an empty one. */
function payloadOf({ sources, bodyJson }: PlatformRequest): string {
  const name = ['Payload', 'Message'].find((each) => entryValue(sources, each) !== undefined);
  if (name === undefined) return '';
  const value = entryValue(sources, name) ?? null;
  if (value === null) return '';
  if (typeof value === 'string') return value;
  return (bodyJson === undefined ? undefined : writtenIn(bodyJson, sources, name)) ?? JSON.stringify(value);
}

/** As the body has it, so that a long number keeps its digits. */
function writtenIn(bodyJson: string, { body }: EntrySources, name: string): string | undefined {
  const written = Object.keys(body).find((each) => each.toLowerCase() === name.toLowerCase());
  return written === undefined ? undefined : memberText(bodyJson, written);
}

function draftOf(topic: string, payload: string, qos: number, retain: boolean): DownlinkDraft {
  return {
    topic,
    payload: new TextEncoder().encode(payload),
    qos,
    retain,
    responseTopic: undefined,
    contentType: undefined,
    userProperties: [],
  };
}

function json(result: DosResult): EntryAnswer {
  return { kind: 'json', value: { ...result } as JsonValue };
}

function refused(field: string, rule: string, lang: Lang): DosResult {
  const error: ErrorRecord = { code: 'REQUEST_INVALID', params: { field, rule } };
  return fail(error, lang);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
