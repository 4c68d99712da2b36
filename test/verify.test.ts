import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readBarLines } from '../scripts/verify/bar-lines.ts';
import { runStep } from '../scripts/verify/run-step.ts';
import { VERIFY_SECONDS, VERIFY_STEPS, type VerifyStep } from '../scripts/verify/verify-step.ts';
import { isAllOk, renderTable, rowsOf } from '../scripts/verify/verify-table.ts';
import { eventually } from './support/eventually.ts';
import { tempDir } from './support/temp-dir.ts';

const ROOT = join(import.meta.dirname, '..');
const BARRED: VerifyStep = { name: 'b', about: '', args: [], limitSeconds: 9, hasBars: true };
const PLAIN: VerifyStep = { ...BARRED, name: 'p', hasBars: false };
const END = { exitCode: 0, timedOut: false, output: '', seconds: 1.4 };

describe('the bars of a step', () => {
  it('are the lines that look like bars, and no others', () => {
    const output = 'bar none\n  bar a-b 1.50 2 ok  \r\nthe bar x 1 2 ok\nbar c NaN 0 short\nbar d 1 2 fine\n';
    assert.deepEqual(readBarLines(output), [
      { name: 'a-b', value: '1.50', target: '2', verdict: 'ok' },
      { name: 'c', value: 'NaN', target: '0', verdict: 'short' },
    ]);
  });

  it('are ok only when the command, too, ended well, in time and with a bar', () => {
    const ok = 'bar a 1 2 ok';
    const verdicts = (step: VerifyStep, end: object) =>
      rowsOf(step, { ...END, ...end }).map(({ name, verdict }) => `${name} ${verdict}`);
    assert.deepEqual(verdicts(BARRED, { output: ok }), ['a ok']);
    assert.deepEqual(verdicts(BARRED, { output: 'bar a 1 2 short', exitCode: 1 }), ['a short']);
    assert.deepEqual(verdicts(BARRED, { output: ok, exitCode: 1 }), ['a ok', 'exit-code short']);
    assert.deepEqual(verdicts(BARRED, { output: ok, exitCode: undefined }), ['a ok', 'exit-code short']);
    assert.deepEqual(verdicts(BARRED, { output: ok, timedOut: true }), ['a ok', 'time short']);
    assert.deepEqual(verdicts(BARRED, { output: 'done' }), ['bars short']);
    assert.deepEqual(verdicts(PLAIN, { output: 'bar a 1 2 short' }), ['exit-code ok']);
    assert.deepEqual(verdicts(PLAIN, { exitCode: 2 }), ['exit-code short']);
  });

  it('stand in one table, and one short bar makes the whole short', () => {
    const good = rowsOf(BARRED, { ...END, output: 'bar a 1 2 ok\nbar longer-name 10.00 2 ok' });
    const bad = rowsOf(PLAIN, { ...END, exitCode: 3, seconds: 62 });
    assert.deepEqual([isAllOk(good), isAllOk([...good, ...bad]), isAllOk([])], [true, false, false]);
    assert.equal(
      renderTable([...good, ...bad]),
      [
        'step  bar          value  target  verdict  time',
        'b     a            1      2       ok       1 s',
        '      longer-name  10.00  2       ok',
        'p     exit-code    3      0       short    62 s',
        '',
        '2 steps, 3 bars, 1 short',
        '',
      ].join('\n'),
    );
  });
});

describe('npm run verify', () => {
  it('has steps of files that are there, with limits that fit into half an hour', () => {
    assert.ok(VERIFY_STEPS.reduce((sum, { limitSeconds }) => sum + limitSeconds, 0) <= VERIFY_SECONDS);
    assert.equal(new Set(VERIFY_STEPS.map(({ name }) => name)).size, VERIFY_STEPS.length);
    for (const { args } of VERIFY_STEPS) {
      for (const file of args.filter((arg) => arg.endsWith('.ts'))) assert.ok(existsSync(join(ROOT, file)), file);
    }
  });

  it('runs what is asked for, prints one table, and exits 0 when all is well', (t) => {
    const logs = tempDir(t);
    const { status, stdout, stderr } = verify('--only', 'packages', '--logs', logs);
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /^packages +exit-code +0 +0 +ok +\d+ s$/m);
    assert.match(stdout, /^1 steps, 1 bars, 0 short$/m);
    assert.match(readFileSync(join(logs, 'packages.log'), 'utf8'), /run-tests: 2 files/);
  });

  it('lists its steps, and refuses one that it does not have', () => {
    assert.match(verify('--list').stdout, /^fuzz +\d+ s {2}\S/m);
    const { status, stderr } = verify('--only', 'fuzz,dreams');
    assert.deepEqual([status, stderr], [2, '--only: no step dreams; --list names them\n']);
  });

  it('ends a command that passes its time, with everything it has started', async (t) => {
    const script = [
      "const child = require('node:child_process').spawn('sleep', ['600']);",
      "process.on('SIGTERM', () => process.exit(0));",
      "console.log('child ' + child.pid);",
    ].join('\n');
    const step = { ...PLAIN, args: ['-e', script], limitSeconds: 1 };
    const end = await runStep(step, join(tempDir(t), 'log'));
    assert.equal(end.timedOut, true);
    const child = Number(/child (\d+)/.exec(end.output)?.[1]);
    assert.ok(child > 0, end.output);
    await eventually(() => assert.ok(!isAlive(child), `${child} runs`));
    assert.equal(isAllOk(rowsOf(step, end)), false);
  });
});

/** False of one that has ended, whether or not its parent has asked for it. */
function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
}

function verify(...args: string[]) {
  // A runner of tests that finds itself below another one reports to it alone.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = { cwd: ROOT, env, encoding: 'utf8', timeout: 120_000 } as const;
  return spawnSync(process.execPath, ['scripts/verify.ts', ...args], options);
}
