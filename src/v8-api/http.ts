/** V8.Http: outbound requests (v8-surface.md 6.2). Members answer text or a response, on failures too. */
import { describeError, type ErrorRecord, type Lang } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { decodeResponse, type ResponseText } from '../core/response-text.ts';
import type { HttpResponse } from '../ports/http-client.ts';
import { type Call, type HostCall, hostCall } from './host-call.ts';
import { type HttpVerb, readScriptRequest } from './http-request.ts';

const GET: HttpVerb = { method: 'GET', body: undefined };
const HEAD: HttpVerb = { method: 'HEAD', body: undefined };
const POST: HttpVerb = { method: 'POST', body: { prefixes: ['Post'] } };
const PATCH: HttpVerb = { method: 'PATCH', body: { prefixes: ['Patch', 'Post'] } };
const PUT: HttpVerb = { method: 'PUT', body: { prefixes: ['Put', 'Post'] } };
const DELETE: HttpVerb = { method: 'DELETE', body: { prefixes: ['Delete', 'Post'], optional: true } };

/** Put, Delete and HeadResponse are not on the original platform; REST services need them (docs/decisions.md). */
export const HTTP = {
  'Http.Get': textMember(GET),
  'Http.Post': textMember(POST),
  'Http.Patch': textMember(PATCH),
  'Http.Put': textMember(PUT),
  'Http.Delete': textMember(DELETE),
  'Http.GetResponse': responseMember(GET),
  'Http.PostResponse': responseMember(POST),
  'Http.PatchResponse': responseMember(PATCH),
  'Http.PutResponse': responseMember(PUT),
  'Http.DeleteResponse': responseMember(DELETE),
  'Http.HeadResponse': responseMember(HEAD),
} as const;

/** The response's body whatever its status; without a response the error's text. */
function textMember(verb: HttpVerb): HostCall {
  return hostCall(async (call) => (await send(call, verb)).content.text, describeError);
}

/** The whole response; StatusCode 0 when there was none. */
function responseMember(verb: HttpVerb): HostCall {
  return hostCall(async (call) => responseOf(await send(call, verb)), noResponse);
}

interface Answer {
  readonly response: HttpResponse;
  readonly content: ResponseText;
}

async function send(call: Call, verb: HttpVerb): Promise<Answer> {
  const { request, encoding } = readScriptRequest(call, verb);
  call.context.touch(new URL(request.url).host);
  const response = await call.context.http.send(request);
  if (response.status >= 500) call.context.dependencyFailed();
  const contentType = response.headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
  return { response, content: decodeResponse(response.body, contentType, encoding) };
}

/**
 * `RawBytes` crosses as Base64, and only where the text in UTF-8 is not the body already; the prelude makes bytes of
 * it (sandbox/prelude/http-response.js). Binary bodies have no text, which would be larger than they are.
 */
function responseOf({ response, content }: Answer): JsonObject {
  const isBinary = !content.exact && isMostlyUnreadable(content.text);
  return {
    Content: isBinary ? '' : content.text,
    Headers: response.headers.map(({ name, value }) => ({ Name: name, Value: value })),
    StatusCode: response.status,
    ErrorMessage: null,
    ...(content.exact ? {} : { RawBytes: Buffer.from(response.body).toString('base64') }),
  };
}

/** U+FFFD stands for what could not be read; a damaged text has some of it, a picture very much. */
function isMostlyUnreadable(text: string): boolean {
  const unreadable = text.split('\ufffd').length - 1;
  return unreadable > 0 && unreadable * 10 > text.length;
}

function noResponse(error: ErrorRecord, lang: Lang): JsonObject {
  return { Content: '', Headers: [], StatusCode: 0, ErrorMessage: describeError(error, lang), ReasonCode: error.code };
}
