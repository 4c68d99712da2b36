import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a test needs: the Debian package and a program of it by name in PATH, or any file of it by full path. */
const PACKAGES = {
  rabbitmq: { package: 'rabbitmq-server', program: '/usr/lib/rabbitmq/bin/rabbitmq-server' },
  mariadb: { package: 'mariadb-server', program: 'mariadbd' },
  redis: { package: 'redis-server', program: 'redis-server' },
  mosquitto: { package: 'mosquitto-clients', program: 'mosquitto_pub' },
  'mosquitto-server': { package: 'mosquitto', program: 'mosquitto' },
  tmux: { package: 'tmux', program: 'tmux' },
  chromium: { package: 'chromium', program: 'chromium' },
  // The smallest font (1.6 MB) with which 中文 is no row of boxes.
  chinese: { package: 'fonts-wqy-microhei', program: '/usr/share/fonts/truetype/wqy/wqy-microhei.ttc' },
} as const;

/** What the tests can be given: the servers, programs that are clients only, and what a browser needs. */
export type ProgramName = keyof typeof PACKAGES;

/** Those that a suite shares; Mosquitto is for comparisons. */
export type ServiceName = Extract<ProgramName, 'rabbitmq' | 'mariadb' | 'redis'>;

/** Debian asks policy-rc.d before it starts the service of a new package; 101 is "no". */
const INSTALL = `set -e
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  printf '#!/bin/sh\\nexit 101\\n' > $policy
  chmod 755 $policy
fi
apt-get -o DPkg::Lock::Timeout=300 update
apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"`;

/** Held by the process that installs, so that another run of the tests waits for it. */
const INSTALL_LOCK = join(tmpdir(), 'v8host-test-services-install.lock');

/** Where Debian has servers that a user's PATH may lack. */
const SYSTEM_DIRECTORIES = ['/usr/sbin', '/usr/bin'];

/** PATH of everything the harness starts. */
export const PROGRAM_PATH = [process.env.PATH ?? '', ...SYSTEM_DIRECTORIES].join(delimiter);

/**
 * Makes sure that the services' programs are there; installs them where we may (root on Debian), without starting
 * them.
 * @throws Error of one line that says what to install.
 */
export async function ensurePrograms(...names: readonly ProgramName[]): Promise<void> {
  const missing = missingPackages(names);
  if (missing.length === 0) return;
  const command = `apt-get update && apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`the tests need ${missing.join(', ')}: run \`${command}\`, or use SERVICES=external`);
  }
  process.stderr.write(`installing for the tests: ${missing.join(', ')}\n`);
  const failure = await install(missing);
  if (missingPackages(names).length > 0) {
    throw new Error(`${missing.join(', ')} could not be installed: run \`${command}\``, { cause: failure });
  }
}

function missingPackages(names: readonly ProgramName[]): string[] {
  return names.filter((name) => !isThere(PACKAGES[name].program)).map((name) => PACKAGES[name].package);
}

function isThere(program: string): boolean {
  if (program.startsWith('/')) return existsSync(program);
  return PROGRAM_PATH.split(delimiter).some((dir) => {
    try {
      accessSync(join(dir, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** @returns what went wrong, if anything did. */
async function install(packages: readonly string[]): Promise<unknown> {
  const env = { PATH: PROGRAM_PATH, DEBIAN_FRONTEND: 'noninteractive' };
  const args = [INSTALL_LOCK, 'sh', '-c', INSTALL, 'install', ...packages];
  return run('flock', args, { env, maxBuffer: 1 << 26 }).then(
    () => undefined,
    (error: unknown) => error,
  );
}
