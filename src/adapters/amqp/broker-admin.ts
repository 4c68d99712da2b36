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
      await findOutWho(access);
      await refuseAdministrator(access, user);
      // A PUT would take the description and the tags away from one that is there.
      const found = await ask(access, 'GET', `/api/vhosts/${vhostPart}`, undefined, [404]);
      if (found.status === 404) await ask(access, 'PUT', `/api/vhosts/${vhostPart}`, {});
      await ask(access, 'PUT', `/api/users/${userPart}`, { password, tags: '' });
      await ask(access, 'PUT', `/api/permissions/${vhostPart}/${userPart}`, permissions);
    },
  };
}

/** A proxy or a page that answers everything is no management interface. */
async function findOutWho(access: BrokerAdminAccess): Promise<void> {
  const { body } = await ask(access, 'GET', '/api/whoami');
  if (typeof (body as { name?: unknown } | undefined)?.name === 'string') return;
  throw new AppError('BROKER_ADMIN_UNREACHABLE', { url: originOf(access.url), reason: 'not RabbitMQ' });
}

/** Its password would be replaced and its rights taken away. */
async function refuseAdministrator(access: BrokerAdminAccess, user: string): Promise<void> {
  const response = await ask(access, 'GET', `/api/users/${encodeURIComponent(user)}`, undefined, [404]);
  if (response.status === 404) return;
  const { tags } = (response.body ?? {}) as { tags?: unknown };
  if (String(tags ?? '') !== '') throw new AppError('BROKER_ACCOUNT_FOREIGN', { user });
}

/** @throws AppError, except for the statuses that are expected. */
async function ask(
  access: BrokerAdminAccess,
  method: string,
  path: string,
  body?: object,
  expected: readonly number[] = [],
): Promise<Answer> {
  const response = await send(access, method, path, body);
  const { status } = response;
  if ((status >= 200 && status < 300) || expected.includes(status)) return response;
  throw new AppError(refusalOf(status, path), {
    url: originOf(access.url),
    reason: `HTTP ${status}`,
    step: `${method} ${path}`,
  });
}

/** `body` is undefined when it is no JSON. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function send(access: BrokerAdminAccess, method: string, path: string, body?: object): Promise<Answer> {
  const login = Buffer.from(`${access.user}:${access.password}`).toString('base64');
  try {
    const response = await fetch(originOf(access.url) + path, {
      method,
      redirect: 'manual',
      headers: { authorization: `Basic ${login}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: parsed(await response.text()) };
  } catch (thrown) {
    throw unreachable(access.url, reasonOf(thrown), thrown);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
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
