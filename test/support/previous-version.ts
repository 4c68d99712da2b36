/** The program before this one, as it was committed, to start it beside this one. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../..');

/**
 * Came with the first commit with which others may stand side by side. That one is the version before this one until
 * there is a tag. Found by what it brought: a history that is written anew gives it another name.
 */
const FIRST_FILE = 'docs/cookbook.md';

export interface PreviousVersion {
  /** A tag such as `v0.1.0`, or a commit. */
  readonly name: string;
  /** Its files, with the packages of this checkout. */
  readonly dir: string;
}

/**
 * Unpacks the version with the newest tag before this commit. @param dir an empty folder.
 * @throws Error that says what to fetch where the history is not there.
 */
export async function unpackPreviousVersion(dir: string): Promise<PreviousVersion> {
  const name = (await newestTag()) ?? (await firstCommit());
  const archive = join(dir, 'previous.tar');
  await git(
    'archive',
    '--format=tar',
    `--output=${archive}`,
    name,
    'src',
    'bin',
    'package.json',
    'runtime-types',
    'templates',
  );
  await run('tar', ['-xf', archive, '-C', dir]);
  await assertSamePackages(name);
  lendPackages(join(dir, 'node_modules'));
  return { name, dir };
}

/** What a lane loads must be where the program is: it may read nothing else. */
const OF_LANES: ReadonlySet<string> = new Set(['isolated-vm', 'node-gyp-build']);

/** The packages of this checkout. */
function lendPackages(target: string): void {
  mkdirSync(target);
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    const from = join(ROOT, 'node_modules', name);
    if (OF_LANES.has(name)) cpSync(from, join(target, name), { recursive: true });
    else symlinkSync(from, join(target, name));
  }
}

/** Of the commits before this one: a release is tested against the one before it. */
async function newestTag(): Promise<string | undefined> {
  const described = await git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD~1').catch(() => '');
  return described.trim() === '' ? undefined : described.trim();
}

/** In a shallow clone its oldest commit, which brings every file. */
async function firstCommit(): Promise<string> {
  const name = (await git('log', '--diff-filter=A', '--format=%H', '--', FIRST_FILE)).trim().split('\n').at(-1);
  if (name) return name;
  throw new Error(`no commit of this clone brings ${FIRST_FILE}: git fetch --unshallow --tags`);
}

/** It runs with the packages of this checkout: what it needs must be there in a version with the same first number. */
async function assertSamePackages(name: string): Promise<void> {
  const [before, now] = [JSON.parse(await git('show', `${name}:package.json`)), await currentManifest()];
  const missing = Object.entries<string>(before.dependencies).filter(
    ([dependency, version]) => majorOf(version) !== majorOf(now.dependencies[dependency] ?? ''),
  );
  if (missing.length > 0)
    throw new Error(`${name} needs other packages than this version (${missing.join('; ')}): install them beside it`);
}

async function currentManifest(): Promise<{ readonly dependencies: Readonly<Record<string, string>> }> {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  return manifest;
}

function majorOf(version: string): string {
  return version.replace(/^[~^]/, '').split('.')[0] ?? '';
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
