import type { Binding } from '../core/binding.ts';
import { type EngineHeader, parseEngineHeader } from '../core/engine-header.ts';
import type { ErrorRecord } from '../core/errors.ts';
import { headerBindings } from '../core/header-bindings.ts';
import type { EngineRunner } from '../ports/engine-runner.ts';
import type { Ids } from '../ports/ids.ts';
import type { PushReport, TenantStore } from '../ports/tenant-store.ts';
import type { EngineCache } from './engine-cache.ts';
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
}

/** A report, or every problem found, each with its file and, where there is one, line and column (from 1). */
export type PushResult =
  | { readonly ok: true; readonly report: PushReport; readonly tables: readonly string[] }
  | { readonly ok: false; readonly problems: readonly ErrorRecord[] };

export interface PushServices {
  readonly runner: EngineRunner;
  readonly ids: Ids;
  /** Told which engines changed. */
  readonly engines: Pick<EngineCache, 'changed'>;
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
  await checkSyntax(services.runner, store.tenant, engines, problems);
  const bindings = bindingsOf(store.tenant, engines, problems);
  const tables = readTables(files, problems);
  if (problems.length > 0) return { ok: false, problems };
  const created = options.dryRun ? [] : await store.createTables(tables);
  const report = await store.push({
    engines: engines.map(({ file, header }) => ({
      key: header.engineKey,
      name: header.apiName,
      source: file.text,
      version: services.ids.sha256Hex(file.text).slice(0, 12),
    })),
    bindings,
    prune: options.prune,
    dryRun: options.dryRun,
  });
  if (!options.dryRun) {
    await services.engines.changed(
      store.tenant,
      engines.map(({ header }) => header.engineKey),
    );
    await services.reconcile();
  }
  return { ok: true, report, tables: created };
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

function takenBy(file: ScriptFile, tag: string, owner: string): ErrorRecord {
  const rule = `${tag}: ${owner} 已使用 / is used by ${owner} already`;
  return { code: 'HEADER_INVALID', params: { file: file.path, line: 1, rule } };
}

async function checkSyntax(
  runner: EngineRunner,
  tenant: string,
  engines: readonly EngineFile[],
  problems: ErrorRecord[],
): Promise<void> {
  for (const { file, header } of engines) {
    const compiled = await runner.compile(tenant, header.engineKey, file.text);
    if (!compiled.ok) {
      const { line, column } = compiled.at;
      problems.push({ code: 'SCRIPT_SYNTAX', params: { file: file.path, line, column, message: compiled.message } });
    }
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
