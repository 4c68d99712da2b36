/** Checks the types of the host and of the console at once: two compilers that share nothing, side by side. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const COMPILERS = [
  ['tsc', []],
  ['vue-tsc', ['-p', 'src/admin/console']],
] as const;

const codes = await Promise.all(
  COMPILERS.map(async ([compiler, options]) => {
    const kept = `node_modules/.cache/typecheck-${compiler}.tsbuildinfo`;
    const args = ['--noEmit', '--incremental', '--tsBuildInfoFile', kept, ...options];
    const [code] = await once(spawn(compiler, args, { stdio: ['ignore', 'inherit', 'inherit'] }), 'close');
    return code as number | null;
  }),
);
if (codes.some((code) => code !== 0)) process.exitCode = 1;
