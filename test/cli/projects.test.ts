import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { NO_ENGINE_LIMITS } from '../../src/core/engine-limits.ts';
import { endOf, runCli } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { startHost, temporaryDirectory } from './cli-process.ts';

const engine = (key: string, source: string) => ({
  ...{ key, name: key, source, version: '0'.repeat(12), enabled: true, stopHttp: false, limits: NO_ENGINE_LIMITS },
});

describe('v8host init and test', () => {
  it('make a project whose own tests pass, and tell of one that fails and one that never ends', async (t) => {
    const cwd = temporaryDirectory(t);
    const made = await runCli(['init', 'scripts'], { cwd });
    assert.equal(made.code, 0);
    assert.match(made.err, /npx v8host test scripts, npx v8host push scripts, then npx v8host types scripts/);
    const good = await runCli(['test', 'scripts'], { cwd });
    assert.deepEqual([good.code, good.err], [0, '3 passed, 0 failed\n'], good.out + good.err);
    const bad = `test('wrong', () => assert.deepEqual({ a: 1, b: [2] }, { b: [3], a: 1 }));\ntest('fine', async () => {});\n`;
    writeFileSync(join(cwd, 'scripts/bad.test.js'), bad);
    const failed = await runCli(['test', 'scripts', '--json'], { cwd });
    const { Code, Data } = JSON.parse(failed.out);
    assert.deepEqual([failed.code, Code], [1, 0]);
    const [wrong, fine] = Data.filter(({ file }: { file: string }) => file === 'bad.test.js');
    assert.match(wrong.message, /found \{"a":1,"b":\[2\]\}, expected/);
    assert.match(wrong.message, /bad\.test\.js:1/);
    assert.equal(fine.ok, true);
    const again = await runCli(['init', 'scripts'], { cwd });
    assert.equal(again.code, 2);
    assert.match(again.err, /hello\.js/);
  });
});

describe('v8host types', () => {
  it('writes what the tenant has and what the project adds, once, and makes the editor find it', async (t) => {
    const { services, cli, cwd } = await startHost(t);
    services.engineList = [engine('stock-show', 'return 1;')];
    const project = join(cwd, 'mine');
    mkdirSync(project);
    writeFileSync(join(project, 'own-engine.js'), '/** @queue own-queue */\nreturn { Code: 1 };');
    writeFileSync(join(project, 'tables.json'), '[{"Name":"own_table","Fields":[{"Name":"Size","Type":"int"}]}]');
    const { code, out, err } = await cli('types', 'mine', '--tenant', 'demo');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /mine\/types\/tenant\.d\.ts/);
    const made = readFileSync(join(project, 'types/tenant.d.ts'), 'utf8');
    for (const name of ['shop_order', 'Qty: number', 'own_table', 'Size: number', '"stock-show"', '"own-engine"']) {
      assert.ok(made.includes(name), name);
    }
    assert.match(made, /"own-queue": unknown/);
    for (const file of ['jsconfig.json', 'types/v8.d.ts', 'types/editor/index.cjs']) {
      assert.equal(existsSync(join(project, file)), true, file);
    }
    const again = await cli('types', 'mine', '--tenant', 'demo', '--json');
    assert.deepEqual(JSON.parse(again.out).Data, { path: 'mine/types/tenant.d.ts', changed: false });
  });

  it('writes nothing for a tenant that is not there', async (t) => {
    const { cli, cwd } = await startHost(t);
    assert.equal((await cli('types', '.', '--tenant', 'nobody')).code, 4);
    assert.equal(existsSync(join(cwd, 'types')), false);
  });

  it('are brought up to date by a pull into a project that has types', async (t) => {
    const { services, cli, cwd } = await startHost(t);
    assert.equal((await cli('init', '.')).code, 0);
    services.engineList = [engine('a', 'return 1;')];
    const { code, out } = await cli('pull', '.', '--tenant', 'demo');
    assert.equal(code, 0, out);
    assert.match(readFileSync(join(cwd, 'types/tenant.d.ts'), 'utf8'), /a: unknown/);
  });
});

describe('v8host pull', () => {
  it('tells which path could not be used, in one line', async (t) => {
    const { services, cli, cwd } = await startHost(t);
    services.engineList = [engine('a', 'return 1;')];
    writeFileSync(join(cwd, 'file'), '');
    for (const directory of ['file', join('file', 'below')]) {
      const { code, err } = await cli('pull', directory);
      assert.equal(code, 1);
      assert.match(err, /^v8host: E(EXIST|NOTDIR): .*file[^\n]*\n$/);
    }
  });

  it('writes engines to the files that have their keys, and keeps files that differ', async (t) => {
    const { services, cli, cwd } = await startHost(t);
    services.engineList = [engine('a', 'return 1;'), engine('B-2', '/** @engineKey B-2 */\nreturn 2;')];
    writeFileSync(join(cwd, 'other.js'), '/** @engineKey b-2 */\n');
    assert.equal((await cli('pull', '.', '--tenant', 'demo')).code, 1);
    assert.equal(readFileSync(join(cwd, 'a.js'), 'utf8'), 'return 1;');
    assert.equal(readFileSync(join(cwd, 'other.js'), 'utf8'), '/** @engineKey b-2 */\n');
    const forced = await cli('pull', '.', '--force');
    assert.deepEqual([forced.code, forced.out], [0, 'same  a.js\nwritten  other.js\n']);
    assert.equal(readFileSync(join(cwd, 'other.js'), 'utf8'), '/** @engineKey B-2 */\nreturn 2;');
    assert.equal(existsSync(join(cwd, 'B-2.js')), false);
  });
});

describe('v8host push', () => {
  it('shows what changes, and leaves tests here', async (t) => {
    const { services, cli, cwd } = await startHost(t);
    services.engineList = [engine('a', 'const x = 1;\nreturn x;\n')];
    writeFileSync(join(cwd, 'a.js'), 'const x = 2;\nreturn x;\n');
    writeFileSync(join(cwd, 'a.test.js'), 'test("a", () => {});');
    const { code, err } = await cli('push', '.', '--dry-run');
    assert.equal(code, 0);
    assert.deepEqual(err.split('\n').slice(0, 5), [
      'a.js  +1 -1',
      '  - const x = 1;',
      '  + const x = 2;',
      '    return x;',
      'checked only, nothing was written',
    ]);
    const [, request] = services.lastArgs() as [string, { files: { path: string }[] }];
    assert.deepEqual(
      request.files.map(({ path }) => path),
      ['a.js'],
    );
  });
});

describe('v8host logs', () => {
  it('shows lines with what is strange in them made visible, and follows', async (t) => {
    const { services, cli, cwd, url } = await startHost(t);
    // After an id that is none the host would follow nothing.
    const line = (n: string, content: string) => ({
      ...{
        id: n.padStart(26, '01JD0000000000000000000000'),
        time: '2026-11-30 10:00:00',
        type: 'console',
        title: 'a',
        content,
        level: 3,
        eventId: '',
        runId: '',
      },
    });
    const none = await cli('logs', '--engine', 'a');
    assert.deepEqual([none.code, none.out, none.err], [0, '', 'No such lines\n']);
    assert.equal((await cli('logs', '--json')).err, '');
    const main = new URL('../../src/main.ts', import.meta.url).pathname;
    const env = { ...PROGRAM_ENVIRONMENT, V8HOST_URL: url, V8HOST_TOKEN: 'token-of-the-cli-test' };
    const waiting = spawn(process.execPath, [main, 'logs', '-f'], { cwd, env });
    t.after(() => waiting.kill('SIGKILL'));
    let told = '';
    waiting.stderr.on('data', (text: Buffer) => {
      told += text.toString();
    });
    await eventually(() => assert.equal(told, 'No such lines yet: waiting for new ones until Ctrl-C\n'));
    waiting.kill();
    services.logLines = [line('1', 'first\u001b[31m')];
    assert.equal((await cli('logs')).out, '2026-11-30 10:00:00  ERROR a  first\\x1b[31m\n');
    const child = spawn(process.execPath, [main, 'logs', '--follow', '--engine', 'a'], { cwd, env });
    t.after(() => child.kill('SIGKILL'));
    let shown = '';
    child.stdout.on('data', (text: Buffer) => {
      shown += text.toString();
    });
    const ended = endOf(child);
    await eventually(() => assert.match(shown, /first/));
    services.logLines = [line('1', 'first'), line('2', 'second')];
    await eventually(() => assert.match(shown, /second/));
    child.kill();
    assert.equal((await ended).signal, 'SIGTERM');
  });
});

describe('v8host completion', () => {
  it('completes commands, groups and options in bash', async (t) => {
    const cwd = temporaryDirectory(t);
    const { out } = await runCli(['completion', 'bash'], { cwd });
    const complete = async (...words: string[]) => {
      const script = `${out}\nCOMP_WORDS=(v8host ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _v8host; echo "\${COMPREPLY[@]}"`;
      return (await endOf(spawn('bash', ['-c', script], { cwd }))).out.trim().split(' ');
    };
    assert.deepEqual(await complete('pu'), ['push', 'pull']);
    assert.deepEqual(await complete('tenant', 'rel'), ['reload']);
    assert.deepEqual(await complete('push', '.', '--dr'), ['--dry-run']);
    for (const shell of ['zsh', 'fish'])
      assert.match((await runCli(['completion', shell], { cwd })).out, /dead-letters/);
    assert.equal((await runCli(['completion', 'cmd'], { cwd })).code, 2);
  });
});
