import { ensurePrograms } from './packages.ts';

/** Environment of a suite that must not need services: asking for one is an error there. */
export const withoutServices = (): NodeJS.ProcessEnv => ({ ...process.env, SERVICES: 'none' });

/**
 * Environment of a suite with services.
 * @param isWhole all files run: missing programs are installed now, before the first test, whose time limit an
 * installation would use up.
 * @throws Error of one line that says what to install.
 */
export async function withServices(isWhole: boolean): Promise<NodeJS.ProcessEnv> {
  if (isWhole && process.env.SERVICES !== 'external') await ensurePrograms('rabbitmq', 'mariadb', 'redis');
  return process.env;
}
