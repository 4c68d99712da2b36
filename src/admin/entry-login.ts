import type { FastifyRequest } from 'fastify';
import { type Caller, maySee } from '../core/access.ts';
import { entryUserOf } from '../core/entry-user.ts';
import { AppError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { bearerToken } from './bearer-token.ts';
import type { Callers } from './callers.ts';

/** Who sent a request, as far as its token tells. */
export interface EntryToken {
  /** Whose valid token it is; undefined without one. */
  readonly caller: Caller | undefined;
  /** Whose users the login is one of, also of one that may act in every tenant; undefined for keys. */
  readonly tenant?: string;
  /** One of the tokens is this host's, valid or expired: scripts see none of them. */
  readonly isOurs: boolean;
  /** A newer token of the same login, which the answer brings in its header `authorization`. */
  readonly renewed?: string;
}

/** Headers that scripts do not see: sessions of the host's own pages. */
const HIDDEN = new Set(['cookie', 'proxy-authorization']);

/** Headers in which a token may stand. */
const TOKEN_HEADERS = ['authorization', 'token'];

/**
 * Reads the token of `Authorization`, of `Token`, or of the form field `authorization` (v8-surface.md 8.3). Cookies are
 * not asked: a page elsewhere could make a browser send them. The first counts; one that is not valid is no token.
 */
export async function readToken(
  request: FastifyRequest,
  formField: string | undefined,
  callers: Callers,
): Promise<EntryToken> {
  const { authorization, token } = request.headers;
  const [first, ...others] = [authorization, token, formField].filter(
    (text) => typeof text === 'string' && text !== '',
  );
  if (first === undefined) return { caller: undefined, isOurs: false };
  const read = (text: unknown) => readOne(String(text).trim(), callers);
  const [login, rest] = [await read(first), await Promise.all(others.map(read))];
  return { ...login, isOurs: login.isOurs || rest.some(({ isOurs }) => isOurs) };
}

async function readOne(given: string, callers: Callers): Promise<EntryToken> {
  try {
    const { caller, renewed, login } = await callers.identify(/\s/.test(given) ? bearerToken(given) : given);
    const home = login === undefined ? {} : { tenant: login.tenant };
    return { caller, isOurs: true, ...home, ...(renewed === undefined ? {} : { renewed: renewed.token }) };
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code === 'INTERNAL') throw thrown;
    return { caller: undefined, isOurs: thrown.code !== 'UNAUTHORIZED' };
  }
}

/** The login in one tenant: a token of another one is none. */
export function loginAt(tenant: string, { caller }: EntryToken) {
  return caller !== undefined && maySee(caller, tenant) ? { caller, user: entryUserOf(caller) } : undefined;
}

/**
 * `V8.Header`: every header under its name as it was sent, and in lower case. Tokens of this host are left out: a script
 * is its tenant's, and the token may be the operator's or another tenant's.
 */
export function scriptHeaders(request: FastifyRequest, { isOurs }: EntryToken): JsonObject {
  const headers = new Map<string, string>();
  const raw = request.raw.rawHeaders;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = [raw[index], raw[index + 1]];
    const lower = name.toLowerCase();
    if (lower === '__proto__' || HIDDEN.has(lower) || (isOurs && TOKEN_HEADERS.includes(lower))) continue;
    const before = headers.get(lower);
    const joined = before === undefined ? value : `${before}, ${value}`;
    headers.set(name, joined);
    headers.set(lower, joined);
  }
  return Object.fromEntries(headers);
}
