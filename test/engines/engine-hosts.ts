/** Hosts as processes of their own on MariaDB, RabbitMQ and, where asked for, Redis. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { HostProcess } from '../support/host-process.ts';
import type { FreshVhost } from '../support/services/fresh-vhost.ts';
import { sqlAsAdmin } from '../support/services/mariadb.ts';
import { managementApi } from '../support/services/rabbitmq.ts';
import { tempDir } from '../support/temp-dir.ts';

export interface EngineUrls {
  readonly databaseUrl: string;
  readonly queueUrl?: string;
  readonly cacheUrl?: string;
}

/**
 * Prepares hosts that compete for one tenant's messages; none runs yet. All of them end with the test.
 * @param config keys beside the URLs.
 */
export async function prepareHosts(
  t: TestContext,
  names: readonly string[],
  urls: EngineUrls,
  config: Record<string, unknown> = {},
): Promise<HostProcess[]> {
  const dir = tempDir(t);
  const hosts: HostProcess[] = [];
  for (const name of names) {
    mkdirSync(join(dir, name));
    const host = await HostProcess.create(join(dir, name), {
      ...urls,
      lang: 'en',
      log: { level: 'info', format: 'json' },
      reconcileSeconds: 1,
      sandbox: { lanes: 2 },
      ...config,
    });
    t.after(() => host.kill());
    hosts.push(host);
  }
  return hosts;
}

/** Hosts that take messages. */
export async function startHosts(...args: Parameters<typeof prepareHosts>): Promise<HostProcess[]> {
  const hosts = await prepareHosts(...args);
  // One after the other: the first one makes the tables.
  for (const host of hosts) await host.start();
  return hosts;
}

/** The only one of a list. */
export function only<T>(list: readonly T[]): T {
  assert.equal(list.length, 1);
  return list[0] as T;
}

/** Pushes scripts by file name. */
export async function push(host: HostProcess, files: Readonly<Record<string, string>>, tenant = 'demo'): Promise<void> {
  const list = Object.entries(files).map(([path, text]) => ({ path, text }));
  const { body } = await host.api('PUT', `tenants/${tenant}/engines`, { files: list });
  assert.equal(body.Code, 1, JSON.stringify(body));
}

/** A table of scripts with one unindexed text column per name, as `tables.json`. */
export function tablesJson(tables: Readonly<Record<string, readonly string[]>>): string {
  const shapes = Object.entries(tables).map(([Name, fields]) => ({
    Name,
    Fields: fields.map((field) => ({ Name: field, Type: 'varchar(100)' })),
  }));
  return JSON.stringify(shapes);
}

/** Sends until it is accepted, always with the same EventId, as a careful producer does. */
export async function send(host: HostProcess, queue: string, eventId: string, message: unknown = {}, tenant = 'demo') {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const body = { EventId: eventId, Message: message };
    const answer = await host.apiPatiently('POST', `tenants/${tenant}/queues/${queue}/messages`, body);
    if (answer.body.Code === 1) return;
    assert.ok(answer.status === 503 && Date.now() < deadline, JSON.stringify(answer));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** One column of what a SELECT finds, sorted as text. */
export async function column(url: string, select: string): Promise<string[]> {
  const rows = await sqlAsAdmin(url, select);
  return rows.map((row) => String(Object.values(row)[0])).sort();
}

/** Lines of a host's log with this event. */
// biome-ignore lint/suspicious/noExplicitAny: lines of every event pass here
export function logged(host: HostProcess, event: string): any[] {
  return host.output
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`) && line.endsWith('}'))
    .map((line) => JSON.parse(line));
}

/** What a line of the log says went wrong, causes included. */
export function troubleOf(line: { err?: { code?: string; message: string; causes?: string[] } }): string {
  const { code = '', message = '', causes = [] } = line.err ?? {};
  return [`${code}: ${message}`, ...causes].join(' <- ');
}

/** Messages of a vhost's queues, ready and unacknowledged, as the broker counts them: about a second late. */
export async function messagesIn(vhost: FreshVhost): Promise<number> {
  const response = await managementApi(vhost.apiUrl, 'GET', `/api/queues/${vhost.vhost}`);
  const queues = (await response.json()) as { messages?: number }[];
  return queues.reduce((sum, { messages = 0 }) => sum + messages, 0);
}

/** Waits until every message of the vhost is settled, seen twice because the broker counts late. */
export async function untilSettled(vhost: FreshVhost, ms = 60_000): Promise<void> {
  const settled = async () => assert.equal(await messagesIn(vhost), 0);
  await eventually(settled, ms);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  await eventually(settled, ms);
}
