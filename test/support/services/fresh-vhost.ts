import { after } from 'node:test';
import { freshName, freshPassword } from './fresh-names.ts';
import { managementApi } from './rabbitmq.ts';
import { service } from './services.ts';

export interface FreshVhost {
  /** Of the vhost's own user. */
  readonly url: string;
  /** Management API of the administrator, see `managementApi`. */
  readonly apiUrl: string;
  readonly host: string;
  readonly port: number;
  readonly vhost: string;
  readonly user: string;
  readonly password: string;
}

export interface Permissions {
  readonly configure: string;
  readonly write: string;
  readonly read: string;
}

export interface FreshVhostOptions {
  /** The node with the vhost; default is the shared one. A `RabbitMq` fits. */
  readonly node?: { readonly url: string; readonly apiUrl: string };
  /** What the user may do; default everything. */
  readonly permissions?: Permissions;
}

const EVERYTHING: Permissions = { configure: '.*', write: '.*', read: '.*' };

const made: FreshVhost[] = [];

// At the end of the file and not of the test: hooks of a test run in the order of their registration, so the vhost
// would go before the host that uses it.
after(async () => {
  await Promise.all(made.map((vhost) => drop(vhost)));
});

/** A new vhost and a user who sees nothing else; both go after the tests of the file. */
export async function freshVhost(options: FreshVhostOptions = {}): Promise<FreshVhost> {
  const node = options.node ?? (await sharedNode());
  const [vhost, user, password] = [freshName(), freshName(), freshPassword()];
  await put(node.apiUrl, `/api/vhosts/${vhost}`, {});
  await put(node.apiUrl, `/api/users/${user}`, { password, tags: '' });
  await put(node.apiUrl, `/api/permissions/${vhost}/${user}`, options.permissions ?? EVERYTHING);
  const { hostname, port } = new URL(node.url);
  const at = `${hostname}:${port || '5672'}`;
  const url = `amqp://${user}:${encodeURIComponent(password)}@${at}/${vhost}`;
  const fresh = { url, apiUrl: node.apiUrl, host: hostname, port: Number(port || '5672'), vhost, user, password };
  made.push(fresh);
  return fresh;
}

async function sharedNode(): Promise<{ url: string; apiUrl: string }> {
  const { rabbitUrl, rabbitApiUrl } = await service('rabbitmq');
  return { url: rabbitUrl, apiUrl: rabbitApiUrl };
}

async function put(apiUrl: string, path: string, body: unknown): Promise<void> {
  const response = await managementApi(apiUrl, 'PUT', path, body);
  if (!response.ok) throw new Error(`PUT ${path} answered ${response.status}: ${await response.text()}`);
}

/** A node that was killed has nothing to drop. */
async function drop({ apiUrl, vhost, user }: FreshVhost): Promise<void> {
  await managementApi(apiUrl, 'DELETE', `/api/vhosts/${vhost}`).catch(() => undefined);
  await managementApi(apiUrl, 'DELETE', `/api/users/${user}`).catch(() => undefined);
}
