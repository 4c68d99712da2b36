import { resolve } from 'node:path';
import { cwd } from 'node:process';
import { openHostLock } from '../adapters/sql/host-lock.ts';
import { systemClock } from '../adapters/system/system-clock.ts';
import { systemIds } from '../adapters/system/system-ids.ts';
import type { MigrateOptions } from '../cli/command.ts';
import { loadConfig } from '../config/load-config.ts';
import { coerceError, describeError } from '../core/errors.ts';
import { Releasers } from '../lifecycle.ts';
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
  const log = createLogger({ level: 'warn', format: 'auto' });
  try {
    const config = loadConfig({ configFile: options.configFile });
    const dataDir = resolve(cwd(), config.dataDir);
    const lock = openHostLock(dataDir);
    releasers.add('host lock', () => lock.close());
    const clock = systemClock(config.timezone);
    const box = provideSecretBox(config, dataDir);
    const parts = { dataDir, clock, ids: systemIds(), log, box };
    const directory = await openDirectory(config, { ...parts, extend: options.extend });
    releasers.add('tenant databases', () => directory.close());
    const tenants = await directory.list();
    for (const { tenant, state, reason } of tenants) options.out([tenant, state, reason].filter(Boolean).join('  '));
    return tenants.some(({ state }) => state === 'unavailable') ? 1 : 0;
  } catch (e) {
    const error = coerceError(e);
    options.err(describeError(error.toRecord(), options.lang));
    if (error.code === 'SCHEMA_NEWER') return 4;
    return error.code === 'CONFIG_INVALID' ? 2 : 1;
  } finally {
    await releasers.releaseAll(log);
  }
}
