import { resolve } from 'node:path';
import { cwd } from 'node:process';
import { openHostLock } from '../adapters/sql/host-lock.ts';
import { refuseUnfinishedRestore } from '../adapters/sql/restore-mark.ts';
import { systemClock } from '../adapters/system/system-clock.ts';
import { systemIds } from '../adapters/system/system-ids.ts';
import type { MigrateOptions } from '../cli/command.ts';
import { loadConfig } from '../config/load-config.ts';
import { type DosResult, fail, succeed } from '../core/dos-result.ts';
import { coerceError, describeError } from '../core/errors.ts';
import { Releasers } from '../lifecycle.ts';
import type { TenantStatus } from '../ports/tenant-store.ts';
import { createLogger } from '../telemetry/logger.ts';
import { openDirectory } from './open-directory.ts';
import { provideSecretBox } from './secret-keys.ts';

/**
 * Brings every tenant's schema up to date without starting the host. @param options.extend also adds our columns to
 * tables that the original platform made. @returns the exit code: 0, 1 failed, 2 wrong
 * configuration, 4 newer schema.
 */
export async function migrateData(options: MigrateOptions): Promise<number> {
  const releasers = new Releasers();
  // Standard output is for the result.
  const log = createLogger({ level: 'warn', format: 'auto', stream: process.stderr });
  try {
    const config = loadConfig({ configFile: options.configFile });
    const dataDir = resolve(cwd(), config.dataDir);
    const lock = openHostLock(dataDir);
    releasers.add('host lock', () => lock.close());
    refuseUnfinishedRestore(dataDir);
    const clock = systemClock(config.timezone);
    const box = provideSecretBox(config, dataDir);
    const parts = { dataDir, clock, ids: systemIds(), log, box, note: options.note };
    const directory = await openDirectory(config, { ...parts, extend: options.extend });
    releasers.add('tenant databases', () => directory.close());
    return show(options, await directory.list());
  } catch (e) {
    const error = coerceError(e);
    if (options.json) options.out(JSON.stringify(fail(error.toRecord(), options.lang)));
    else options.err(describeError(error.toRecord(), options.lang));
    if (error.code === 'SCHEMA_NEWER') return 4;
    return error.code === 'CONFIG_INVALID' ? 2 : 1;
  } finally {
    await releasers.releaseAll(log);
  }
}

/** @returns the exit code. */
function show(options: MigrateOptions, tenants: readonly TenantStatus[]): number {
  if (options.json) options.out(JSON.stringify(resultOf(options, tenants)));
  else for (const { tenant, state, reason } of tenants) options.out([tenant, state, reason].filter(Boolean).join('  '));
  return tenants.some(isUnavailable) ? 1 : 0;
}

/** Every tenant, also when one of them fails the whole. */
function resultOf({ lang }: MigrateOptions, tenants: readonly TenantStatus[]): DosResult {
  const data = tenants.map(({ tenant, main, state, reason }) => ({ tenant, main, state, reason: reason ?? null }));
  const lost = tenants.find(isUnavailable);
  if (lost === undefined) return succeed(data, { DataCount: data.length });
  const params = { tenant: lost.tenant, reason: lost.reason ?? '' };
  return { ...fail({ code: 'TENANT_UNAVAILABLE', params }, lang, data), DataCount: data.length };
}

function isUnavailable({ state }: TenantStatus): boolean {
  return state === 'unavailable';
}
