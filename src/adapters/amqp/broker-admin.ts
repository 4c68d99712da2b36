import { randomBytes } from 'node:crypto';
import type { BrokerAccount } from '../../core/broker-account.ts';
import { AppError, type ErrorCode } from '../../core/errors.ts';
import type { BrokerAdmin, BrokerAdminAccess } from '../../ports/broker-admin.ts';

/** Time for one answer. Milliseconds. */
const ANSWER_MS = 10_000;

/** 32 characters of base64url; the column holds 50. */
const PASSWORD_BYTES = 24;

/** The management plugin's HTTP API. */
export function createBrokerAdmin(): BrokerAdmin {
  return {
    newPassword: () => randomBytes(PASSWORD_BYTES).toString('base64url'),
    async setUp(access, { user, password, vhost, permissions }: BrokerAccount) {
      const [userPart, vhostPart] = [encodeURIComponent(user), encodeURIComponent(vhost)];
      await ask(access, 'GET', '/api/whoami');
      await refuseAdministrator(access, user);
      await ask(access, 'PUT', `/api/vhosts/${vhostPart}`, {});
      await ask(access, 'PUT', `/api/users/${userPart}`, { password, tags: '' });
      await ask(access, 'PUT', `/api/permissions/${vhostPart}/${userPart}`, permissions);
    },
  };
}

/** Its password would be replaced and its rights taken away. */
async function refuseAdministrator(access: BrokerAdminAccess, user: string): Promise<void> {
  const response = await ask(access, 'GET', `/api/users/${encodeURIComponent(user)}`, undefined, [404]);
  if (response.status === 404) return;
  const { tags } = (await response.json()) as { tags?: unknown };
  if (String(tags ?? '') !== '') throw new AppError('BROKER_ACCOUNT_FOREIGN', { user });
}

/** @throws AppError, except for the statuses that are expected. */
async function ask(
  access: BrokerAdminAccess,
  method: string,
  path: string,
  body?: object,
  expected: readonly number[] = [],
): Promise<Response> {
  const response = await send(access, method, path, body);
  const { status } = response;
  if (response.ok || expected.includes(status)) return response;
  throw new AppError(refusalOf(status, path), {
    url: originOf(access.url),
    reason: `HTTP ${status}`,
    step: `${method} ${path}`,
  });
}

async function send(access: BrokerAdminAccess, method: string, path: string, body?: object): Promise<Response> {
  const login = Buffer.from(`${access.user}:${access.password}`).toString('base64');
  try {
    return await fetch(originOf(access.url) + path, {
      method,
      redirect: 'manual',
      headers: { authorization: `Basic ${login}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (thrown) {
    throw unreachable(access.url, reasonOf(thrown), thrown);
  }
}

function refusalOf(status: number, path: string): ErrorCode {
  if (status === 401 || status === 403) return 'BROKER_ADMIN_LOGIN_REFUSED';
  // Something answers there, which knows not even who asks: it is no management interface.
  return path === '/api/whoami' ? 'BROKER_ADMIN_UNREACHABLE' : 'BROKER_ADMIN_REFUSED';
}

function unreachable(url: string, reason: string, cause: unknown): AppError {
  return new AppError('BROKER_ADMIN_UNREACHABLE', { url: originOf(url), reason }, { cause });
}

/** Without a user or password that somebody wrote into it. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

/** `fetch` hides what happened in its cause. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return thrown.name;
}
