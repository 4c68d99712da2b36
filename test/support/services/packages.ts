import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a service needs: the Debian package and a program of it, by name in PATH or by full path. */
const PACKAGES = {
  rabbitmq: { package: 'rabbitmq-server', program: '/usr/lib/rabbitmq/bin/rabbitmq-server' },
  mariadb: { package: 'mariadb-server', program: 'mariadbd' },
  redis: { package: 'redis-server', program: 'redis-server' },
} as const;

export type ServiceName = keyof typeof PACKAGES;

/** Debian asks this program before it starts a service of a new package. */
const START_POLICY = '/usr/sbin/policy-rc.d';

/**
 * Makes sure that the services' programs are there; installs them where we may (root on Debian), without starting
 * them.
 * @throws Error of one line that says what to install.
 */
export async function ensurePrograms(...names: readonly ServiceName[]): Promise<void> {
  const missing = missingPackages(names);
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(
      `tests with real services need ${missing.join(', ')}: run \`${command}\`, or use SERVICES=external`,
    );
  }
  process.stderr.write(`installing for the tests: ${missing.join(', ')}\n`);
  await withoutServiceStart(() => install(missing));
  const still = missingPackages(names);
  if (still.length > 0) throw new Error(`${still.join(', ')} could not be installed: run \`${command}\``);
}

function missingPackages(names: readonly ServiceName[]): string[] {
  return names.filter((name) => !isThere(PACKAGES[name].program)).map((name) => PACKAGES[name].package);
}

function isThere(program: string): boolean {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  const places = program.startsWith('/') ? [program] : directories.map((dir) => join(dir, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function install(packages: readonly string[]): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', DEBIAN_FRONTEND: 'noninteractive' };
  // Another process of the run may be installing: wait for it instead of failing.
  const wait = ['-o', 'DPkg::Lock::Timeout=300'];
  await run('apt-get', [...wait, 'update'], { env });
  await run('apt-get', [...wait, 'install', '-y', '--no-install-recommends', ...packages], { env, maxBuffer: 1 << 26 });
}

async function withoutServiceStart(work: () => Promise<void>): Promise<void> {
  const isOurs = !existsSync(START_POLICY);
  if (isOurs) writeFileSync(START_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await work();
  } finally {
    if (isOurs) rmSync(START_POLICY, { force: true });
  }
}
