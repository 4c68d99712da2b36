import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bilingual } from '../core/bilingual.ts';
import { AppError } from '../core/errors.ts';
import { sha256 } from './bearer-token.ts';

/** Header in which a page proves that it is the one that logged in. */
export const CSRF_HEADER = 'x-csrf-token';

/** A name with this prefix is only accepted by browsers for this host, with Secure and the path `/`. */
const SECURE_NAME = '__Host-v8host';
const PLAIN_NAME = 'v8host';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** How browsers keep a login. `secure` when people reach the host over https. */
export interface CookieOptions {
  readonly secure: boolean;
}

/** The token in the login's cookie; undefined without one. */
export function sessionCookie(request: Pick<FastifyRequest, 'headers'>, { secure }: CookieOptions): string | undefined {
  const name = secure ? SECURE_NAME : PLAIN_NAME;
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = part.trim().split('=');
    if (key === name && value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** Keeps the login's token in the browser, out of reach of scripts, until `expiresAt` (milliseconds UTC). */
export function setSessionCookie(
  reply: FastifyReply,
  token: string,
  maxAgeSeconds: number,
  { secure }: CookieOptions,
): void {
  const name = secure ? SECURE_NAME : PLAIN_NAME;
  const flags = `HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeSeconds}${secure ? '; Secure' : ''}`;
  reply.header('set-cookie', `${name}=${token}; ${flags}`);
}

/** Takes the login's token out of the browser. */
export function clearSessionCookie(reply: FastifyReply, options: CookieOptions): void {
  setSessionCookie(reply, '', 0, options);
}

/**
 * A request that a cookie lets in and that changes something must show the login's own text, which no page of another
 * origin can read; and where the browser names an origin, it is the host's own or an allowed one.
 * @throws AppError CSRF_REFUSED.
 */
export function refuseForgery(request: FastifyRequest, csrf: string, allowedOrigins: readonly string[]): void {
  if (SAFE_METHODS.has(request.method)) return;
  const { origin } = request.headers;
  if (origin !== undefined && !isOwnOrigin(request, origin) && !allowedOrigins.includes(origin)) {
    throw new AppError('CSRF_REFUSED', { rule: bilingual('来源不同', 'another origin') });
  }
  const shown = request.headers[CSRF_HEADER];
  if (typeof shown !== 'string' || !isSame(shown, csrf)) {
    throw new AppError('CSRF_REFUSED', { rule: bilingual('缺少 X-CSRF-Token', 'X-CSRF-Token is missing or wrong') });
  }
}

/** The scheme is not compared: behind a proxy the host sees http where the browser has https. */
function isOwnOrigin(request: FastifyRequest, origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === request.headers.host;
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}
