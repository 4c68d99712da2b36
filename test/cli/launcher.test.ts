import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { endOf } from '../support/command-line.ts';
import { temporaryDirectory } from './cli-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LAUNCHER = join(ROOT, 'bin', 'v8host.js');

/** A Node of the machine that is not the project's; where there is none, the project's own starts the launcher. */
function otherNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  for (const folder of folders) {
    const path = join(folder, 'node');
    try {
      execFileSync(path, ['--version'], { stdio: 'ignore' });
      return path;
    } catch {
      // Not there, the next folder may have one.
    }
  }
  return process.execPath;
}

/** A copy of the launcher with a main.ts of the test's own; `link` gives it the project's packages. */
function copyWith(t: TestContext, main: string, { link }: { link: boolean }): string {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'bin'));
  mkdirSync(join(directory, 'src'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  writeFileSync(join(directory, 'src', 'main.ts'), main);
  cpSync(LAUNCHER, join(directory, 'bin', 'v8host.js'));
  if (link) symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  return join(directory, 'bin', 'v8host.js');
}

describe('bin/v8host.js', () => {
  it("runs the command line on the project's Node, from any directory and by any Node", async (t) => {
    const cwd = temporaryDirectory(t);
    const end = await endOf(spawn(otherNode(), [LAUNCHER, 'version'], { cwd }));
    assert.deepEqual([end.code, end.err], [0, '']);
    assert.match(end.out, /^v8-engine-host \d+\.\d+\.\d+\n$/);
    const launcher = copyWith(t, 'const v: string = process.version; console.log(v);', { link: true });
    assert.match((await endOf(spawn(otherNode(), [launcher], { cwd }))).out, /^v2[46]\./);
  });

  it('passes arguments through and ends with the same code', async (t) => {
    const launcher = copyWith(t, 'console.log(JSON.stringify(process.argv.slice(2))); process.exit(3);', {
      link: true,
    });
    const args = ['run', 'a b', '--param', '{"x":"\'$HOME"}'];
    const end = await endOf(spawn(otherNode(), [launcher, ...args]));
    assert.equal(end.code, 3);
    assert.deepEqual(JSON.parse(end.out), args);
  });

  it('starts by a link, as npx does', async (t) => {
    const directory = temporaryDirectory(t);
    symlinkSync(LAUNCHER, join(directory, 'v8host'));
    const end = await endOf(spawn(otherNode(), [join(directory, 'v8host'), 'version'], { cwd: directory }));
    assert.equal(end.code, 0);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`passes ${signal} on once and waits for the end`, async (t) => {
      const launcher = copyWith(
        t,
        `let seen = 0;
        process.on('${signal}', () => { seen += 1; setTimeout(() => { console.log('seen ' + seen); process.exit(7); }, 200); });
        setInterval(() => {}, 1000);
        console.log('ready');`,
        { link: true },
      );
      const child = spawn(otherNode(), [launcher], { stdio: ['ignore', 'pipe', 'pipe'] });
      const end = endOf(child);
      await once(child.stdout, 'data');
      child.kill(signal);
      assert.deepEqual(await end, { code: 7, signal: null, out: 'ready\nseen 1\n', err: '' });
    });
  }

  it('dies of the signal that its process died of', async (t) => {
    const launcher = copyWith(t, `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);`, { link: true });
    assert.equal((await endOf(spawn(otherNode(), [launcher]))).signal, 'SIGKILL');
  });

  it('says what is missing when no fitting Node is there', async (t) => {
    const launcher = copyWith(t, `console.log('ran');`, { link: false });
    // Runs the launcher on this very Node, told that it is an old one.
    const pretend = join(temporaryDirectory(t), 'pretend.cjs');
    writeFileSync(pretend, `Object.defineProperty(process, 'version', { value: 'v20.20.2' });`);
    const end = await endOf(spawn(process.execPath, ['--require', pretend, launcher]));
    assert.deepEqual([end.code, end.out], [1, '']);
    assert.match(end.err, /needs Node 24 or 26; this is v20\.20\.2.*npm ci/);
    assert.match(end.err, /请执行 npm ci/);
  });
});
