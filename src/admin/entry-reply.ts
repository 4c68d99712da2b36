import type { FastifyReply } from 'fastify';
import { type DosResult, fail } from '../core/dos-result.ts';
import { dispositionOf, type EntryAnswer } from '../core/entry-answer.ts';
import { ERROR_TABLE } from '../core/error-table.ts';
import type { ErrorCode, ErrorRecord, Lang } from '../core/errors.ts';

/**
 * Pages and pictures of scripts come from the same origin as the host's own pages. In a sandbox they have none: neither
 * a session nor anything else that a browser keeps for this host is theirs.
 */
const SCRIPT_PAGE = 'sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads';
const SCRIPT_PICTURE = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Answers a request with what its engine returned. */
export function sendAnswer(reply: FastifyReply, answer: EntryAnswer, lang: Lang): FastifyReply {
  switch (answer.kind) {
    case 'text': {
      if (!answer.html) return reply.type('text/plain; charset=utf-8').send(answer.text);
      reply.header('content-security-policy', SCRIPT_PAGE);
      return reply.type('text/html; charset=utf-8').send(answer.text);
    }
    case 'json':
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.value));
    case 'file': {
      const { type, bytes } = answer.file;
      reply.header('content-security-policy', type === 'application/pdf' ? SCRIPT_PAGE : SCRIPT_PICTURE);
      reply.header('content-disposition', dispositionOf(answer.file));
      return reply.type(type.startsWith('text/') ? `${type}; charset=utf-8` : type).send(Buffer.from(bytes));
    }
    case 'response': {
      const { status, type, headers, bytes } = answer.response;
      reply.header('content-security-policy', SCRIPT_PAGE);
      for (const [name, value] of headers) reply.header(name, name === 'vary' ? withOwn(reply, value) : value);
      return reply.status(status).type(type).send(Buffer.from(bytes));
    }
    case 'redirect':
      return reply.redirect(answer.url, 302);
    case 'refused':
      return sendRefusal(reply, answer.error, lang);
  }
}

/** What the host's answers differ by (its `Vary`) they differ by also when a script names more. */
function withOwn(reply: FastifyReply, vary: string): string {
  const own = reply.getHeader('vary');
  return own === undefined ? vary : `${String(own)}, ${vary}`;
}

/** Refusals that have a status of their own although they are a DosResult; the platform answers 200 else (5.5). */
const STATUS: ReadonlySet<ErrorCode> = new Set([
  'REQUEST_INVALID',
  'JSON_INVALID',
  'REQUEST_TOO_LARGE',
  'ENTRY_MEDIA_TYPE',
  'ENTRY_RATE',
  'ENTRY_REDIRECT_UNSAFE',
  'NOT_FOUND',
  'PLATFORM_ADDRESS_MISSING',
  'INTERNAL',
]);

/** Codes of `DosResult.Code` that say "log in" (v8-surface.md 1.2). */
const LOGIN_CODE = 1001;
const LOGIN: ReadonlySet<ErrorCode> = new Set(['ENTRY_LOGIN', 'ENTRY_TENANT']);

/** Refusals whose text the platform puts into `Data`; here it stands there, too. */
const TEXT_IN_DATA: ReadonlySet<ErrorCode> = new Set(['ENTRY_STOPPED', 'ENGINE_DISABLED']);

/** Answers a request that came to nothing, as the platform words it. */
export function sendRefusal(
  reply: FastifyReply,
  error: ErrorRecord,
  lang: Lang,
  status: number = statusOf(error),
): FastifyReply {
  const result = fail(error, lang);
  const body: DosResult = {
    ...result,
    ...(LOGIN.has(error.code) ? { Code: LOGIN_CODE } : {}),
    ...(TEXT_IN_DATA.has(error.code) ? { Data: result.Msg ?? null } : {}),
  };
  if (error.code === 'ENTRY_RATE') reply.header('retry-after', '1');
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function statusOf({ code, params }: ErrorRecord): number {
  const { http, kind } = ERROR_TABLE[code];
  const isInputTooLarge = code === 'V8_RESULT_TOO_LARGE' && params.what === 'V8.Param';
  return STATUS.has(code) || kind === 'unavailable' || isInputTooLarge ? http : 200;
}
