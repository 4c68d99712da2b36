import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { packLaneSources } from './lane-sources.ts';

/** The program of a lane, run by the host's own Node, and what that loads as the host sends it. */
const ENTRY = fileURLToPath(new URL('../../sandbox/start.js', import.meta.url));
const MAIN = new URL('../../sandbox/main.ts', import.meta.url);
const SOURCE_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Packages that a lane loads. */
const LANE_PACKAGES = ['isolated-vm', 'node-gyp-build'];

/** How a lane process is started. */
export interface LaneCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment of the lane: nothing of the host's is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** What the lane is sent before anything else. */
  readonly program?: Uint8Array;
  /** True when the kernel kills the lane with its host. */
  readonly diesWithHost?: boolean;
}

/**
 * Builds the command once per host.
 *
 * - `--no-opt`: without it `for(;;) new Array(1000).fill('x')` outlives `timeout` and `dispose`.
 * - NO_COMPILERS, when strict: scripts are interpreted, no code of a tenant's becomes machine code. `--jitless` would
 *   take WebAssembly away, too, which Node needs to read TypeScript; isolates have none in any case.
 * - `--v8-pool-size=1 --max-semi-space-size=1`: half the threads, a smaller heap per lane.
 * - `--no-concurrent-recompilation`: Maglev compiles on the lane's own thread. A job of another thread keeps its memory
 *   until its isolate looks at it, 3.5 MB of each isolate that is at rest.
 * - `--disallow-code-generation-from-strings`: no eval in the lane's own realm; isolates keep theirs.
 * - `--permission`: denies files, network, processes and workers. A seat-belt, the walls are the isolate and the
 *   container; and of the files only the program itself can be read, never the data directory beside it.
 * - prlimit, where there is one: no core dumps, which would hold a tenant's data, and few descriptors.
 * - setpriv, where there is one: a lane dies with its host, also when it never reads its socket again.
 */
export function laneCommand(timezone: string, options: { strict?: boolean; wrappers?: boolean } = {}): LaneCommand {
  const node = [
    '--no-opt',
    ...(options.strict === true ? NO_COMPILERS : []),
    '--v8-pool-size=1',
    '--max-semi-space-size=1',
    '--no-concurrent-recompilation',
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    '--permission',
    '--allow-addons',
    ...readablePaths().map((path) => `--allow-fs-read=${path}`),
    ENTRY,
  ];
  // Said by name, because the loader of the prebuilt binary would look for a file that the lane may not see.
  const env = { TZ: timezone, LIBC: existsSync('/etc/alpine-release') ? 'musl' : 'glibc' };
  const [tie, limit] = options.wrappers === false ? [[], []] : [usable(TIE_TO_HOST), usable(LIMIT_RESOURCES)];
  const [file = process.execPath, ...args] = [...tie, ...limit, process.execPath, ...node];
  return { file, args, env, program: packLaneSources(MAIN), diesWithHost: tie.length > 0 };
}

const NO_COMPILERS = ['--no-sparkplug', '--no-maglev', '--regexp-interpret-all'];

type Wrapper = readonly [file: string, ...args: string[]];

const TIE_TO_HOST: Wrapper = ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--'];
const LIMIT_RESOURCES: Wrapper = ['/usr/bin/prlimit', '--core=0:0', '--nofile=64:64', '--'];

/** Tries the program: the small ones of busybox have the name but not the options. @returns empty when it fails. */
function usable(wrapper: Wrapper): readonly string[] {
  const [file, ...args] = wrapper;
  if (process.platform !== 'linux' || !existsSync(file)) return [];
  return spawnSync(file, [...args, '/bin/true'], { env: {}, stdio: 'ignore' }).status === 0 ? wrapper : [];
}

/** Our sources, and every place where Node looks for a lane's packages on the way to where they are. */
function readablePaths(): string[] {
  const paths = [join(SOURCE_ROOT, '*'), join(dirname(SOURCE_ROOT), 'package.json')];
  for (const name of LANE_PACKAGES) {
    for (let dir = dirname(dirname(ENTRY)); ; dir = dirname(dir)) {
      const candidate = join(dir, 'node_modules', name);
      paths.push(join(candidate, '*'));
      if (existsSync(candidate) || dir === dirname(dir)) break;
    }
  }
  return paths;
}
