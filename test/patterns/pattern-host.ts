/** The real host, in this process, over each kind of database: for scripts as people write them. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { InjectOptions } from 'fastify';
import { createAdminServer } from '../../src/admin/server.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { SILENT_LOG } from '../support/silent-log.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost, type TestHostOptions } from '../support/test-host.ts';

/** Name of a kind of database, and the address of an empty one; none means a file. */
export const DATABASES: readonly (readonly [name: string, urlOf: () => Promise<string | undefined>])[] = [
  ['SQLite', async () => undefined],
  ['MariaDB', async () => (await freshDatabase()).url],
];

/** Opens a host with these scripts and tables; closed when the test ends. */
export async function openPatternHost(
  t: TestContext,
  urlOf: () => Promise<string | undefined>,
  scripts: Readonly<Record<string, string>>,
  tables: unknown,
  options: TestHostOptions = {},
): Promise<TestHost> {
  const databaseUrl = await urlOf();
  const host = await TestHost.open(tempDir(t), databaseUrl === undefined ? options : { ...options, databaseUrl });
  t.after(() => host.close());
  await host.push(scripts, tables);
  return host;
}

/** What an engine answers to a call. */
// biome-ignore lint/suspicious/noExplicitAny: results of any script
export function run(host: TestHost, engine: string, param = {}): Promise<any> {
  return host.host.services.run('demo', engine, param, 'en');
}

/** Scripts of `scripts/` by their names, as files to push. */
export function scriptFiles(...names: readonly string[]): Record<string, string> {
  const read = (name: string) => readFileSync(new URL(`scripts/${name}.js`, import.meta.url), 'utf8');
  return Object.fromEntries(names.map((name) => [`${name}.js`, read(name)]));
}

/** A table whose fields are text, but for those in `numbers`. */
export function tableOf(
  Name: string,
  fields: readonly string[],
  numbers: readonly string[] = [],
  Rows: unknown[] = [],
) {
  const typed = (Type: string) => (field: string) => ({ Name: field, Type });
  return { Name, Fields: [...fields.map(typed('varchar(200)')), ...numbers.map(typed('int'))], Rows };
}

/** Asks the host over HTTP, without a socket. */
export function openEntry(t: TestContext, host: TestHost, keys: Parameters<typeof createAdminServer>[0]['keys'] = []) {
  const server = createAdminServer({
    services: host.host.services,
    identity: host.host.identity,
    token: 'token-of-the-whole-host',
    keys,
    lang: 'en',
    timezone: 'Asia/Shanghai',
    log: SILENT_LOG,
  });
  t.after(() => server.close());
  return (request: InjectOptions) => server.inject({ headers: { osclient: 'demo' }, ...request });
}

/** A request that came to another company's server. */
export interface OutsideCall {
  readonly verb: string;
  readonly path: string;
  readonly authorization: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Another company's server, which answers by the path; it remembers what came. */
export async function openOutside(
  t: TestContext,
  answer: (call: OutsideCall) => { readonly status?: number; readonly body: string | Buffer },
) {
  const calls: OutsideCall[] = [];
  const server = createServer(async (request, response) => {
    const authorization = String(request.headers.authorization ?? '');
    const { headers, method: verb = '', url: path = '' } = request;
    const call = { verb, path, authorization, headers, body: await textOf(request) };
    calls.push(call);
    const { status = 200, body } = answer(call);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, calls, options: { allow: [{ host: '127.0.0.1', port }] } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
