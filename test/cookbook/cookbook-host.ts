/** A tenant with every recipe of the cookbook, and the company that its recipes talk to. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type OutsideCall, openOutside } from '../patterns/pattern-host.ts';
import { SAMPLE_KEYS, sampleSource, tablesText } from '../samples/sample-scripts.ts';
import { outside, tenantFile } from '../support/outside.ts';
import { freshDatabase } from '../support/services/fresh-database.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TestHost } from '../support/test-host.ts';
import { readCookbook } from './cookbook-page.ts';

export const PAGE = readCookbook('cookbook.md');
const SECRETS = { 'Pay.Secret': 'pay-secret', 'Webhook.Secret': 'hook-secret' };

export type Answer = { readonly status?: number; readonly body: string };

/** What a recipe is tried on. `answer` says how the outside company answers; its default is 404. */
export interface Cookbook {
  readonly host: TestHost;
  readonly url: string;
  readonly calls: OutsideCall[];
  answer(how: (call: OutsideCall) => Answer): void;
  /** A statement in the tenant's database. */
  sql(statement: string): Promise<unknown>;
}

/** Opens it on a file or on MariaDB; closed when the test ends. */
export async function openCookbook(t: TestContext, kind: 'SQLite' | 'MariaDB'): Promise<Cookbook> {
  let how = (_call: OutsideCall): Answer => ({ status: 404, body: '' });
  const company = await openOutside(t, (call) => how(call));
  const database = kind === 'MariaDB' ? await freshDatabase() : undefined;
  const dir = tempDir(t);
  const options = { ...company.options, lanes: 2 };
  const host = await TestHost.open(dir, database === undefined ? options : { ...options, databaseUrl: database.url });
  t.after(() => host.close());
  await pushBesideSamples(host);
  const sql = (statement: string) =>
    database === undefined
      ? outside(dir, tenantFile('demo'), statement)
      : sqlAsAdmin(database.adminUrl, `use ${database.name}; ${statement}`);
  mkdirSync(join(dir, 'databases/demo'), { recursive: true });
  await outside(dir, 'databases/demo/archive.db', PAGE.archive);
  await configure(sql);
  await host.host.start();
  return {
    host,
    url: company.url,
    calls: company.calls,
    answer: (next) => {
      how = next;
      company.calls.length = 0;
    },
    sql,
  };
}

/**
 * Pushes the page into a tenant that has the samples, as a reader who has just started the host does. Nothing of its
 * tables may be left out because a sample has one of that name.
 */
export async function pushBesideSamples(host: TestHost): Promise<void> {
  const samples = SAMPLE_KEYS.map((key) => [`${key}.js`, sampleSource(key)] as const);
  await host.push(Object.fromEntries(samples), JSON.parse(tablesText()));
  assert.deepEqual(await host.push(PAGE.scripts, PAGE.tables), []);
}

/** Runs the page's own statements, with the function and secrets of the recipes in their places. */
async function configure(sql: Cookbook['sql']): Promise<void> {
  const text = PAGE.sql.join('\n').replace(/^--.*$/gm, '');
  for (const statement of text.split(/;$/m).filter((each) => each.trim() !== '')) {
    const globalCode = PAGE.globalCode.replaceAll("'", "''");
    await sql(
      statement.replace('the function above', () => globalCode).replace(/\{"Pay\.Secret".*\}/, JSON.stringify(SECRETS)),
    );
  }
}
