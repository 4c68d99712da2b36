/** The real host, in this process, over each kind of database: for scripts as people write them. */
import type { TestContext } from 'node:test';
import { freshDatabase } from '../support/services/fresh-database.ts';
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
