import type { Socket } from 'node:net';
import type { Lang } from '../core/errors.ts';
import { AppError } from '../core/errors.ts';
import { answerError } from './error-answer.ts';

/** Node's code for bytes that are no request, with the status that says so and the rule in words. */
const BROKEN: Readonly<Record<string, readonly [status: string, rule: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', '≤ 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', '≤ 60 s'],
};

/**
 * Answers what never became a request: broken HTTP, headers beyond every bound, a body that stops. The connection ends
 * with it, because nobody knows where the next request would begin.
 */
export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Socket, lang: Lang): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, rule] = BROKEN[error.code ?? ''] ?? ['400 Bad Request', 'HTTP/1.1'];
  const { body } = answerError(new AppError('REQUEST_INVALID', { field: 'HTTP', rule }).toRecord(), lang);
  const json = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(json)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\n\r\n${json}`);
  else socket.destroy(error);
}
