import { auditEntry } from '../core/audit-entry.ts';
import { bilingual } from '../core/bilingual.ts';
import type { Binding } from '../core/binding.ts';
import { BY_HOST, type ChangeOrigin } from '../core/change-origin.ts';
import { type EngineHeader, parseEngineHeader } from '../core/engine-header.ts';
import type { ErrorRecord } from '../core/errors.ts';
import { headerBindings } from '../core/header-bindings.ts';
import { NOT_WATCHED, type NoteProgress } from '../core/progress.ts';
import type { EngineRunner } from '../ports/engine-runner.ts';
import type { VersionOrigin } from '../ports/engine-versions.ts';
import type { Ids } from '../ports/ids.ts';
import type { LeftOut, PushReport } from '../ports/push.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { EngineCache } from './engine-cache.ts';
import { leftOutOfTables } from './left-out-of-tables.ts';
import { readTables } from './read-tables.ts';

/** A file of a script project: `*.js` with a header block, or `tables.json`. */
export interface ScriptFile {
  /** Path inside the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface PushOptions {
  readonly prune: boolean;
  readonly dryRun: boolean;
  /** Who pushes; absent: the host itself. */
  readonly origin?: ChangeOrigin;
  /** How versions come about, and what they must come after: see `PushRequest`. */
  readonly versionOrigin?: VersionOrigin;
  readonly restoredFrom?: number | undefined;
  readonly base?: string | null | undefined;
  /** Key of the only engine that the file may be, in any case. */
  readonly only?: string;
  /** Name of an engine whose header gives none. */
  readonly name?: string;
  /** Told after each engine that is checked or stored. */
  readonly note?: NoteProgress;
}

/** A report, or every problem found, each with its file and, where there is one, line and column (from 1). */
export type PushResult =
  | {
      readonly ok: true;
      readonly report: PushReport;
      /** Names of tables that were made. */
      readonly tables: readonly string[];
      /** What of `tables.json` is not done, because the table was there. */
      readonly leftOut: readonly LeftOut[];
    }
  | { readonly ok: false; readonly problems: readonly ErrorRecord[] };

export interface PushServices {
  readonly runner: EngineRunner;
  readonly ids: Ids;
  /** Told which engines changed. */
  readonly engines: Pick<EngineCache, 'changed'>;
  /** How long the queue server lets a delivery stay unsettled; infinite where there is none. Milliseconds. */
  readonly consumerTimeoutMs: number;
  /** Called after a successful push, so that new bindings are attached at once. */
  readonly reconcile: () => Promise<void>;
}

interface EngineFile {
  readonly file: ScriptFile;
  readonly header: EngineHeader;
}

/**
 * Uploads a script project: every file is checked, all problems are reported together, and either everything is
 * stored or nothing (defaults.md 10.5).
 */
export async function pushScripts(
  services: PushServices,
  store: TenantStore,
  files: readonly ScriptFile[],
  options: PushOptions,
): Promise<PushResult> {
  const problems: ErrorRecord[] = [];
  const engines = parseHeaders(files, problems);
  if (options.only !== undefined) refuseOthers(options.only, engines, problems);
  await checkSyntax(services.runner, store.tenant, engines, problems, options.note);
  const bindings = bindingsOf(store.tenant, engines, problems);
  checkDeadlines(services.consumerTimeoutMs, engines, problems);
  const tables = readTables(files, problems);
  if (problems.length > 0) return { ok: false, problems };
  const leftOut = await leftOutOfTables(store.tables, tables);
  const created = options.dryRun ? [] : await store.createTables(tables);
  if (created.length > 0) await noteTables(store, options.origin ?? BY_HOST, created);
  const report = await store.push({
    engines: engines.map(({ file, header }) => ({
      key: header.engineKey,
      name: header.apiName === header.engineKey ? (options.name ?? header.apiName) : header.apiName,
      source: file.text,
      entry: header.entry,
      version: services.ids.sha256Hex(file.text).slice(0, 12),
    })),
    bindings,
    prune: options.prune,
    dryRun: options.dryRun,
    base: options.base,
    restoredFrom: options.restoredFrom,
    ...(options.origin === undefined ? {} : { origin: options.origin }),
    ...(options.versionOrigin === undefined ? {} : { versionOrigin: options.versionOrigin }),
    ...(options.note === undefined ? {} : { note: options.note }),
  });
  if (!options.dryRun) {
    await services.engines.changed(
      store.tenant,
      engines.map(({ header }) => header.engineKey),
    );
    await services.reconcile();
  }
  return { ok: true, report, tables: created, leftOut };
}

function parseHeaders(files: readonly ScriptFile[], problems: ErrorRecord[]): EngineFile[] {
  const engines: EngineFile[] = [];
  const owners = new Map<string, string>();
  for (const file of files.filter((candidate) => candidate.path.endsWith('.js'))) {
    const header = parseEngineHeader(file.path, file.text);
    if (!header.ok) {
      problems.push(header.error);
      continue;
    }
    const key = header.value.engineKey.toLowerCase();
    const owner = owners.get(key);
    if (owner !== undefined) {
      problems.push(takenBy(file, `@engineKey ${header.value.engineKey}`, owner));
    }
    owners.set(key, file.path);
    engines.push({ file, header: header.value });
  }
  return engines;
}

/** Whoever saves one engine must not change another one by a slip in its header. */
function refuseOthers(only: string, engines: readonly EngineFile[], problems: ErrorRecord[]): void {
  for (const { file, header } of engines) {
    if (header.engineKey.toLowerCase() === only.toLowerCase()) continue;
    const rule = bilingual(`@engineKey 须为 ${only}`, `@engineKey must be ${only}`);
    problems.push({ code: 'HEADER_INVALID', params: { file: file.path, line: 1, rule } });
  }
}

/** Tables are made before the transaction that saves: databases commit at such a statement. */
function noteTables(store: TenantStore, origin: ChangeOrigin, tables: readonly string[]): Promise<void> {
  return store.identity.audit.write(auditEntry(origin, 'table.added', tables.join(', '), { after: [...tables] }));
}

function takenBy(file: ScriptFile, tag: string, owner: string): ErrorRecord {
  const rule = `${tag}: ${owner} 已使用 / is used by ${owner} already`;
  return { code: 'HEADER_INVALID', params: { file: file.path, line: 1, rule } };
}

async function checkSyntax(
  runner: EngineRunner,
  tenant: string,
  engines: readonly EngineFile[],
  problems: ErrorRecord[],
  note: NoteProgress = NOT_WATCHED,
): Promise<void> {
  for (const [index, { file, header }] of engines.entries()) {
    const compiled = await runner.compile(tenant, header.engineKey, file.text);
    if (!compiled.ok) {
      const { line, column } = compiled.at;
      problems.push({ code: 'SCRIPT_SYNTAX', params: { file: file.path, line, column, message: compiled.message } });
    }
    note({ step: 'check', done: index + 1, total: engines.length, subject: header.engineKey });
  }
}

/** A run that outlives the server's patience would be under way twice. The binding would be refused later anyway. */
function checkDeadlines(consumerTimeoutMs: number, engines: readonly EngineFile[], problems: ErrorRecord[]): void {
  for (const { file, header } of engines) {
    const { timeoutSeconds } = header;
    if (timeoutSeconds === undefined || timeoutSeconds * 1000 < consumerTimeoutMs) continue;
    const limit = consumerTimeoutMs / 1000;
    const rule = bilingual(
      `@timeout：须短于 RabbitMQ 的 consumer_timeout（queue.consumerTimeoutSeconds，${limit} 秒）`,
      `@timeout: must be below RabbitMQ's consumer_timeout (queue.consumerTimeoutSeconds, ${limit} s)`,
    );
    problems.push({ code: 'HEADER_INVALID', params: { file: file.path, line: 1, rule } });
  }
}

function bindingsOf(tenant: string, engines: readonly EngineFile[], problems: ErrorRecord[]): Binding[] {
  const bindings: Binding[] = [];
  const owners = new Map<string, string>();
  for (const { file, header } of engines) {
    const wanted = headerBindings(tenant, header);
    if (!wanted.ok) {
      problems.push(wanted.error);
      continue;
    }
    for (const binding of wanted.value) {
      const owner = owners.get(binding.physicalQueue);
      if (owner !== undefined) problems.push(takenBy(file, `@queue ${binding.logicalQueue}`, owner));
      owners.set(binding.physicalQueue, file.path);
      bindings.push(binding);
    }
  }
  return bindings;
}
