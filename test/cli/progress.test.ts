/** How far long work is: the share on a terminal, a line for each step elsewhere, nothing with --json. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { watched } from '../../src/cli/watched-work.ts';
import { type Progress, percentDone } from '../../src/core/progress.ts';
import { runCli } from '../support/command-line.ts';
import { HostProcess } from '../support/host-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { Terminal } from '../support/terminal.ts';
import { startHost, TOKEN } from './cli-process.ts';

const LIMIT = { timeout: 180_000 };
const WHAT = { zh: '正在清除', en: 'purging' };

describe('a share of long work', () => {
  async function linesOf(steps: readonly Progress[], options = {}, fewest = 1, lang: 'en' | 'zh' = 'en') {
    const lines: string[] = [];
    const terminal = { out: () => undefined, err: (text: string) => void lines.push(text) };
    await watched({ terminal, lang, options }, WHAT, async (note) => steps.forEach(note), fewest);
    return lines;
  }
  const steps = (total: number, step: Progress['step'] = 'purge') =>
    Array.from({ length: total }, (_, index): Progress => ({ step, done: index + 1, total }));

  it('is whole only when everything is done', () => {
    assert.equal(percentDone({ done: 999, total: 1000 }), 99);
    assert.equal(percentDone({ done: 1000, total: 1000 }), 100);
    assert.equal(percentDone({ done: 0, total: 0 }), 100);
  });

  it('has a plain line for each step of a few parts, in the language of the terminal', async () => {
    assert.deepEqual(await linesOf([{ step: 'copy', done: 1, total: 2, subject: 'host.db' }, ...steps(1)]), [
      'purging: copied 1 of 2 (50 %) host.db',
      'purging: purged 1 of 1 (100 %)',
    ]);
    assert.deepEqual(await linesOf(steps(1), {}, 1, 'zh'), ['正在清除: 清除 1/1（100%）']);
  });

  it('has a dozen lines for a thousand parts, the last one among them', async () => {
    const lines = await linesOf(steps(1_003));
    assert.ok(lines.length >= 10 && lines.length <= 12, `${lines.length} lines`);
    assert.equal(lines.at(-1), 'purging: purged 1003 of 1003 (100 %)');
  });

  it('says nothing of few parts where many are meant, and nothing at all with --json', async () => {
    assert.deepEqual(await linesOf(steps(19), {}, 20), []);
    assert.ok((await linesOf(steps(20), {}, 20)).length > 0);
    assert.deepEqual(await linesOf(steps(100), { json: true }), []);
  });

  it('keeps control characters of names from the terminal', async () => {
    assert.deepEqual(await linesOf([{ step: 'check', done: 1, total: 1, subject: 'a\u001b[2J' }]), [
      'purging: checked 1 of 1 (100 %) a\\x1b[2J',
    ]);
  });
});

describe('v8host tells how far the host is', LIMIT, () => {
  /** A host whose replay says how far it is and then waits for the test. */
  async function hostAtWork(t: TestContext) {
    const host = await startHost(t);
    const gate: { open?: () => void } = {};
    const replay = host.services.replayDeadLetters.bind(host.services);
    host.services.replayDeadLetters = async (tenant, filter, ...more: unknown[]) => {
      const note = more[2] as ((progress: Progress) => void) | undefined;
      note?.({ step: 'replay', done: 100, total: 250 });
      await new Promise<void>((resolve) => {
        gate.open = resolve;
      });
      note?.({ step: 'replay', done: 250, total: 250 });
      return replay(tenant, filter);
    };
    return { ...host, gate };
  }

  it('on a terminal as a share on one line that goes again', async (t) => {
    const { url, cwd, gate } = await hostAtWork(t);
    const terminal = await Terminal.open(t, cwd, { V8HOST_URL: url, V8HOST_TOKEN: TOKEN });
    await terminal.type('v8host dead-letters replay --all; echo "exit $?"');
    await terminal.until(/^replaying… replayed 100 of 250 \(40 %\), \d+ s$/m);
    gate.open?.();
    const screen = await terminal.until(/exit \d/);
    assert.match(screen, /^Replayed: 1\n[\s\S]*exit 0/m);
    assert.doesNotMatch(screen, /replaying/);
  });

  it('in a pipe as plain lines, and with --json not at all', async (t) => {
    const { cli, gate } = await hostAtWork(t);
    const opening = setInterval(() => gate.open?.(), 20);
    t.after(() => clearInterval(opening));
    const plain = await cli('dead-letters', 'replay', '--all');
    assert.deepEqual([plain.code, plain.err.split('\n').at(-2)], [0, 'Replayed: 1']);
    assert.match(plain.err, /^replaying: replayed 250 of 250 \(100 %\)$/m);
    assert.ok(!plain.err.includes('\u001b') && !plain.err.includes('\r'), 'a pipe gets what a terminal does');
    const json = await cli('dead-letters', 'replay', '--all', '--json');
    assert.deepEqual([json.code, json.err], [0, '']);
    assert.equal((JSON.parse(json.out) as { Code: number }).Code, 1);
  });

  it('and a refusal of the work is told as ever, with its exit code', async (t) => {
    const { cli } = await startHost(t);
    const { code, err } = await cli('dead-letters', 'replay', '--all', '--tenant', 'other');
    assert.deepEqual([code, /TENANT_UNKNOWN/.test(err)], [4, true]);
  });
});

describe('v8host migrate, backup and restore', LIMIT, () => {
  it('tell each step on stderr, and print one JSON document when asked', async (t) => {
    const host = await HostProcess.create(tempDir(t));
    t.after(() => host.kill());
    const config = ['--config', join(host.dataDir, 'v8host.config.json')];

    const fresh = await host.cli('migrate', ...config);
    assert.deepEqual([fresh.code, fresh.out], [0, 'demo  open\n'], fresh.err);
    assert.match(fresh.err, /^migrating: schema steps 1 of \d+ \(\d+ %\) demo \S+$/m);
    assert.match(fresh.err, /^migrating: tenants 1 of 1 \(100 %\) demo$/m);
    const migrated = documentOf(await host.cli('migrate', '--json', ...config));
    assert.deepEqual(migrated.Data, [{ tenant: 'demo', main: true, state: 'open', reason: null }]);

    await host.start();
    const dir = join(tempDir(t), 'copy');
    const plain = await host.cli('backup', '--to', dir);
    assert.equal(plain.code, 0, plain.err);
    assert.match(plain.err, /^backing up: verified (\d+) of \1 \(100 %\)/m);
    const made = documentOf(await host.cli('backup', '--json', '--to', `${dir}-2`));
    assert.equal((made.Data as { dir: string }).dir, `${dir}-2`);
    await host.stop();

    const told = await host.cli('restore', dir, '--replace', ...config);
    assert.match(told.err, /^restoring: verified 1 of \d+ [^\n]+\n[\s\S]*^restoring: restored (\d+) of \1 \(100 %\)/m);
    const restored = documentOf(await host.cli('restore', dir, '--replace', '--json', ...config));
    const { dataDir, files, aside } = restored.Data as { dataDir: string; files: unknown[]; aside: string };
    assert.deepEqual([dataDir, files.length], [host.dataDir, restored.DataCount]);
    assert.ok(aside.startsWith(host.dataDir));
    const again = await host.cli('restore', dir, '--json', ...config);
    assert.deepEqual([again.code, again.err], [1, '']);
    assert.equal((JSON.parse(again.out) as { ReasonCode: string }).ReasonCode, 'RESTORE_TARGET_USED');
  });

  it('migrate --json names every tenant, also one that cannot be opened', async (t) => {
    const host = await HostProcess.create(tempDir(t));
    const config = ['--config', join(host.dataDir, 'v8host.config.json')];
    assert.equal((await host.cli('migrate', ...config)).code, 0);
    const row = "INSERT INTO sys_osclients (Id, OsClient, IsEnable, DbType) VALUES ('1', 'lost', 1, 'Oracle')";
    host.sql('demo', row);
    const { code, out, err } = await host.cli('migrate', '--json', ...config);
    assert.equal(code, 1, err);
    const { ReasonCode, Data } = JSON.parse(out) as { ReasonCode: string; Data: { tenant: string; state: string }[] };
    assert.equal(ReasonCode, 'TENANT_UNAVAILABLE');
    assert.deepEqual(
      Data.map(({ tenant, state }) => `${tenant} ${state}`),
      ['demo open', 'lost unavailable'],
    );
    writeFileSync(join(host.dataDir, 'broken.json'), '{"http":{"port":99999}}');
    const broken = await runCli(['migrate', '--json', '--config', 'broken.json'], { cwd: host.dataDir });
    assert.equal(broken.code, 2);
    assert.equal((JSON.parse(broken.out) as { ReasonCode: string }).ReasonCode, 'CONFIG_INVALID');
  });
});

describe('v8host push of many engines', LIMIT, () => {
  it('says how many are checked and stored', async (t) => {
    const host = await HostProcess.create(tempDir(t));
    t.after(() => host.kill());
    await host.start();
    const dir = join(tempDir(t), 'scripts');
    mkdirSync(dir);
    for (let i = 0; i < 40; i++) writeFileSync(join(dir, `engine-${i}.js`), `return { Code: 1, Data: ${i} };\n`);
    const pushed = await host.cli('push', dir);
    assert.equal(pushed.code, 0, pushed.err);
    assert.match(pushed.err, /^pushing 40 files: stored 40 of 40 \(100 %\) engine-\d+$/m);
    const json = await host.cli('push', dir, '--json');
    assert.deepEqual([json.code, json.err], [0, '']);
    writeFileSync(join(dir, 'engine-7.js'), 'return {;\n');
    const refused = await host.cli('push', dir);
    assert.equal(refused.code, 1, refused.err);
    assert.match(refused.err, /engine-7\.js:1:\d+/);
  });
});

function documentOf({ code, out, err }: { code: number | null; out: string; err: string }) {
  assert.deepEqual([code, err], [0, ''], out);
  return JSON.parse(out) as { Code: number; Data: unknown; DataCount: number };
}
