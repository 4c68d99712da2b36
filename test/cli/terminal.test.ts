/** The command line as a person meets it: in a real terminal. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { HostProcess } from '../support/host-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { Terminal } from '../support/terminal.ts';
import { startHost, TOKEN } from './cli-process.ts';

const LIMIT = { timeout: 180_000 };

describe('a newcomer', LIMIT, () => {
  it('finds commands, options, examples and exit codes in the help', async (t) => {
    const terminal = await Terminal.open(t, tempDir(t));
    await terminal.type('v8host; echo "exit $?"');
    const bare = await terminal.until(/exit \d/);
    assert.match(bare, /exit 2/);
    await terminal.type('clear; v8host help; echo "exit $?"');
    const general = await terminal.until(/exit \d/);
    assert.match(general, /Exit codes: 0 ok, 1 failed, 2 usage, 3 host not reached, 4 not found/);
    for (const { name } of COMMANDS) assert.ok(general.includes(`  ${name}`), name);
    await terminal.type('clear; v8host push --help; echo "exit $?"');
    const push = await terminal.until(/exit \d/);
    assert.match(push, /Usage: v8host push DIR \[--dry-run\] \[--prune\]/);
    assert.match(push, /--json +print the DosResult as it came/);
    assert.match(push, /Examples:\n +v8host push \.\/my-scripts --tenant demo/);
    assert.match(push, /exit 0/);
    await terminal.type('clear; v8host pusch; echo "exit $?"');
    assert.match(await terminal.until(/exit \d/), /There is no command pusch.*push[\s\S]*exit 2/);
    await terminal.type('clear; v8host tenant list --url http://127.0.0.1:1; echo "exit $?"');
    assert.match(await terminal.until(/exit \d/), /HOST_UNREACHABLE[\s\S]*exit 3/);
  });

  it('has an example of every command that the command line takes', () => {
    for (const { name, examples } of COMMANDS) {
      assert.ok(examples.length > 0, name);
      assert.ok(
        examples.some((example) => example.includes(`v8host ${name}`)),
        name,
      );
    }
  });

  it('completes commands, subcommands and options with Tab', async (t) => {
    const terminal = await Terminal.open(t, tempDir(t));
    await terminal.type('source <(v8host completion bash); clear');
    await terminal.until(/^\$ $/m);
    await terminal.keys('v8host doc');
    await terminal.press('Tab');
    await terminal.until(/v8host doctor /);
    await terminal.press('C-u');
    await terminal.keys('v8host dead-letters gr');
    await terminal.press('Tab');
    await terminal.until(/v8host dead-letters groups /);
    await terminal.press('C-u');
    await terminal.keys('v8host push --dr');
    await terminal.press('Tab');
    await terminal.until(/v8host push --dry-run /);
  });
});

describe('somebody who logs in', LIMIT, () => {
  it('is asked for the password, which nobody reads over the shoulder', async (t) => {
    const host = await HostProcess.create(tempDir(t));
    t.after(() => host.kill());
    await host.start();
    const account = { account: 'anna', password: 'correct horse battery', role: 'developer' };
    assert.equal((await host.api('POST', 'tenants/demo/users', account)).status, 201);
    const dir = tempDir(t);
    const env = { V8HOST_URL: `http://127.0.0.1:${host.port}`, XDG_CONFIG_HOME: dir };
    const terminal = await Terminal.open(t, dir, env);
    await terminal.type('v8host login anna; echo "exit $?"');
    await terminal.until(/Password of anna: /);
    await terminal.type('correct horse battery');
    const screen = await terminal.until(/exit \d/);
    assert.match(screen, /Logged in to http.*tenant demo\n[\s\S]*exit 0/);
    assert.doesNotMatch(screen, /correct|battery|\*{3}/);
    await terminal.type('clear; v8host login; echo "exit $?"');
    assert.match(await terminal.until(/exit \d/), /anna\s+demo\s+developer/);
    await terminal.type('clear; v8host login anna; echo "exit $?"');
    await terminal.until(/Password of anna: /);
    await terminal.press('C-c');
    assert.match(await terminal.until(/exit \d/), /exit 2/);
  });
});

describe('long work', LIMIT, () => {
  it('shows on a terminal that it goes on, and nothing of that in a pipe or as JSON when no share is known', async (t) => {
    const { services, url, cwd } = await startHost(t);
    const gate: { open: () => void } = { open: () => undefined };
    const backUp = services.backUp.bind(services);
    services.backUp = async (dir) => {
      await new Promise<void>((resolve) => {
        gate.open = resolve;
      });
      return backUp(dir);
    };
    const env = { V8HOST_URL: url, V8HOST_TOKEN: TOKEN };
    const terminal = await Terminal.open(t, cwd, env);
    await terminal.type('v8host backup; echo "exit $?"');
    await terminal.until(/backing up… \d+ s/);
    gate.open();
    const screen = await terminal.until(/exit \d/);
    assert.doesNotMatch(screen, /backing up/, 'the line of progress stayed');
    assert.match(screen, /\/data\/backups\/now\n[\s\S]*exit 0/);
    for (const [index, command] of ['v8host backup 2>&1 | cat -v', 'v8host backup --json 2>err.txt'].entries()) {
      const before = services.calls.length;
      await terminal.type(`clear; ${command}; echo "done ${index}"`);
      await untilHeld(gate);
      // Longer than it takes until a line of progress would come.
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      gate.open();
      const piped = await terminal.until(new RegExp(`^done ${index}`, 'm'));
      assert.ok(services.calls.length > before);
      assert.doesNotMatch(piped, /backing up|\^\[/);
    }
  });

  async function untilHeld(gate: { open: () => void }): Promise<void> {
    const held = gate.open;
    const deadline = Date.now() + 60_000;
    while (gate.open === held && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.notEqual(gate.open, held, 'the host was not asked');
  }
});

describe('logs --follow', LIMIT, () => {
  const TALKER = "console.log('saw ' + V8.Param.Name); return { Code: 1 };";

  async function talkingHost(t: TestContext): Promise<HostProcess> {
    const host = await HostProcess.create(tempDir(t));
    t.after(() => host.kill());
    await host.start();
    await host.api('PUT', 'tenants/demo/engines', { files: [{ path: 'talker.js', text: TALKER }] });
    return host;
  }

  it('goes on with new lines until Ctrl-C', async (t) => {
    const host = await talkingHost(t);
    const dir = tempDir(t);
    writeFileSync(join(dir, 'note.txt'), '');
    const env = { V8HOST_URL: `http://127.0.0.1:${host.port}`, V8HOST_TOKEN: 'test-token-0123456789abcdef' };
    const terminal = await Terminal.open(t, dir, env);
    await host.api('POST', 'tenants/demo/engines/talker/run', { Name: 'first' });
    await terminal.type('v8host logs --follow');
    await terminal.until(/talker {2}saw first/);
    await host.api('POST', 'tenants/demo/engines/talker/run', { Name: 'second' });
    await terminal.until(/talker {2}saw second/);
    await terminal.press('C-c');
    await terminal.until(/\^C\n+\$ $/);
    await terminal.type('echo "exit $?"');
    const screen = await terminal.until(/^exit \d/m);
    assert.match(screen, /^exit 130$/m);
    assert.equal(screen.match(/saw first/g)?.length, 1, 'a line came twice');
  });
});
