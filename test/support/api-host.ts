import assert from 'node:assert/strict';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { type AdminServerOptions, createAdminServer } from '../../src/admin/server.ts';
import type { Role } from '../../src/core/access.ts';
import type { DosResult } from '../../src/core/dos-result.ts';
import { SILENT_LOG } from './silent-log.ts';
import { tempDir } from './temp-dir.ts';
import { TestHost, type TestHostOptions } from './test-host.ts';

export const HOST_TOKEN = 'token-of-the-whole-host';
const PASSWORD = 'correct horse battery';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: DosResult;
}

/** The admin API over the use cases of a host on real embedded adapters, asked without sockets. */
export interface ApiHost {
  readonly host: TestHost;
  readonly server: FastifyInstance;
  readonly dataDir: string;
  /** Asks below `/api/v1/`. @param token the host's own unless another is given. */
  ask(method: string, path: string, body?: unknown, token?: string): Promise<ApiAnswer>;
  /** The same for an answer that must be a success. @returns its Data. */
  data<T = unknown>(method: string, path: string, body?: unknown, token?: string): Promise<T>;
  /** Makes a user of the tenant and logs it in. @returns its token. */
  login(role: Role, tenant?: string): Promise<string>;
}

/** Opened for a test or, with `after` of a suite, for several; the main tenant is `demo`. */
export async function openApi(
  context: { after(end: () => Promise<void> | void): void },
  options: TestHostOptions & { readonly server?: Partial<AdminServerOptions> } = {},
): Promise<ApiHost> {
  const dataDir = tempDir(context);
  const host = await TestHost.open(dataDir, { lanes: 1, ...options });
  context.after(() => host.close());
  const server = createAdminServer({
    services: host.host.services,
    identity: host.host.identity,
    token: HOST_TOKEN,
    lang: 'en',
    timezone: 'Asia/Shanghai',
    log: SILENT_LOG,
    ...options.server,
  });
  context.after(() => server.close());
  const ask: ApiHost['ask'] = async (method, path, body, token = HOST_TOKEN) => {
    const response = await server.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url: `/api/v1/${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    return { status: response.statusCode, headers: response.headers, body: response.json() as DosResult };
  };
  return {
    host,
    server,
    dataDir,
    ask,
    async data<T>(...args: Parameters<ApiHost['ask']>) {
      const { body } = await ask(...args);
      assert.equal(body.Code, 1, JSON.stringify(body));
      return body.Data as T;
    },
    async login(role, tenant = 'demo') {
      const account = `${role}.${tenant}`;
      const made = await ask('POST', `tenants/${tenant}/users`, { account, password: PASSWORD, role });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const login = await ask('POST', 'login', { tenant, account, password: PASSWORD });
      return (login.body.Data as { token: string }).token;
    },
  };
}
