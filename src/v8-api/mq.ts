/** V8.MQ: sending messages (v8-surface.md 6.8, mq-mqtt.md 3). */
import type { DosResult } from '../core/dos-result.ts';
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { type Call, hostCall } from './host-call.ts';
import { asText } from './param-values.ts';

export const MQ = { 'MQ.SendMsg': hostCall(sendMsg) } as const;

/** What a script may say about a message. CurrentToken and trace fields are not among it: they come from the run. */
interface SendRequest {
  readonly queueName: JsonValue | undefined;
  readonly eventId: JsonValue | undefined;
  readonly osClient: JsonValue | undefined;
  readonly message: JsonValue;
}

/** SendMsg({QueueName, Message, EventId?}) or SendMsg(queue, message, eventId?). Data.EventId is the message's id. */
async function sendMsg(call: Call): Promise<DosResult> {
  const request = readRequest(call.args);
  const result = await call.context.sendMessage(request);
  call.context.touch(targetOf(request, result));
  return result;
}

/** @throws AppError PARAM_MISSING without a message; an explicit null is one. */
function readRequest(args: readonly JsonValue[]): SendRequest {
  const [first, second, third] = args;
  if (!isJsonObject(first)) {
    if (args.length < 2) throw new AppError('PARAM_MISSING', { field: 'Message' });
    return { queueName: first, message: second ?? null, eventId: third, osClient: undefined };
  }
  // `Msg` is the older spelling (mq-mqtt.md 3.1).
  const message = first.Message !== undefined ? first.Message : first.Msg;
  if (message === undefined) throw new AppError('PARAM_MISSING', { field: 'Message' });
  return { queueName: first.QueueName, eventId: first.EventId, osClient: first.OsClient, message };
}

function targetOf(request: SendRequest, result: DosResult): string {
  const eventId = isJsonObject(result.Data) ? asText(result.Data.EventId) : undefined;
  return [asText(request.queueName), eventId].filter((part) => part !== undefined).join(' ');
}
