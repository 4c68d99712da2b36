/** V8.Http: outbound requests (v8-surface.md 6.2). Members answer text or a response, on failures too. */
import { describeError, type ErrorRecord, type Lang } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { HttpResponse } from '../ports/http-client.ts';
import { type Call, hostCall } from './host-call.ts';
import { readPostRequest } from './http-request.ts';

export const HTTP = {
  /** The response's body whatever its status; without a response the error's text. */
  'Http.Post': hostCall(async (call) => (await send(call)).body, describeError),
  /** The whole response; StatusCode 0 when there was none. */
  'Http.PostResponse': hostCall(async (call) => responseOf(await send(call)), noResponse),
} as const;

async function send(call: Call): Promise<HttpResponse> {
  const request = readPostRequest(call);
  call.context.touch(new URL(request.url).host);
  return call.context.http.send(request);
}

function responseOf(response: HttpResponse): JsonObject {
  return {
    Content: response.body,
    Headers: response.headers.map(({ name, value }) => ({ Name: name, Value: value })),
    StatusCode: response.status,
    ErrorMessage: null,
  };
}

function noResponse(error: ErrorRecord, lang: Lang): JsonObject {
  return { Content: '', Headers: [], StatusCode: 0, ErrorMessage: describeError(error, lang), ReasonCode: error.code };
}
